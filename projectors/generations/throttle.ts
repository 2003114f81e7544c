import type { Clock } from '../../platform/process/clock.ts';

/** Pauses a projection between two transactions, so that its successor can catch up. */
export type Throttle = {
  /** Resolves at once unless the projection is paused; otherwise at the end of the pause. Rejects when the signal aborts. */
  readonly wait: (signal: AbortSignal) => Promise<void>;
};

export const NO_THROTTLE: Throttle = { wait: async () => undefined };

/** The lag of the projection grows by this much. A near successor needs a fraction of it to catch up. */
const PAUSE_MS = 2_000;
/** Time between two pauses. */
const RUN_MS = 4_000;

export const createThrottle = (clock: Clock): Throttle & { readonly pause: () => void } => {
  let paused_at = Number.NEGATIVE_INFINITY;
  return {
    wait: async (signal) => {
      const left = paused_at + PAUSE_MS - clock.monotonic();
      if (left > 0) await clock.sleep(left, signal);
    },
    pause: () => {
      const now = clock.monotonic();
      if (now >= paused_at + PAUSE_MS + RUN_MS) paused_at = now;
    },
  };
};
