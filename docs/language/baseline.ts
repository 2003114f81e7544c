/** Lines count from 1. */
export type LanguageFault = {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
};

/** The number of faults that a file may have, by rule: `{ file: { rule: count } }`. */
export type Baseline = Readonly<Record<string, Readonly<Record<string, number>>>>;

const counted = (faults: readonly LanguageFault[]): Map<string, Map<string, number>> => {
  const counts = new Map<string, Map<string, number>>();
  for (const { file, rule } of faults) {
    const ofFile = counts.get(file) ?? new Map<string, number>();
    counts.set(file, ofFile.set(rule, (ofFile.get(rule) ?? 0) + 1));
  }
  return counts;
};

/** All faults of a rule in a file that has more of them than the baseline allows. */
export const newFaults = (baseline: Baseline, faults: readonly LanguageFault[]): readonly LanguageFault[] => {
  const counts = counted(faults);
  return faults.filter(({ file, rule }) => (counts.get(file)?.get(rule) ?? 0) > (baseline[file]?.[rule] ?? 0));
};

/** Removes fixed faults from the baseline. It never grows. */
export const shrinkBaseline = (baseline: Baseline, faults: readonly LanguageFault[]): Baseline => {
  const counts = counted(faults);
  return Object.fromEntries(
    Object.entries(baseline)
      .map(([file, rules]): [string, Record<string, number>] => [
        file,
        Object.fromEntries(
          Object.entries(rules)
            .map(([rule, count]): [string, number] => [rule, Math.min(count, counts.get(file)?.get(rule) ?? 0)])
            .filter(([, count]) => count > 0),
        ),
      ])
      .filter(([, rules]) => Object.keys(rules).length > 0),
  );
};
