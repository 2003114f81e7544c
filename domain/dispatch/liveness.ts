/** An attempt that is absent from heartbeats for this time is lost. */
export const ATTEMPT_SILENCE_MS = 15_000;

/** A worker's silence counts only if the dispatcher's own heartbeats come back within this time. */
export const OWN_HEARTBEAT_LIMIT_MS = 4_000;

/** A worker whose last heartbeat is older gets no attempts: it missed three heartbeats. */
export const WORKER_FRESH_MS = 6_000;

/**
 * The clock for silence timeouts. It runs only while the dispatcher's own heartbeats come back in time, and restarts
 * after any gap. An outage of the log, or a pause of this process, therefore loses no attempts.
 */
export type OwnClock = {
  /** Since when heartbeats come back without a gap; null before the first. */
  readonly running_since: number | null;
  readonly last_back_at: number | null;
};

export const STOPPED_CLOCK: OwnClock = { running_since: null, last_back_at: null };

/** An own heartbeat, sent at `sent_at`, was read back at `now`; both times are from one monotonic clock, ms. */
export const ownHeartbeatReturned = (clock: OwnClock, sent_at: number, now: number): OwnClock => {
  if (now - sent_at > OWN_HEARTBEAT_LIMIT_MS) return { running_since: null, last_back_at: now };
  const unbroken = clock.running_since !== null && isRunning(clock, now);
  return { running_since: unbroken ? clock.running_since : now, last_back_at: now };
};

export const isRunning = (clock: OwnClock, now: number): boolean =>
  clock.running_since !== null && clock.last_back_at !== null && now - clock.last_back_at <= OWN_HEARTBEAT_LIMIT_MS;

/** True if something last seen at `seen_at` has been silent too long by the own clock. */
export const isSilent = (clock: OwnClock, seen_at: number, now: number): boolean =>
  isRunning(clock, now) && now - Math.max(seen_at, clock.running_since ?? now) > ATTEMPT_SILENCE_MS;
