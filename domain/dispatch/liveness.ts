export const ATTEMPT_SILENCE_MS = 15_000;

/** The silence of a worker counts only if the dispatcher reads its own heartbeats back within this time. */
export const OWN_HEARTBEAT_LIMIT_MS = 4_000;

/** A worker that misses three heartbeats gets no attempts. */
export const WORKER_FRESH_MS = 6_000;

/**
 * Measures the silence of workers. It runs only while the dispatcher reads its own heartbeats back in time, and
 * restarts after a gap. So an outage of the log, or a pause of this process, loses no attempts.
 */
export type SilenceClock = {
  readonly running_since: number | null;
  readonly last_back_at: number | null;
};

export const STOPPED_CLOCK: SilenceClock = { running_since: null, last_back_at: null };

/** Both times are from one monotonic clock, ms. */
export const clockAfterOwnHeartbeat = (clock: SilenceClock, sent_at: number, now: number): SilenceClock => {
  if (now - sent_at > OWN_HEARTBEAT_LIMIT_MS) return { running_since: null, last_back_at: now };
  const unbroken = clock.running_since !== null && isClockRunning(clock, now);
  return { running_since: unbroken ? clock.running_since : now, last_back_at: now };
};

export const isClockRunning = (clock: SilenceClock, now: number): boolean =>
  clock.running_since !== null && clock.last_back_at !== null && now - clock.last_back_at <= OWN_HEARTBEAT_LIMIT_MS;

/** @param seen_at when the attempt was last seen, ms */
export const isSilent = (clock: SilenceClock, seen_at: number, now: number): boolean =>
  isClockRunning(clock, now) && now - Math.max(seen_at, clock.running_since ?? now) > ATTEMPT_SILENCE_MS;
