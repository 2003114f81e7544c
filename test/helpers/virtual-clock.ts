import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../platform/process/clock.ts';

type Timer = { readonly at: number; readonly run: () => void };

/** A clock that advances only on command and then runs all due work in order, including its consequences. */
export type VirtualClock = Clock & { readonly advance: (ms: number) => Promise<void> };

export const virtualClock = (): VirtualClock => {
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
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const cancel = after(ms, resolve);
        const abort = (): void => {
          cancel();
          reject(signal?.reason);
        };
        if (signal?.aborted === true) abort();
        else signal?.addEventListener('abort', abort, { once: true });
      }),
    after,
    every: (ms, run) => {
      let cancel = (): void => undefined;
      const next = (): void => {
        cancel = after(ms, () => {
          next();
          run();
        });
      };
      next();
      return () => cancel();
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
