/** How often and how patiently a delivery is tried. */
export type Schedule = {
  /** Waits after the first, second, … failed attempt. One more attempt than waits is made. */
  readonly retry_delays_ms: readonly number[];
  /** For one attempt in all: connecting, sending, and the answer's status. */
  readonly attempt_timeout_ms: number;
};

/** The first attempt and four retries, exponential by the factor 5 from one second. */
export const SCHEDULE: Schedule = { retry_delays_ms: [1_000, 5_000, 25_000, 125_000], attempt_timeout_ms: 15_000 };

/** The wait after failed attempt `attempt` (from 1), ms; null after the last one, when the delivery is exhausted. */
export const delayAfter = (schedule: Schedule, attempt: number): number | null =>
  schedule.retry_delays_ms[attempt - 1] ?? null;
