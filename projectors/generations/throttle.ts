import type { Clock } from '../../platform/process/clock.ts';

/** Pauses a projection between two transactions, so that its successor can catch up. */
export type Throttle = {
  readonly wait: (signal: AbortSignal) => Promise<void>;
};

export const NO_THROTTLE: Throttle = { wait: async () => undefined };

/** A pause adds this much lag. A near successor catches up in a fraction of it. */
const PAUSE_MS = 2_000;
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
