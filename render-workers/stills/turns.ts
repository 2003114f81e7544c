import { availableParallelism } from 'node:os';
import * as E from 'fp-ts/lib/Either.js';
import { openAccountSlots } from '../queue/account-slots.ts';

export type StillQueueLimits = {
  /** Concurrent stills. One slot is reserved for an account that has no running still. */
  readonly at_once: number;
  readonly most_waiting: number;
  readonly most_waiting_per_account: number;
};

export const STILL_QUEUE_LIMITS: StillQueueLimits = {
  at_once: Math.max(2, availableParallelism()),
  most_waiting: 64,
  most_waiting_per_account: 16,
};

export type StillQueue = {
  /** Left if too many stills wait, or the signal aborts first. */
  readonly run: <A>(
    account_id: string,
    signal: AbortSignal,
    draw: () => Promise<A>,
  ) => Promise<E.Either<StillQueueRefusal, A>>;
  readonly running: () => number;
  readonly waiting: () => number;
};

export type StillQueueRefusal = 'too_many' | 'too_many_of_account' | 'given_up';

export const openStillQueue = (limits: StillQueueLimits = STILL_QUEUE_LIMITS): StillQueue => {
  const { at_once } = limits;
  const slots = openAccountSlots({ at_once, at_once_per_account: at_once, at_once_reserved: 1 });
  const queuedByAccount = new Map<string, number>();
  const change = (account_id: string, by: number): void => {
    const now = (queuedByAccount.get(account_id) ?? 0) + by;
    if (now > 0) queuedByAccount.set(account_id, now);
    else queuedByAccount.delete(account_id);
  };
  return {
    run: async (account_id, signal, draw) => {
      if (slots.waiting() >= limits.most_waiting) return E.left('too_many');
      if ((queuedByAccount.get(account_id) ?? 0) >= limits.most_waiting_per_account)
        return E.left('too_many_of_account');
      change(account_id, 1);
      try {
        const run = async (): Promise<E.Either<StillQueueRefusal, Awaited<ReturnType<typeof draw>>>> =>
          E.right(await draw());
        return await slots.inSlot(account_id, signal, run, () => E.left('given_up'));
      } finally {
        change(account_id, -1);
      }
    },
    running: slots.running,
    waiting: slots.waiting,
  };
};
