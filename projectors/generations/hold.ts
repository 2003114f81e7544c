import type { Clock } from '../../platform/process/clock.ts';

/** Holds back a projection between two transactions, for a while each time. */
export type Hold = {
  /** Resolves at once where nothing is held back, else once that has ended; rejects as soon as the signal aborts. */
  readonly passed: (signal: AbortSignal) => Promise<void>;
};

export const NEVER_HELD: Hold = { passed: async () => undefined };

/**
 * How long it is held back at once: what it folds is so much older then. The generation that comes after it needs a
 * fraction of that for what it is behind when it is near.
 */
const HELD_MS = 2_000;
/** How long it goes on before it is held back again. */
const GOES_ON_MS = 4_000;

export const createHold = (clock: Clock): Hold & { readonly begin: () => void } => {
  let begun = Number.NEGATIVE_INFINITY;
  return {
    passed: async (signal) => {
      const left = begun + HELD_MS - clock.monotonic();
      if (left > 0) await clock.sleep(left, signal);
    },
    begin: () => {
      const now = clock.monotonic();
      if (now >= begun + HELD_MS + GOES_ON_MS) begun = now;
    },
  };
};
