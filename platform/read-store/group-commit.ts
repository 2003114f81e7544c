import type { Clock } from '../process/clock.ts';
import { BACK_OFF } from '../process/retry.ts';
import { isAway } from './store-faults.ts';

/** What a write adds to a transaction. */
export type Size = { readonly documents: number; readonly bytes: number };

export type GroupCommit<W, R> = {
  /**
   * Tries until it is done. Rejects with a fault that no other try mends, and with the reason of `signal` once that
   * aborts: a write that waits is dropped, one whose transaction is under way may be done all the same.
   */
  readonly put: (write: W, size: Size, signal: AbortSignal) => Promise<R>;
  readonly waiting: () => number;
  /** Resolves when the transaction that is under way has ended. */
  readonly idle: () => Promise<void>;
};

export type GroupCommitParts<W, R> = {
  /** All or nothing; gives the result of each, in their order. */
  readonly commit: (writes: readonly W[]) => Promise<readonly R[]>;
  /** Of one transaction; a single write may be larger. */
  readonly most: Size;
  /** Whether a fault of one write is permanent, so that its caller gets it; no fault is, if left out. */
  readonly isPermanent?: (error: unknown) => boolean;
  /** It is tried again. */
  readonly on_failure: (error: unknown, writes: readonly W[]) => void;
  readonly clock: Clock;
};

/** A write that waits for its turn. */
type Waiting<W, R> = {
  readonly write: W;
  readonly size: Size;
  readonly done: (result: R) => void;
  readonly failed: (error: unknown) => void;
  /** Its caller does not wait for it any more. */
  dropped: boolean;
  failures: number;
};

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
export const createGroupCommit = <W, R>(parts: GroupCommitParts<W, R>): GroupCommit<W, R> => {
  const { commit, most, isPermanent = () => false, on_failure, clock } = parts;
  let waiting: readonly Waiting<W, R>[] = [];
  let settling: Promise<void> = Promise.resolve();
  let is_settling = false;
  /** Commits in a row that found the server away. */
  let away = 0;

  const later = (one: Waiting<W, R>): void => {
    one.failures += 1;
    clock.after(BACK_OFF(one.failures), () => {
      waiting = [...waiting, one];
      void settleAll();
    });
  };

  const settle = async (of_group: readonly Waiting<W, R>[]): Promise<void> => {
    const group = of_group.filter(({ dropped }) => !dropped);
    const [one, ...others] = group;
    if (one === undefined) return;
    const writes = group.map(({ write }) => write);
    try {
      const results = await commit(writes);
      away = 0;
      for (const [i, { done }] of group.entries()) {
        const result = results[i];
        if (result !== undefined) done(result);
      }
    } catch (error) {
      const is_permanent = isPermanent(error);
      if (is_permanent && others.length === 0) return one.failed(error);
      if (!is_permanent) on_failure(error, writes);
      if (isAway(error)) {
        waiting = [...group, ...waiting];
        away += 1;
      } else if (others.length === 0) {
        later(one);
      } else {
        const half = Math.ceil(group.length / 2);
        await settle(group.slice(0, half));
        await settle(group.slice(half));
      }
    }
  };

  const settleAll = async (): Promise<void> => {
    if (is_settling) return;
    is_settling = true;
    // What comes in the same turn of the event loop goes together.
    await Promise.resolve();
    while (waiting.length > 0) {
      const group = firstGroup(waiting, most);
      waiting = waiting.slice(group.length);
      settling = settle(group);
      await settling;
      if (away > 0) await clock.sleep(BACK_OFF(away));
    }
    is_settling = false;
  };

  return {
    put: async (write, size, signal) => {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<R>();
      const one: Waiting<W, R> = { write, size, done: resolve, failed: reject, dropped: false, failures: 0 };
      const drop = (): void => {
        one.dropped = true;
        waiting = waiting.filter((other) => other !== one);
        reject(signal.reason);
      };
      signal.addEventListener('abort', drop, { once: true });
      waiting = [...waiting, one];
      void settleAll();
      try {
        return await promise;
      } finally {
        signal.removeEventListener('abort', drop);
      }
    },
    waiting: () => waiting.length,
    idle: async () => await settling,
  };
};
