import { setTimeout as sleep } from 'node:timers/promises';

/** A component's main.ts passes its clock to all parts; a simulation passes a virtual clock. */
export type Clock = {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds since an arbitrary start; never goes back. */
  readonly monotonic: () => number;
  /** Rejects with an AbortError as soon as the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Runs the function once. The returned function cancels it. */
  readonly after: (ms: number, run: () => void) => () => void;
  /** Runs the function at each interval, without keeping the process alive. The returned function stops it. */
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
