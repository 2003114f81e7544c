import { setTimeout as sleep } from 'node:timers/promises';

/** Time, as a component's main.ts hands it to its parts; a simulation hands them another. */
export type Clock = {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds since some moment; never goes back. */
  readonly monotonic: () => number;
  /** Rejects with an AbortError as soon as the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Runs it once. @returns what cancels it */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Runs it again and again, and keeps no process alive. @returns what ends it */
  readonly every: (ms: number, run: () => void) => () => void;
};

export const SYSTEM_CLOCK: Clock = {
  now: Date.now,
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleep(ms, undefined, signal === undefined ? {} : { signal }),
  after: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  every: (ms, run) => {
    const timer = setInterval(run, ms).unref();
    return () => clearInterval(timer);
  },
};
