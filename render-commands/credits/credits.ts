import { randomUUID } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import {
  evolveHolds,
  type HoldEvent,
  type Holds,
  type LogPosition,
  NO_HOLDS,
  neededCredits,
  unsureRenders,
} from '../../domain/credits/holds.ts';
import { decideLease, LEASE_MARGIN_MS, LEASE_MS, type LeaseDecision } from '../../domain/credits/lease.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { repeatedly } from '../../platform/process/repeatedly.ts';
import { within } from '../../platform/process/within.ts';
import { sharedRead } from '../../platform/read-store/shared-read.ts';
import type { CreditLeases } from '../../read-models/limits/credit-leases.ts';
import type { LedgerView } from '../../read-models/renders/account-renders.ts';
import type { Ledger } from './ledger.ts';

/** A reservation of credits, or of a place, for a render. The caller calls exactly one of the three, once. */
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
   * Reserves the price of a render, so that no two requests in any process spend the same credits. The caller must
   * settle the reservation. `payment_required` has the price and the remaining credits; `unavailable` means that these
   * are unknown. Rejects when the store does not answer.
   */
  readonly reserve: (
    account_id: string,
    render_id: string,
    credits: number,
  ) => Promise<E.Either<ApiError, Reservation>>;
  /** Returns leased credits that are not needed. */
  readonly stop: () => Promise<void>;
};

const MAX_ACCOUNTS = 10_000;
/** A projector that lags further behind is an incident. */
const REMEMBERED_MS = 15 * 60_000;
const MAX_HOLDS = 10_000;
const MAX_LOOKED_FOR = 100;
const RETRY_AFTER_S = 1;

/** How long a request waits for credits that other processes have leased and may return. */
const LEASE_WAIT_MS = 3_000;
const LEASE_PAUSE_MS = 50;
/** Tries of a lease write, when other processes write their leases at the same time. */
const MAX_TRIES = 20;
const MAX_TRY_PAUSE_MS = 20;
/** A lease that is unused for this long is returned. */
const IDLE_MS = 300;
const GIVE_BACK_EVERY_MS = 150;
/** Pause while the ledger does not show the held credits yet. */
const MAX_GIVE_BACK_PAUSE_MS = 2_000;
const MAX_GIVEN_BACK_AT_ONCE = 32;
const STOP_MS = 2_000;

/** A new process waits for the ledger's first watermark. */
const FIRST_REPORT_MS = 3_000;
const REPORT_PAUSE_MS = 100;
const LAG_RETRY_AFTER_S = 5;
const MS_PER_S = 1_000;

/**
 * End of a lease's use, by two clocks of this process. The monotonic clock stops while a machine is suspended, and the
 * wall clock may be adjusted.
 */
type UseTime = { readonly ends_at: number; readonly wall_ends_at: number };

const USE_MS = LEASE_MS - LEASE_MARGIN_MS;

const NOTHING_RESERVED: Reservation = { placed: () => undefined, released: () => undefined, unsure: () => undefined };

const unavailable = (message: string, retry_after_s = RETRY_AFTER_S): ApiError => ({
  tag: 'unavailable',
  message: `${message}; nothing happened, try again`,
  retry_after_s,
});

const TOO_FAR_BEHIND = unavailable('too many renders of this account are on their way');
const LEASED_ELSEWHERE = unavailable('the credits of this account are being spent by other requests');

const notEnough = (price: number, left: number): ApiError => ({
  tag: 'payment_required',
  message: `not enough credits: this render costs ${price}, and ${Math.max(0, left)} ${left === 1 ? 'is' : 'are'} left`,
});

type LeaseInUse = UseTime & { budget: number };

type Account = {
  /**
   * An account that was evicted from memory returns with a new owner. Its former leases then expire like those of a
   * dead process.
   */
  readonly owner: string;
  holds: Holds;
  /** Credits of the lease that may be held; null while no lease is in force, or while it is being written. */
  lease: LeaseInUse | null;
  /** Whether the store has the lease. */
  leased: boolean;
  give_back_at: number;
  give_back_pause_ms: number;
  /** Credits needed by the waiting requests. */
  readonly needs: Map<symbol, number>;
};

export type CreditsParts = {
  readonly ledger: Ledger;
  readonly leases: CreditLeases;
  /** Positions of accepted requests that the read model has. */
  readonly places: (render_ids: readonly string[]) => Promise<ReadonlyMap<string, LogPosition>>;
  readonly clock: Clock;
  readonly most_lag_s: number;
  readonly onFailure: (error: unknown) => void;
};

/** The credits of all accounts as this process sees them: the ledger, its own holds, and its leases. */
export const openCredits = ({ ledger, leases, places, clock, most_lag_s, onFailure }: CreditsParts): Credits => {
  const accounts = new LRUCache<string, Account>({
    max: MAX_ACCOUNTS,
    ttl: REMEMBERED_MS,
    updateAgeOnGet: true,
    perf: { now: clock.monotonic },
    memoMethod: () => {
      const nothing_leased = { lease: null, leased: false, give_back_at: clock.monotonic(), give_back_pause_ms: 0 };
      return { owner: randomUUID(), holds: NO_HOLDS, ...nothing_leased, needs: new Map() };
    },
  });

  const happened = (account: Account, events: readonly HoldEvent[]): void => {
    account.holds = events.reduce(evolveHolds, account.holds);
  };

  /** Reads the current ledger, and finds renders whose append had no answer. Null while there is no ledger. */
  const brought = async (account_id: string, account: Account): Promise<LedgerView | null> => {
    const before = account.holds;
    const unsure = unsureRenders(before).slice(0, MAX_LOOKED_FOR);
    // Runs before the read of the ledger: that ledger then includes every render that is found here.
    const found = unsure.length === 0 ? [] : [...(await places(unsure))];
    const view = await ledger.view(account_id);
    if (view === null) return null;
    const placed = found.map(([render_id, place]): HoldEvent => ({ type: 'HoldPlaced', render_id, place }));
    happened(account, placed);
    const { shares, read_at, folded_until: shown_until } = view;
    if (read_at !== null) happened(account, [{ type: 'LedgerSeen', shares, shown_until, read_at, before }]);
    return view;
  };

  /**
   * Renews the lease: the held credits, and a slice for waiting requests. Null while there is no ledger; `busy` while
   * other processes write.
   */
  const renew = sharedRead(async (account_id): Promise<LeaseDecision | 'busy' | null> => {
    const account = accounts.memo(account_id);
    for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
      const limit = await ledger.limit(account_id);
      // Runs before the read of the ledger, which then includes all that other processes returned.
      const before = await leases.find(account_id);
      // Taken before the store sets the start time of the new lease, so the owner stops using it before it expires.
      const use: UseTime = { ends_at: clock.monotonic() + USE_MS, wall_ends_at: clock.now() + USE_MS };
      const view = await brought(account_id, account);
      if (view === null) return null;
      const { read_at, caught_up_at } = view;
      if (read_at === null) return 'busy';
      // No credits are held from here until the lease is written, because neither lease would cover them.
      account.lease = null;
      const needs = [...account.needs.values()];
      const { owner, holds: known } = account;
      const decided = decideLease({ owner, limit, known, caught_up_at, leases: before.leases, needs, read_at });
      if (decided !== null) {
        const { write, is_granted, slice } = decided;
        account.leased ||= write !== null;
        if (write === null || (await leases.replace(account_id, before.version, randomUUID(), write))) {
          if (write !== null) account.leased = write.leases.some((lease) => lease.owner === owner);
          if (is_granted) account.lease = { budget: slice, ...use };
          return decided;
        }
      }
      await clock.sleep(Math.random() * MAX_TRY_PAUSE_MS);
    }
    return 'busy';
  });

  /** Synchronous, so no other request of this process runs between the check of the lease and the hold. */
  const held = (account: Account, render_id: string, credits: number, need: number): boolean => {
    const { lease } = account;
    if (lease === null || clock.monotonic() >= lease.ends_at || clock.now() >= lease.wall_ends_at) return false;
    if (lease.budget < need) return false;
    lease.budget -= need;
    account.give_back_pause_ms = 0;
    account.give_back_at = clock.monotonic() + IDLE_MS;
    happened(account, [{ type: 'CreditsHeld', render_id, credits }]);
    return true;
  };

  const reservationOf = (account: Account, render_id: string): Reservation => {
    let told = false;
    const tell = (event: HoldEvent): void => {
      if (!told) happened(account, [event]);
      told = true;
    };
    return {
      placed: (place) => tell({ type: 'HoldPlaced', render_id, place }),
      released: () => tell({ type: 'HoldReleased', render_id }),
      unsure: () => tell({ type: 'HoldUnsure', render_id }),
    };
  };

  let has_report = false;
  /**
   * Null if the ledger lags little behind the log, in the partition of the render. A stalled partition does not affect
   * others. Its unseen events are covered by holds and leases, which end only after it continues.
   */
  const ledgerFault = async (render_id: string): Promise<ApiError | null> => {
    for (const end = clock.monotonic() + FIRST_REPORT_MS; ; await clock.sleep(REPORT_PAUSE_MS)) {
      const lag_ms = (await ledger.lag())?.(render_id) ?? Number.POSITIVE_INFINITY;
      if (lag_ms <= most_lag_s * MS_PER_S) {
        has_report = true;
        return null;
      }
      if (!has_report && clock.monotonic() < end) continue;
      const far = lag_ms === Number.POSITIVE_INFINITY ? '' : ` ${Math.floor(lag_ms / MS_PER_S)} s`;
      return unavailable(`credits cannot be checked: the ledger is${far} behind the log`, LAG_RETRY_AFTER_S);
    }
  };

  const renewFor = async (account_id: string, account: Account, need: number) => {
    const waiter = Symbol();
    account.needs.set(waiter, need);
    try {
      return await renew(account_id);
    } finally {
      account.needs.delete(waiter);
    }
  };

  const reserve = async (account_id: string, render_id: string, price: number) => {
    const end = clock.monotonic() + LEASE_WAIT_MS;
    for (let judged: LeaseDecision | 'busy' | undefined; ; ) {
      const account = accounts.memo(account_id);
      if (account.holds.holds.size >= MAX_HOLDS) return E.left(TOO_FAR_BEHIND);
      const need = neededCredits(account.holds, render_id, price);
      if (held(account, render_id, price, need)) return E.right(reservationOf(account, render_id));
      if (judged !== undefined) {
        if (judged !== 'busy' && need > judged.left) return E.left(notEnough(price, judged.left));
        if (clock.monotonic() >= end) return E.left(LEASED_ELSEWHERE);
        if (judged === 'busy' || !judged.is_granted) await clock.sleep(LEASE_PAUSE_MS * (0.5 + Math.random()));
      }
      const renewed = await renewFor(account_id, account, need);
      if (renewed === null) return E.right(NOTHING_RESERVED);
      judged = renewed;
    }
  };

  const giveBack = async (of: (account: Account) => boolean): Promise<void> => {
    const idle = [...accounts.entries()].filter(([, account]) => account.leased && of(account));
    const looked = idle.slice(0, MAX_GIVEN_BACK_AT_ONCE).map(async ([account_id, account]) => {
      const pause_ms = Math.max(GIVE_BACK_EVERY_MS, Math.min(MAX_GIVE_BACK_PAUSE_MS, 2 * account.give_back_pause_ms));
      account.give_back_pause_ms = pause_ms;
      account.give_back_at = clock.monotonic() + pause_ms;
      await renew(account_id);
    });
    await Promise.all(looked);
  };

  const givingBack = repeatedly(
    clock,
    GIVE_BACK_EVERY_MS,
    () => giveBack(({ give_back_at }) => clock.monotonic() >= give_back_at),
    onFailure,
  );

  return {
    reserve: async (account_id, render_id, credits) => {
      const limit = await ledger.limit(account_id);
      if (limit.unlimited_credits) return E.right(NOTHING_RESERVED);
      const fault = await ledgerFault(render_id);
      return fault === null ? await reserve(account_id, render_id, credits) : E.left(fault);
    },
    stop: async () => {
      await givingBack.stop();
      await within(STOP_MS, giveBack(() => true).catch(onFailure), () => undefined, clock);
    },
  };
};
