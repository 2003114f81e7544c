import type { Random } from './random.ts';

type Event = { readonly at: number; readonly tie: number; readonly order: number; readonly run: () => void };

/** Virtual time. If events have the same time, the seed decides their order. */
export type Scheduler = {
  /** Milliseconds since the simulation began; not whole numbers. */
  readonly now: () => number;
  readonly after: (ms: number, run: () => void) => () => void;
  /** Runs the function after all consequences of the current event, and before the next event. */
  readonly afterEvent: (run: () => void) => void;
  /** Runs events in sequence, each with all its consequences, until `isOver`. */
  readonly runUntil: (isOver: () => boolean) => Promise<void>;
  readonly steps: () => number;
};

/**
 * Node reports unhandled rejections only between two turns of its own loop, so the scheduler yields one now and then.
 */
const STEPS_IN_A_TURN = 250;

const comesBefore = (one: Event, other: Event): boolean =>
  one.at < other.at ||
  (one.at === other.at && (one.tie < other.tie || (one.tie === other.tie && one.order < other.order)));

/** A world takes ten thousand steps, and a hundred times as many if it waits in vain. */
const MAX_STEPS = 1_000_000;

export const createScheduler = (random: Random, turn: (run: () => void) => void): Scheduler => {
  const heap: Event[] = [];
  const cancelled = new Set<Event>();
  let after_event: (() => void)[] = [];
  let [now, order, steps] = [0, 0, 0];

  const push = (event: Event): void => {
    let at = heap.push(event) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const other = heap[above];
      if (other === undefined || !comesBefore(event, other)) break;
      heap[at] = other;
      at = above;
    }
    heap[at] = event;
  };

  const pop = (): Event | undefined => {
    const [first, last] = [heap[0], heap.pop()];
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      if (one === undefined) break;
      const [below, lower] = other !== undefined && comesBefore(other, one) ? [left + 1, other] : [left, one];
      if (!comesBefore(lower, last)) break;
      heap[at] = lower;
      at = below;
    }
    heap[at] = last;
    return first;
  };

  const next = (): Event | undefined => {
    for (let event = pop(); event !== undefined; event = pop()) if (!cancelled.delete(event)) return event;
    return undefined;
  };

  return {
    now: () => now,
    after: (ms, run) => {
      order += 1;
      const event = { at: now + Math.max(0, ms), tie: random.next(), order, run };
      push(event);
      return () => {
        cancelled.add(event);
      };
    },
    afterEvent: (run) => {
      after_event.push(run);
    },
    steps: () => steps,
    runUntil: (isOver) =>
      new Promise((resolve, reject) => {
        const step = (): void => {
          try {
            if (after_event.length > 0) {
              const all = after_event;
              after_event = [];
              for (const run of all) run();
            } else {
              const event = isOver() ? undefined : next();
              if (event === undefined) {
                resolve();
                return;
              }
              now = event.at;
              steps += 1;
              if (steps > MAX_STEPS) throw new Error(`the clock is stuck at ${now} ms: a loop that waits for nothing`);
              event.run();
            }
          } catch (error) {
            reject(error);
            return;
          }
          // A tick begins only when no microtask is left, so the event has had all its consequences.
          if (steps % STEPS_IN_A_TURN === 0) queueMicrotask(() => process.nextTick(() => turn(step)));
          else queueMicrotask(() => process.nextTick(step));
        };
        process.nextTick(step);
      }),
  };
};
