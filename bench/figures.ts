export const quantile = (samples: readonly number[], share: number): number => {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
};

export const millisecondsText = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;

export type BenchmarkResult = readonly [measured: string, figure: string, expected: string];
