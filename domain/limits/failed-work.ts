/*
 * The limit on the cost of one account's failed renders in one clock hour. Clock hours make the end of a limit
 * predictable, but an account can use two hourly limits within sixty minutes.
 */

const HOUR_MS = 3_600_000;

/** The cost of a render that failed by its own fault, or was cancelled. */
export type WorkCost = {
  readonly cpu_ms: number;
  readonly fetched_bytes: number;
};

export const NO_COST: WorkCost = { cpu_ms: 0, fetched_bytes: 0 };

export type FailedWorkLimits = { readonly cpu_s_per_hour: number; readonly bytes_per_hour: number };

/** Hours since the epoch. */
export const hourOf = (at_ms: number): number => Math.floor(at_ms / HOUR_MS);

export const endOfHour = (hour: number): number => (hour + 1) * HOUR_MS;

export type LimitReached = { readonly of: 'cpu' | 'bytes'; readonly until_ms: number };

/**
 * @param used in the hour of `now_ms`
 * @returns null while the account is below its limits
 */
export const limitReached = (used: WorkCost, limits: FailedWorkLimits, now_ms: number): LimitReached | null => {
  const until_ms = endOfHour(hourOf(now_ms));
  if (used.cpu_ms >= limits.cpu_s_per_hour * 1000) return { of: 'cpu', until_ms };
  if (used.fetched_bytes >= limits.bytes_per_hour) return { of: 'bytes', until_ms };
  return null;
};
