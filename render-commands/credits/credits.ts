import * as E from 'fp-ts/lib/Either.js';
import { LRUCache } from 'lru-cache';
import { additionalCredits } from '../../domain/credits/holds.ts';
import type { CreditLeaseDecision } from '../../domain/credits/lease.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { runRepeatedly } from '../../platform/process/repeatedly.ts';
import { withTimeout } from '../../platform/process/within.ts';
import { coalesceReads } from '../../platform/read-store/shared-read.ts';
import { type AccountCredits, holdCredits, newAccountCredits, reservationOf } from './account-credits.ts';
import { CREDITS_LEASED_ERROR, notEnoughCreditsError, TOO_MANY_RESERVATIONS_ERROR } from './credit-errors.ts';
import { type LeaseRenewalDependencies, renewLease } from './lease-renewal.ts';
import { ledgerCheck } from './ledger-check.ts';
import { NO_RESERVATION, type RenderReservation } from './reservation.ts';

export type CreditReservations = {
  /**
   * Reserves the price of a render, so that no two requests in any process spend the same credits. The caller must
   * settle the reservation. `payment_required` has the price and the remaining credits; `unavailable` means that these
   * are unknown. Rejects when the store does not answer.
   */
  readonly reserve: (
    account_id: string,
    render_id: string,
    credits: number,
  ) => Promise<E.Either<ApiError, RenderReservation>>;
  /** Returns the leased credits. Waits up to 5 s for the ledger to show the last renders. */
  readonly stop: () => Promise<void>;
};

const MAX_ACCOUNTS = 10_000;
/** How long an unused account stays in memory: longer than any normal lag of the projectors. */
const REMEMBERED_MS = 15 * 60_000;
const MAX_HOLDS = 10_000;

/** How long a request waits for credits that other processes have leased and may return. */
const LEASE_WAIT_MS = 3_000;
const LEASE_PAUSE_MS = 50;
const GIVE_BACK_EVERY_MS = 150;
/** The longest pause between attempts to return a lease, while the ledger does not show the held credits yet. */
const MAX_GIVE_BACK_PAUSE_MS = 2_000;
const MAX_GIVEN_BACK_AT_ONCE = 32;
/** How long a stopping process waits until the ledger shows its last renders, so that it can return their credits. */
const STOP_MS = 5_000;

export type CreditReservationDependencies = LeaseRenewalDependencies & {
  readonly most_lag_s: number;
  readonly onFailure: (error: unknown) => void;
};

/** The credits of all accounts as this process sees them: the ledger, its own holds, and its leases. */
export const openCreditReservations = (parts: CreditReservationDependencies): CreditReservations => {
  const { ledger, clock, onFailure } = parts;
  const accounts = new LRUCache<string, AccountCredits>({
    max: MAX_ACCOUNTS,
    ttl: REMEMBERED_MS,
    updateAgeOnGet: true,
    perf: { now: clock.monotonic },
    memoMethod: () => newAccountCredits(clock),
  });

  const renew = coalesceReads((account_id) => renewLease(parts, account_id, accounts.memo(account_id)));
  const ledgerFault = ledgerCheck(ledger, parts.most_lag_s, clock);

  const renewFor = async (account_id: string, account: AccountCredits, need: number) => {
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
    for (let judged: CreditLeaseDecision | 'busy' | undefined; ; ) {
      const account = accounts.memo(account_id);
      if (account.holds.holds.size >= MAX_HOLDS) return E.left(TOO_MANY_RESERVATIONS_ERROR);
      const need = additionalCredits(account.holds, render_id, price);
      if (holdCredits(account, { render_id, credits: price, need }, clock))
        return E.right(reservationOf(account, render_id));
      if (judged !== undefined) {
        if (judged !== 'busy' && need > judged.left) return E.left(notEnoughCreditsError(price, judged.left));
        if (clock.monotonic() >= end) return E.left(CREDITS_LEASED_ERROR);
        if (judged === 'busy' || !judged.is_granted) await clock.sleep(LEASE_PAUSE_MS * (0.5 + Math.random()));
      }
      const renewed = await renewFor(account_id, account, need);
      if (renewed === null) return E.right(NO_RESERVATION);
      judged = renewed;
    }
  };

  const giveBack = async (of: (account: AccountCredits) => boolean): Promise<void> => {
    const idle = [...accounts.entries()].filter(([, account]) => account.leased && of(account));
    const looked = idle.slice(0, MAX_GIVEN_BACK_AT_ONCE).map(async ([account_id, account]) => {
      const pause_ms = Math.max(GIVE_BACK_EVERY_MS, Math.min(MAX_GIVE_BACK_PAUSE_MS, 2 * account.give_back_pause_ms));
      account.give_back_pause_ms = pause_ms;
      account.give_back_at = clock.monotonic() + pause_ms;
      await renew(account_id);
    });
    await Promise.all(looked);
  };

  const givingBack = runRepeatedly(
    clock,
    GIVE_BACK_EVERY_MS,
    () => giveBack(({ give_back_at }) => clock.monotonic() >= give_back_at),
    onFailure,
  );

  /** A lease covers the holds until the ledger shows them, so one attempt may not return all of it. */
  const returnLeases = async (): Promise<void> => {
    const end = clock.monotonic() + STOP_MS;
    const isAnyLeased = () => [...accounts.values()].some(({ leased }) => leased);
    while (isAnyLeased() && clock.monotonic() < end) {
      await giveBack(() => true);
      if (isAnyLeased()) await clock.sleep(GIVE_BACK_EVERY_MS);
    }
  };

  return {
    reserve: async (account_id, render_id, credits) => {
      const limit = await ledger.limit(account_id);
      if (limit.unlimited_credits) return E.right(NO_RESERVATION);
      const fault = await ledgerFault(render_id);
      return fault === null ? await reserve(account_id, render_id, credits) : E.left(fault);
    },
    stop: async () => {
      await givingBack.stop();
      await withTimeout(STOP_MS, returnLeases().catch(onFailure), () => undefined, clock);
    },
  };
};
