/** The wait after attempt n is `first_ms` x `factor`^(n-1). */
export type RetrySchedule = { readonly first_ms: number; readonly factor: number };

export const MAX_DELIVERY_ATTEMPTS = 5;

/** A random extra wait, as a fraction of the wait. Deliveries that failed together therefore do not retry together. */
const MAX_JITTER = 0.1;

const MAX_RETRY_AFTER_MS = 600_000;

/**
 * The wait between the end of failed attempt `n` and the next attempt.
 *
 * @param n from 1
 * @param chance 0 to 1, at random
 * @param retry_after_ms the endpoint's `Retry-After`, or null; it can only lengthen the wait
 * @returns whole milliseconds; null after the last attempt, when the delivery is exhausted
 */
export const retryDelayMs = (
  { first_ms, factor }: RetrySchedule,
  n: number,
  chance: number,
  retry_after_ms: number | null,
): number | null => {
  if (n >= MAX_DELIVERY_ATTEMPTS) return null;
  const planned_ms = first_ms * factor ** (n - 1);
  const jitter_ms = Math.floor(planned_ms * MAX_JITTER * chance);
  return Math.max(planned_ms + jitter_ms, Math.min(retry_after_ms ?? 0, MAX_RETRY_AFTER_MS));
};
