import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '../../../platform/process/clock.ts';
import { BEGIN_MS } from './process-globals.ts';
import type { World } from './world.ts';

/** One process from its start to its end. All its requests, timers and sleeps go through here. */
export type Life = {
  /** `worker-2#5`: the fifth start of that process. */
  readonly name: string;
  /** `worker-2` */
  readonly of: string;
  readonly clock: Clock;
  /**
   * One request to a server and its answer. The process may end before the request is sent, served or answered, and
   * then gets no answer.
   *
   * @param perform the server's work, at one moment; an error that it throws is the answer
   * @param latency_ms of the round trip
   */
  readonly ask: <A>(latency_ms: number, perform: () => A) => Promise<A>;
  /**
   * Calls `run` later, unless the process has ended. A frozen process runs it when it resumes.
   * @returns a function that cancels it
   */
  readonly after: (ms: number, run: () => void) => () => void;
  readonly isAlive: () => boolean;
  readonly isFrozen: () => boolean;
  readonly kill: (why: string) => void;
  /** Ends the process by a fault of its own. */
  readonly crash: (error: unknown) => void;
  readonly onCrash: (run: (error: unknown) => void) => void;
  /** Ends the process at its n-th further request: before it is sent, or with `is_done` before it is answered. */
  readonly killAtStep: (requests: number, is_done: boolean) => void;
  readonly freeze: (ms: number) => void;
  readonly onEnd: (run: () => void) => void;
};

/** The minimum interval of periodic checks. More frequent ones would slow the simulation down and find little. */
const MIN_TICK_MS = 1_500;

const LIVES = new AsyncLocalStorage<Life>();

/** The process that the calling code belongs to. */
export const livesNow = (): Life | undefined => LIVES.getStore();

/** Runs code, and everything asynchronous that it starts, as a part of a process. */
export const within = (life: Life, run: () => void): void => LIVES.run(life, run);

/** The clock of a process; `after` sets a timer that ends with it. */
const clockOf = ({ scheduler }: World, skew_ms: number, after: Life['after']): Clock => {
  const began = scheduler.now();
  return {
    now: () => BEGIN_MS + Math.floor(scheduler.now() + skew_ms),
    monotonic: () => scheduler.now() - began,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(signal.reason);
        const giveUp = (): void => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = after(ms, () => {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        });
        signal?.addEventListener('abort', giveUp, { once: true });
      }),
    after,
    every: (ms, run) => {
      let cancel: () => void = () => undefined;
      let is_over = false;
      const arm = (): void => {
        cancel = after(Math.max(ms, MIN_TICK_MS), () => {
          run();
          if (!is_over) arm();
        });
      };
      arm();
      return () => {
        is_over = true;
        cancel();
      };
    },
  };
};

export const beginLife = (world: World, of: string, start: number, skew_ms: number, ended: () => void): Life => {
  const { scheduler } = world;
  const name = `${of}#${start}`;
  const at_end: (() => void)[] = [];
  const at_crash: ((error: unknown) => void)[] = [];
  let is_alive = true;
  let frozen_until = 0;
  let doomed: { left: number; readonly is_done: boolean } | null = null;

  const kill = (why: string): void => {
    if (!is_alive) return;
    is_alive = false;
    world.trace(`${name} ends: ${why}`);
    for (const run of at_end) run();
    ended();
  };

  const crash = (error: unknown): void => {
    if (!is_alive) return;
    for (const run of at_crash) run(error);
    kill(`it crashed: ${error instanceof Error ? error.stack : String(error)}`);
  };

  const call = (run: () => void): void => {
    if (!is_alive) return;
    if (scheduler.now() < frozen_until) {
      scheduler.after(frozen_until - scheduler.now(), () => call(run));
      return;
    }
    try {
      within(life, run);
    } catch (error) {
      crash(error);
    }
  };

  /** Where in this request the process ends; null if it survives it. */
  const isDoomed = (): 'before' | 'done' | null => {
    if (doomed === null) return null;
    doomed.left -= 1;
    if (doomed.left > 0) return null;
    const { is_done } = doomed;
    doomed = null;
    return is_done ? 'done' : 'before';
  };

  const ask = <A>(latency_ms: number, perform: () => A): Promise<A> => {
    if (!is_alive) return new Promise(() => undefined);
    const ends = isDoomed();
    if (ends === 'before') {
      kill('before a request');
      return new Promise(() => undefined);
    }
    return new Promise((resolve, reject) => {
      const [there, back] = world.random.chance(0.12) ? [latency_ms / 2, latency_ms / 2] : [latency_ms, 0];
      const answer = (run: () => void): void => {
        if (ends === 'done') kill('before an answer');
        else if (back > 0) scheduler.after(back, () => call(run));
        else call(run);
      };
      scheduler.after(there, () => {
        try {
          const result = perform();
          answer(() => resolve(result));
        } catch (error) {
          answer(() => reject(error));
        }
      });
    });
  };

  const after = (ms: number, run: () => void): (() => void) => {
    let is_cancelled = false;
    const cancel = scheduler.after(ms, () => call(() => is_cancelled || run()));
    return () => {
      is_cancelled = true;
      cancel();
    };
  };
  const clock = clockOf(world, skew_ms, after);
  const life: Life = {
    ...{ name, of, clock, ask, after, kill, crash },
    onCrash: (run) => at_crash.push(run),
    isAlive: () => is_alive,
    isFrozen: () => scheduler.now() < frozen_until,
    killAtStep: (requests, is_done) => {
      doomed = { left: requests, is_done };
    },
    freeze: (ms) => {
      frozen_until = scheduler.now() + ms;
      world.trace(`${name} freezes for ${ms}`);
    },
    onEnd: (run) => at_end.push(run),
  };
  return life;
};
