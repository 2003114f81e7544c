import { addCounts, type Histogram, quantileOf } from './histogram.ts';

/** Each transition counts in the hour of its append. */
export type RenderCounts = {
  readonly requested: number;
  readonly completed: number;
  readonly failed: number;
  readonly failures: Readonly<Record<string, number>>;
  readonly charged_credits: number;
  readonly waits: Histogram;
  readonly durations: Histogram;
};

export const NO_COUNTS: RenderCounts = {
  ...{ requested: 0, completed: 0, failed: 0, failures: {} },
  ...{ charged_credits: 0, waits: {}, durations: {} },
};

export const addRenderCounts = (one: RenderCounts, other: RenderCounts): RenderCounts => ({
  requested: one.requested + other.requested,
  completed: one.completed + other.completed,
  failed: one.failed + other.failed,
  failures: addCounts(one.failures, other.failures),
  charged_credits: one.charged_credits + other.charged_credits,
  waits: addCounts(one.waits, other.waits),
  durations: addCounts(one.durations, other.durations),
});

export type Quantiles = { readonly p50_ms: number | null; readonly p95_ms: number | null };

export const quantilesOf = (histogram: Histogram): Quantiles => ({
  p50_ms: quantileOf(histogram, 0.5),
  p95_ms: quantileOf(histogram, 0.95),
});

export type RenderSummary = Omit<RenderCounts, 'waits' | 'durations' | 'failures'> & {
  readonly failures: readonly { readonly code: string; readonly count: number }[];
  readonly wait: Quantiles;
  readonly duration: Quantiles;
};

const MAX_CODES = 20;
export const OTHER_CODES_KEY = 'other';

export const summaryOf = ({ waits, durations, failures, ...counts }: RenderCounts): RenderSummary => {
  const all = Object.entries(failures)
    .map(([code, count]) => ({ code, count }))
    .toSorted((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
  const named = all.filter(({ code }) => code !== OTHER_CODES_KEY).slice(0, MAX_CODES);
  const others = all.filter((one) => !named.includes(one)).reduce((sum, { count }) => sum + count, 0);
  return {
    ...counts,
    failures: [...named, ...(others === 0 ? [] : [{ code: OTHER_CODES_KEY, count: others }])],
    wait: quantilesOf(waits),
    duration: quantilesOf(durations),
  };
};
