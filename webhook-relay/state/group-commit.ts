import { setTimeout as pause } from 'node:timers/promises';
import { isAway } from '../../platform/read-store/store-faults.ts';

/** A write that waits for its turn. */
type Waiting<W, R> = {
  readonly write: W;
  readonly size: Size;
  readonly done: (result: R) => void;
  /** Its caller does not wait for it any more. */
  given_up: boolean;
  failures: number;
};

/** What a write adds to a transaction. */
export type Size = { readonly documents: number; readonly bytes: number };

export type GroupCommit<W, R> = {
  /** Tries until it is done; rejects with the reason of `stop` once that aborts, whether or not it is done later. */
  readonly put: (write: W, size: Size, stop: AbortSignal) => Promise<R>;
  readonly waiting: () => number;
};

export type GroupCommitParts<W, R> = {
  /** All or nothing; gives the result of each, in their order. */
  readonly commit: (writes: readonly W[]) => Promise<readonly R[]>;
  /** Of one transaction; a single write may be larger. */
  readonly most: Size;
  readonly on_failure: (error: unknown, writes: number) => void;
};

const FIRST_MS = 50;
const LONGEST_MS = 2_000;

const waitAfter = (failures: number): number => Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 10));

/** The first of those that wait, and as many after it as a transaction may hold. What was refused goes alone. */
const firstGroup = <W, R>(waiting: readonly Waiting<W, R>[], most: Size): readonly Waiting<W, R>[] => {
  if ((waiting[0]?.failures ?? 0) > 0) return waiting.slice(0, 1);
  let documents = 0;
  let bytes = 0;
  const end = waiting.findIndex(({ size, failures }, i) => {
    documents += size.documents;
    bytes += size.bytes;
    return i > 0 && (failures > 0 || documents > most.documents || bytes > most.bytes);
  });
  return end === -1 ? waiting : waiting.slice(0, end);
};

/**
 * One transaction at a time; what is put meanwhile goes together in the next, since a transaction costs several times
 * what a write in it costs. Where the server refuses a group, it is halved until only the write that it refuses is left:
 * that one is tried again later and delays no other. Where the server is away, everything waits.
 */
export const createGroupCommit = <W, R>({ commit, most, on_failure }: GroupCommitParts<W, R>): GroupCommit<W, R> => {
  let waiting: readonly Waiting<W, R>[] = [];
  let busy = false;
  let away = 0;

  const later = (one: Waiting<W, R>): void => {
    one.failures += 1;
    setTimeout(() => {
      waiting = [...waiting, one];
      void pump();
    }, waitAfter(one.failures));
  };

  const settle = async (group: readonly Waiting<W, R>[]): Promise<void> => {
    try {
      const results = await commit(group.map(({ write }) => write));
      away = 0;
      for (const [i, { done }] of group.entries()) {
        const result = results[i];
        if (result !== undefined) done(result);
      }
    } catch (error) {
      on_failure(error, group.length);
      const [one, ...others] = group;
      if (one === undefined) return;
      if (isAway(error)) {
        waiting = [...group, ...waiting];
        away += 1;
        await pause(waitAfter(away));
      } else if (others.length === 0) {
        later(one);
      } else {
        const half = Math.ceil(group.length / 2);
        await settle(group.slice(0, half));
        await settle(group.slice(half));
      }
    }
  };

  const pump = async (): Promise<void> => {
    if (busy) return;
    busy = true;
    // What comes in the same turn of the event loop goes together.
    await Promise.resolve();
    for (;;) {
      waiting = waiting.filter(({ given_up }) => !given_up);
      if (waiting.length === 0) break;
      const group = firstGroup(waiting, most);
      waiting = waiting.slice(group.length);
      await settle(group);
    }
    busy = false;
  };

  return {
    put: async (write, size, stop) => {
      stop.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<R>();
      const one: Waiting<W, R> = { write, size, done: resolve, given_up: false, failures: 0 };
      const giveUp = (): void => {
        one.given_up = true;
        reject(stop.reason);
      };
      stop.addEventListener('abort', giveUp, { once: true });
      waiting = [...waiting, one];
      void pump();
      try {
        return await promise;
      } finally {
        stop.removeEventListener('abort', giveUp);
      }
    },
    waiting: () => waiting.length,
  };
};
