import type { Clock } from '../../platform/process/clock.ts';

export type QueueClock = Pick<Clock, 'now' | 'after' | 'sleep'>;

/**
 * The longest wait of a timer, which is then set again: timers overflow after 2^31 ms, and the clock may be adjusted
 * meanwhile.
 */
const MAX_WAIT_MS = 60_000;

export type KeyedTimers<A> = {
  /** Replaces the former time (ms since the epoch); null removes it. */
  readonly set: (thing: A, at: number | null) => void;
  readonly clear: () => void;
};

type Timer = { readonly at: number; readonly cancel: () => void };

export const createKeyedTimers = <A>(clock: QueueClock, wake: (thing: A) => void): KeyedTimers<A> => {
  const timers = new Map<A, Timer>();

  const arm = (thing: A, at: number): void => {
    const wait_ms = Math.min(Math.max(0, at - clock.now()), MAX_WAIT_MS);
    const cancel = clock.after(wait_ms, () => {
      if (at > clock.now()) return arm(thing, at);
      timers.delete(thing);
      wake(thing);
    });
    timers.set(thing, { at, cancel });
  };

  return {
    set: (thing, at) => {
      const before = timers.get(thing);
      if (before?.at === (at ?? undefined)) return;
      before?.cancel();
      timers.delete(thing);
      if (at !== null) arm(thing, at);
    },
    clear: () => {
      for (const { cancel } of timers.values()) cancel();
      timers.clear();
    },
  };
};
