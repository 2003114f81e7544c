import type { Clock } from '../process/clock.ts';
import { exponentialBackOff } from '../process/retry.ts';
import { isServerUnreachable } from './store-faults.ts';

export type WriteSize = { readonly documents: number; readonly bytes: number };

export type GroupCommit<W, R> = {
  /**
   * Rejects with a permanent fault, and with the reason of `signal` when it aborts. A waiting write is then dropped; a
   * write in a running transaction may still be done.
   */
  readonly put: (write: W, size: WriteSize, signal: AbortSignal) => Promise<R>;
  readonly waiting: () => number;
  readonly idle: () => Promise<void>;
};

export type GroupCommitDependencies<W, R> = {
  /** All or nothing. Returns the result of each write, in order. */
  readonly commit: (writes: readonly W[]) => Promise<readonly R[]>;
  /** Limit of one transaction; a single write may be larger. */
  readonly most: WriteSize;
  /** A permanent fault is not retried: the caller of `put` gets it. By default, no fault is permanent. */
  readonly isPermanent?: (error: unknown) => boolean;
  readonly on_failure: (error: unknown, writes: readonly W[]) => void;
  readonly clock: Clock;
};

type Waiting<W, R> = {
  readonly write: W;
  readonly size: WriteSize;
  readonly done: (result: R) => void;
  readonly failed: (error: unknown) => void;
  /** The caller no longer waits for the write. */
  dropped: boolean;
  failures: number;
};

/** The writes of the next transaction. A write that the server has refused gets its own transaction. */
const firstGroup = <W, R>(waiting: readonly Waiting<W, R>[], most: WriteSize): readonly Waiting<W, R>[] => {
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
 * Writes that arrive during a transaction share the next one, because a transaction costs several times as much as a
 * write. If the server refuses a group, the group is halved until only the refused write is left. That write is retried
 * later and delays no other. If the server does not answer, all writes wait.
 */
export const createGroupCommit = <W, R>(parts: GroupCommitDependencies<W, R>): GroupCommit<W, R> => {
  const { commit, most, isPermanent = () => false, on_failure, clock } = parts;
  let waiting: readonly Waiting<W, R>[] = [];
  let settling: Promise<void> = Promise.resolve();
  let is_settling = false;
  /** Consecutive commits without an answer of the server. */
  let away = 0;

  const later = (one: Waiting<W, R>): void => {
    one.failures += 1;
    clock.after(exponentialBackOff(one.failures), () => {
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
      if (isServerUnreachable(error)) {
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
    // Writes of the same turn of the event loop share a transaction.
    await Promise.resolve();
    while (waiting.length > 0) {
      const group = firstGroup(waiting, most);
      waiting = waiting.slice(group.length);
      settling = settle(group);
      await settling;
      if (away > 0) await clock.sleep(exponentialBackOff(away));
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
