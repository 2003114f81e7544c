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

/** `too_many_of_account` also if the still gave way to one of an account with fewer. */
export type StillQueueRefusal = 'too_many' | 'too_many_of_account' | 'given_up';

/**
 * The account with the most stills in a full queue. Its newest still makes room for one of `account_id`. Null if it would
 * then have fewer than that account.
 *
 * @param waiting the number of stills of each account
 */
export const accountThatGivesWay = (waiting: ReadonlyMap<string, number>, account_id: string): string | null => {
  const own = waiting.get(account_id) ?? 0;
  const [most = null] = [...waiting].toSorted(([, a], [, b]) => b - a);
  return most !== null && most[1] > own + 1 ? most[0] : null;
};

/** The places of stills that wait for their turn, by account. The newest is the last. */
const openPlaces = () => {
  const places = new Map<string, readonly AbortController[]>();
  const placesOf = (account_id: string) => places.get(account_id) ?? [];
  return {
    take: (account_id: string): AbortController => {
      const place = new AbortController();
      places.set(account_id, [...placesOf(account_id), place]);
      return place;
    },
    leave: (account_id: string, place: AbortController): void => {
      const others = placesOf(account_id).filter((one) => one !== place);
      if (others.length > 0) places.set(account_id, others);
      else places.delete(account_id);
    },
    counts: (): ReadonlyMap<string, number> => new Map([...places].map(([id, { length }]) => [id, length])),
    /** Ends the wait of the newest still of an account. */
    endNewest: (account_id: string): void => placesOf(account_id).at(-1)?.abort(),
  };
};

export const openStillQueue = (limits: StillQueueLimits = STILL_QUEUE_LIMITS): StillQueue => {
  const { at_once } = limits;
  const slots = openAccountSlots({ at_once, at_once_per_account: at_once, at_once_reserved: 1 });
  const places = openPlaces();
  const queuedByAccount = new Map<string, number>();
  const change = (account_id: string, by: number): void => {
    const now = (queuedByAccount.get(account_id) ?? 0) + by;
    if (now > 0) queuedByAccount.set(account_id, now);
    else queuedByAccount.delete(account_id);
  };
  /** False if the queue is full, and no account gives way. */
  const makeRoom = (account_id: string): boolean => {
    if (slots.waiting() < limits.most_waiting) return true;
    const loudest = accountThatGivesWay(places.counts(), account_id);
    if (loudest === null) return false;
    places.endNewest(loudest);
    return true;
  };
  return {
    run: async (account_id, signal, draw) => {
      if ((queuedByAccount.get(account_id) ?? 0) >= limits.most_waiting_per_account)
        return E.left('too_many_of_account');
      if (!makeRoom(account_id)) return E.left('too_many');
      change(account_id, 1);
      const place = places.take(account_id);
      try {
        const run = async (): Promise<E.Either<StillQueueRefusal, Awaited<ReturnType<typeof draw>>>> => {
          places.leave(account_id, place);
          return E.right(await draw());
        };
        const wait = AbortSignal.any([signal, place.signal]);
        return await slots.inSlot(account_id, wait, run, () => {
          places.leave(account_id, place);
          return E.left(place.signal.aborted ? 'too_many_of_account' : 'given_up');
        });
      } finally {
        change(account_id, -1);
      }
    },
    running: slots.running,
    waiting: slots.waiting,
  };
};
