import { addCounts, type Histogram, quantileOf } from './histogram.ts';

/** What renders of one account or team did in a time: of each transition, in the hour of its append. */
export type RenderCounts = {
  readonly requested: number;
  readonly completed: number;
  /** Those that were cancelled too. */
  readonly failed: number;
  /** Those that failed, by code: `cancelled` is one. */
  readonly failures: Readonly<Record<string, number>>;
  readonly charged_credits: number;
  /** Of those that began to be rendered: from the request on. */
  readonly waits: Histogram;
  /** Of those that were completed: from the beginning of their rendering on. */
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

/** Milliseconds; no further than `QUANTILE_ERROR` from the value of that rank. Null where there was none. */
export type Quantiles = { readonly p50_ms: number | null; readonly p95_ms: number | null };

export const quantilesOf = (histogram: Histogram): Quantiles => ({
  p50_ms: quantileOf(histogram, 0.5),
  p95_ms: quantileOf(histogram, 0.95),
});

/** What is shown of counts: the histograms as their quantiles. */
export type RenderSummary = Omit<RenderCounts, 'waits' | 'durations' | 'failures'> & {
  /** The most frequent first; those that are left out are `other`. */
  readonly failures: readonly { readonly code: string; readonly count: number }[];
  readonly wait: Quantiles;
  readonly duration: Quantiles;
};

const MOST_CODES = 20;
export const OTHER_CODES = 'other';

export const summaryOf = ({ waits, durations, failures, ...counts }: RenderCounts): RenderSummary => {
  const all = Object.entries(failures)
    .map(([code, count]) => ({ code, count }))
    .toSorted((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1));
  const named = all.filter(({ code }) => code !== OTHER_CODES).slice(0, MOST_CODES);
  const others = all.filter((one) => !named.includes(one)).reduce((sum, { count }) => sum + count, 0);
  return {
    ...counts,
    failures: [...named, ...(others === 0 ? [] : [{ code: OTHER_CODES, count: others }])],
    wait: quantilesOf(waits),
    duration: quantilesOf(durations),
  };
};
