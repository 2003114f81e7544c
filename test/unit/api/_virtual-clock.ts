import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../platform/process/clock.ts';

type Timer = { readonly at: number; readonly run: () => void };

/** A clock that stands still until it is told how far to go; then what is due runs in its order, with all that follows. */
export const virtualClock = (): Pick<Clock, 'now' | 'monotonic' | 'sleep' | 'after' | 'every'> & {
  readonly advance: (ms: number) => Promise<void>;
} => {
  let now = 0;
  let timers: readonly Timer[] = [];
  const after: Clock['after'] = (ms, run) => {
    const timer = { at: now + ms, run };
    timers = [...timers, timer];
    return () => {
      timers = timers.filter((other) => other !== timer);
    };
  };
  return {
    now: () => now,
    monotonic: () => now,
    sleep: (ms) => new Promise((resolve) => void after(ms, resolve)),
    after,
    every: () => {
      throw new Error('not used here');
    },
    advance: async (ms) => {
      const until = now + ms;
      for (;;) {
        await setImmediate();
        const [next] = timers.filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at);
        if (next === undefined) break;
        timers = timers.filter((other) => other !== next);
        now = next.at;
        next.run();
      }
      now = until;
    },
  };
};
