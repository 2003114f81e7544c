import pRetry from 'p-retry';
import type { Clock } from './clock.ts';

/** Milliseconds to wait after this many failures in a row, from 1; null ends the retries. */
export type RetryPolicy = (failures: number) => number | null;

const FIRST_MS = 50;
const LONGEST_MS = 5_000;

/** 50 ms, doubled after each failure, at most 5 s, without a limit of tries. */
export const exponentialBackOff = (failures: number): number =>
  Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));

export const retryAfterPauses =
  (pauses_ms: readonly number[]): RetryPolicy =>
  (failures) =>
    pauses_ms[failures - 1] ?? null;

/** For work that is given up if its fault lasts longer than these pauses. */
export const SHORT_RETRY_POLICY = retryAfterPauses([1_000, 5_000, 25_000]);

export type RetryOptions = {
  readonly clock: Pick<Clock, 'sleep'>;
  /** When it aborts, a pause ends and no further try begins. A try in progress is awaited. */
  readonly signal?: AbortSignal;
  readonly policy?: RetryPolicy;
  /** Whether a retry can help; always true by default. */
  readonly isTransient?: (error: unknown) => boolean;
  /** Called for each failure that is followed by another try. */
  readonly onFailure?: (error: unknown) => void;
};

/** Rejects with the last error. Pauses use the clock, so that a simulation can skip them. */
export const retry = <A>(
  work: () => Promise<A>,
  { clock, signal, policy = exponentialBackOff, isTransient = () => true, onFailure }: RetryOptions,
): Promise<A> =>
  pRetry(work, {
    retries: Number.POSITIVE_INFINITY,
    minTimeout: 0,
    // Only the policy counts tries. This also prevents p-retry from giving up at a TypeError.
    shouldConsumeRetry: () => false,
    onFailedAttempt: async ({ error, attemptNumber }) => {
      const pause_ms = signal?.aborted === true || !isTransient(error) ? null : policy(attemptNumber);
      if (pause_ms === null) throw error;
      onFailure?.(error);
      await clock.sleep(pause_ms, signal).catch(() => {
        throw error;
      });
    },
  });
