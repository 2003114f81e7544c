import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

type Running = { readonly scheduler: Scheduler; readonly random: Random };

let running: Running | null = null;

export const BEGIN_MS = Date.UTC(2027, 0, 1);

export const runsNow = (now: Running | null): void => {
  running = now;
};

export const chance = (): number => running?.random.next() ?? 0;

const real = { setImmediate, setTimeout };

export const nextTurn = (run: () => void): void => void real.setImmediate(run);

const monotonic = (): number => running?.scheduler.now() ?? 0;

type Timer = { readonly cancel: () => void; readonly unref: () => Timer; readonly ref: () => Timer };

const timer = (cancel: () => void): Timer => {
  const one: Timer = { cancel, unref: () => one, ref: () => one };
  return one;
};

const setTimer = (run: () => void, ms = 0): Timer => timer(running?.scheduler.after(ms, run) ?? (() => undefined));

/** Libraries, and product code without an injected clock, get the simulation's time and randomness. */
export const replaceGlobals = (): void => {
  Object.assign(globalThis, {
    setTimeout: setTimer,
    clearTimeout: (one: Timer | undefined) => one?.cancel?.(),
  });
  Date.now = () => BEGIN_MS + Math.floor(monotonic());
  performance.now = monotonic;
  Math.random = chance;
  // This signal never aborts: here, each such request gets an answer, or a server reports that it is unavailable.
  AbortSignal.timeout = () => new AbortController().signal;
};
