export type Failure = { readonly title: string; readonly details: readonly string[] };

/** `explaining` is set while the next lines belong to the last failure. */
export type TapTally = {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly Failure[];
  readonly explaining: boolean;
};

export const EMPTY_TALLY: TapTally = { passed: 0, failed: 0, failures: [], explaining: false };

const DETAIL_LINES = 40;

/** A failure that the TAP stream does not report, with the last lines of the program's output. */
export const tallyOfFailure = (title: string, details: readonly string[] = []): TapTally => ({
  ...EMPTY_TALLY,
  failed: 1,
  failures: [{ title, details: details.slice(-DETAIL_LINES) }],
});

const explain = (tally: TapTally, line: string): TapTally => {
  const last = tally.failures.at(-1);
  if (!tally.explaining || last === undefined || !/^( {2}|#|$)/.test(line)) return { ...tally, explaining: false };
  if (last.details.length >= DETAIL_LINES) return tally;
  return { ...tally, failures: [...tally.failures.slice(0, -1), { ...last, details: [...last.details, line] }] };
};

/** Adds a line of TAP output to the counts. Skipped and todo tests do not count. */
export const countTapLine = (tally: TapTally, line: string): TapTally => {
  const result = /^(not )?ok \d+ - (.*)$/.exec(line);
  if (result === null) return explain(tally, line);
  if (/# (SKIP|TODO)\b/i.test(line)) return { ...tally, explaining: false };
  const title = result[2] ?? '';
  return result[1] === undefined
    ? { ...tally, passed: tally.passed + 1, explaining: false }
    : {
        ...tally,
        failed: tally.failed + 1,
        failures: [...tally.failures, { title, details: [] }],
        explaining: true,
      };
};

/** Results with a mark, and details unchanged; null for lines that only TAP needs. */
export const tapLineText = (line: string): string | null => {
  if (/^(TAP version|\d+\.\.\d+|# (tests|pass|fail|skip|todo) \d+|\s*$)/.test(line)) return null;
  return line
    .replace(/^ok \d+ - /, '  ✔ ')
    .replace(/^not ok \d+ - (?=.*# TODO)/, '  - ')
    .replace(/^not ok \d+ - /, '  ✘ ');
};

export const addTallies = (one: TapTally, other: TapTally): TapTally => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  failures: [...one.failures, ...other.failures],
  explaining: false,
});
