import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import {
  decideHold,
  evolveHolds,
  type HoldEvent,
  type Holds,
  type LogPosition,
  NO_HOLDS,
  unsureRenders,
} from '../../domain/credits/holds.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Ledger } from './ledger.ts';

/** A reservation of credits, or of a place, for a render. Exactly one of the three is called, once. */
export type Reservation = {
  /** The event was appended at this position. */
  readonly placed: (place: LogPosition) => void;
  /** The event was not appended, and will not be. */
  readonly released: () => void;
  /** It is unknown whether the event was appended. */
  readonly unsure: () => void;
};

export type Credits = {
  /**
   * Reserves the price of a render, so that no two requests of this process spend the same credits. The caller must
   * settle the reservation. `payment_required` says price and what is left; rejects when the store does not answer.
   */
  readonly reserve: (
    account_id: string,
    render_id: string,
    credits: number,
  ) => Promise<E.Either<ApiError, Reservation>>;
};

const MOST_ACCOUNTS = 10_000;
/** A projector that is further behind is an incident. */
const REMEMBERED_MS = 15 * 60_000;
const MOST_HOLDS = 10_000;
/** An append without an answer is in the log by then, or never will be. */
const UNSURE_MS = 60_000;
const MOST_LOOKED_FOR = 100;
const RETRY_AFTER_S = 1;

const NOTHING_RESERVED: Reservation = { placed: () => undefined, released: () => undefined, unsure: () => undefined };

const TOO_FAR_BEHIND: ApiError = {
  tag: 'unavailable',
  message: 'too many renders of this account are on their way; nothing happened, try again',
  retry_after_s: RETRY_AFTER_S,
};

const notEnough = (price: number, left: number): ApiError => ({
  tag: 'payment_required',
  message: `not enough credits: this render costs ${price}, and ${Math.max(0, left)} ${left === 1 ? 'is' : 'are'} left`,
});

/**
 * The credits of all accounts, as this process knows them: the ledger, and the holds that it does not show yet.
 *
 * @param places positions of accepted requests that the read model has
 */
export const openCredits = (
  ledger: Ledger,
  places: (render_ids: readonly string[]) => Promise<ReadonlyMap<string, LogPosition>>,
  clock: Clock,
): Credits => {
  const accounts = new LRUCache<string, Holds>({
    max: MOST_ACCOUNTS,
    ttl: REMEMBERED_MS,
    perf: { now: clock.monotonic },
  });

  const knownOf = (account_id: string): Holds => accounts.get(account_id) ?? NO_HOLDS;
  const happened = (account_id: string, events: readonly HoldEvent[]): void => {
    if (events.length > 0) accounts.set(account_id, events.reduce(evolveHolds, knownOf(account_id)));
  };

  /** Reads what the ledger shows now, and finds renders whose append had no answer. False while there is no ledger. */
  const brought = async (account_id: string): Promise<boolean> => {
    const unsure = unsureRenders(knownOf(account_id)).slice(0, MOST_LOOKED_FOR);
    // Before the ledger is read: a render that is found here is then in that ledger.
    const found = unsure.length === 0 ? [] : [...(await places(unsure))];
    const shares = await ledger.shares(account_id);
    if (shares === null) return false;
    const placed = found.map(([render_id, place]): HoldEvent => ({ type: 'HoldPlaced', render_id, place }));
    happened(account_id, [...placed, { type: 'LedgerSeen', shares, at: clock.now() }]);
    return true;
  };

  const reservationOf = (account_id: string, render_id: string): Reservation => {
    let told = false;
    const tell = (event: HoldEvent): void => {
      if (!told) happened(account_id, [event]);
      told = true;
    };
    return {
      placed: (place) => tell({ type: 'HoldPlaced', render_id, place }),
      released: () => tell({ type: 'HoldReleased', render_id }),
      unsure: () => tell({ type: 'HoldUnsure', render_id, until: clock.now() + UNSURE_MS }),
    };
  };

  return {
    reserve: async (account_id, render_id, credits) => {
      const limit = await ledger.limit(account_id);
      if (limit.unlimited_credits || !(await brought(account_id))) return E.right(NOTHING_RESERVED);
      // Synchronous from here to the hold, so no other request of this process comes between.
      const known = knownOf(account_id);
      if (known.holds.size >= MOST_HOLDS) return E.left(TOO_FAR_BEHIND);
      const decided = decideHold(limit, known, { render_id, credits });
      if (E.isLeft(decided)) return E.left(notEnough(decided.left.price_credits, decided.left.left_credits));
      happened(account_id, decided.right);
      return E.right(reservationOf(account_id, render_id));
    },
  };
};
