/*
 * What the failed renders of one account may cost in one hour. Hours are those of the clock, so that a limit ends at a
 * time that can be told; within any sixty minutes an account so has at most what two of them allow.
 */

const HOUR_MS = 3_600_000;

/** What was done for a render that then failed by a fault of its own, or was cancelled. */
export type WorkCost = {
  /** Of the programs that looked at its media or rendered it. */
  readonly cpu_ms: number;
  /** Fetched from outside. */
  readonly fetched_bytes: number;
};

export const NO_COST: WorkCost = { cpu_ms: 0, fetched_bytes: 0 };

export type FailedWorkLimits = { readonly cpu_s_per_hour: number; readonly bytes_per_hour: number };

/** Counted since the epoch. */
export const hourOf = (at_ms: number): number => Math.floor(at_ms / HOUR_MS);

export const endOfHour = (hour: number): number => (hour + 1) * HOUR_MS;

/** Until then nothing new of the account is begun. */
export type LimitReached = { readonly of: 'cpu' | 'bytes'; readonly until_ms: number };

/**
 * @param used in the hour that `now_ms` is in
 * @returns null while the account is below its limits
 */
export const limitReached = (used: WorkCost, limits: FailedWorkLimits, now_ms: number): LimitReached | null => {
  const until_ms = endOfHour(hourOf(now_ms));
  if (used.cpu_ms >= limits.cpu_s_per_hour * 1000) return { of: 'cpu', until_ms };
  if (used.fetched_bytes >= limits.bytes_per_hour) return { of: 'bytes', until_ms };
  return null;
};
