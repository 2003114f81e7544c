/** What the lines of a TAP stream have come to. */
export type Tally = { readonly passed: number; readonly failed: number; readonly failures: readonly string[] };

export const EMPTY: Tally = { passed: 0, failed: 0, failures: [] };

/** Counts one line; skipped tests and those still to be written count as neither. */
export const count = (tally: Tally, line: string): Tally => {
  const result = /^(not )?ok \d+ - (.*)$/.exec(line);
  if (result === null || /# (SKIP|TODO)\b/i.test(line)) return tally;
  const title = result[2] ?? '';
  return result[1] === undefined
    ? { ...tally, passed: tally.passed + 1 }
    : { ...tally, failed: tally.failed + 1, failures: [...tally.failures, title] };
};

/** How a line is shown to a person: results with a mark, details as they are, the stream's own bookkeeping not at all. */
export const show = (line: string): string | null => {
  if (/^(TAP version|\d+\.\.\d+|# (tests|pass|fail|skip|todo) \d+|\s*$)/.test(line)) return null;
  return line
    .replace(/^ok \d+ - /, '  ✔ ')
    .replace(/^not ok \d+ - (?=.*# TODO)/, '  - ')
    .replace(/^not ok \d+ - /, '  ✘ ');
};

export const add = (one: Tally, other: Tally): Tally => ({
  passed: one.passed + other.passed,
  failed: one.failed + other.failed,
  failures: [...one.failures, ...other.failures],
});
