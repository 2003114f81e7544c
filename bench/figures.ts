/** The value below which `share` (0 to 1) of the samples lie; NaN without samples. */
export const quantile = (samples: readonly number[], share: number): number => {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
};

export const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

/** One line of the report: what was measured, the figure, and the target if there is one. */
export type Figure = readonly [measured: string, figure: string, expected: string];
