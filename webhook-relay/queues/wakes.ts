import type { Clock } from '../../platform/process/clock.ts';

export type QueueClock = Pick<Clock, 'now' | 'after'>;

/** Timers that wait for longer than 2^31 ms end at once; and a clock may be set meanwhile. */
const MOST_WAIT_MS = 60_000;

/** Times that were replaced are thrown out together, once they are more than the others. */
const STALE_KEPT = 1_000;

/** Wakes things up at their times. However many they are, one timer runs. */
export type Wakes<A> = {
  /** Replaces the former time; null: not at all. */
  readonly set: (thing: A, at: number | null) => void;
  readonly clear: () => void;
};

type Entry<A> = { readonly at: number; readonly thing: A };

/** A binary heap, the earliest first. */
const push = <A>(heap: Entry<A>[], entry: Entry<A>): void => {
  let index = heap.length;
  heap.push(entry);
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || parent.at <= entry.at) break;
    heap[index] = parent;
    heap[above] = entry;
    index = above;
  }
};

const pop = <A>(heap: Entry<A>[]): void => {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const [a, b] = [heap[left], heap[left + 1]];
    const [least, child] = b !== undefined && a !== undefined && b.at < a.at ? [left + 1, b] : [left, a];
    if (child === undefined || child.at >= last.at) break;
    heap[index] = child;
    index = least;
  }
  heap[index] = last;
};

/** @param wake is told of everything whose time has come, once for each time */
export const createWakes = <A>(clock: QueueClock, wake: (things: readonly A[]) => void): Wakes<A> => {
  const heap: Entry<A>[] = [];
  const times = new Map<A, number>();
  let timer: { readonly at: number; readonly cancel: () => void } | null = null;

  const isStale = ({ thing, at }: Entry<A>): boolean => times.get(thing) !== at;
  const first = (): Entry<A> | undefined => {
    for (;;) {
      const [entry] = heap;
      if (entry === undefined || !isStale(entry)) return entry;
      pop(heap);
    }
  };
  const compact = (): void => {
    if (heap.length <= 2 * times.size + STALE_KEPT) return;
    heap.length = 0;
    for (const [thing, at] of times) push(heap, { at, thing });
  };
  const arm = (): void => {
    const entry = first();
    if (timer !== null && entry?.at === timer.at) return;
    timer?.cancel();
    timer = null;
    if (entry === undefined) return;
    const wait_ms = Math.min(Math.max(0, entry.at - clock.now()), MOST_WAIT_MS);
    timer = { at: entry.at, cancel: clock.after(wait_ms, ring) };
  };
  const ring = (): void => {
    timer = null;
    const due: A[] = [];
    for (let entry = first(); entry !== undefined && entry.at <= clock.now(); entry = first()) {
      pop(heap);
      times.delete(entry.thing);
      due.push(entry.thing);
    }
    if (due.length > 0) wake(due);
    arm();
  };

  return {
    set: (thing, at) => {
      if (times.get(thing) === (at ?? undefined)) return;
      if (at === null) times.delete(thing);
      else {
        times.set(thing, at);
        push(heap, { at, thing });
        compact();
      }
      arm();
    },
    clear: () => {
      timer?.cancel();
      timer = null;
      heap.length = 0;
      times.clear();
    },
  };
};
