import { randomUUID } from 'node:crypto';
import { evolveHolds, type HoldEvent, type Holds, NO_HOLDS } from '../../domain/credits/holds.ts';
import { CREDIT_LEASE_MARGIN_MS, CREDIT_LEASE_MS } from '../../domain/credits/lease.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { RenderReservation } from './reservation.ts';

/** A process returns a lease that it did not use for this long. */
const IDLE_MS = 300;

/**
 * Until when a lease may be used, by two clocks of this process; the earlier one counts. The monotonic clock stops
 * while a machine is suspended, and the wall clock may be adjusted.
 */
type UseTime = { readonly ends_at: number; readonly wall_ends_at: number };

const USE_MS = CREDIT_LEASE_MS - CREDIT_LEASE_MARGIN_MS;

/** How long a lease may be used if its write begins now. */
export const leaseUseTimeFromNow = (clock: Clock): UseTime => ({
  ends_at: clock.monotonic() + USE_MS,
  wall_ends_at: clock.now() + USE_MS,
});

type LeaseInUse = UseTime & { budget: number };

export type AccountCredits = {
  /**
   * The owner of this process's leases of the account. An account that was evicted from memory returns with a new
   * owner. Its former leases then expire like those of a dead process.
   */
  readonly owner: string;
  holds: Holds;
  /** The lease whose credits may be held; null while no lease is valid, or while one is being written. */
  lease: LeaseInUse | null;
  leased: boolean;
  give_back_at: number;
  give_back_pause_ms: number;
  /** The credits that each waiting request needs. */
  readonly needs: Map<symbol, number>;
};

export const newAccountCredits = (clock: Clock): AccountCredits => ({
  ...{ owner: randomUUID(), holds: NO_HOLDS, needs: new Map() },
  ...{ lease: null, leased: false, give_back_at: clock.monotonic(), give_back_pause_ms: 0 },
});

export const applyHoldEvents = (account: AccountCredits, events: readonly HoldEvent[]): void => {
  account.holds = events.reduce(evolveHolds, account.holds);
};

export type WantedCredits = {
  readonly render_id: string;
  readonly credits: number;
  /** How much of the lease's budget the hold takes. Less than `credits` if the render already holds some. */
  readonly need: number;
};

/**
 * Holds credits of the lease for a render. False if the lease does not cover them.
 *
 * The function is synchronous, so no other request of this process runs between the check of the lease and the hold.
 */
export const holdCredits = (
  account: AccountCredits,
  { render_id, credits, need }: WantedCredits,
  clock: Clock,
): boolean => {
  const { lease } = account;
  if (lease === null || clock.monotonic() >= lease.ends_at || clock.now() >= lease.wall_ends_at) return false;
  if (lease.budget < need) return false;
  lease.budget -= need;
  account.give_back_pause_ms = 0;
  account.give_back_at = clock.monotonic() + IDLE_MS;
  applyHoldEvents(account, [{ type: 'CreditsHeld', render_id, credits }]);
  return true;
};

export const reservationOf = (account: AccountCredits, render_id: string): RenderReservation => {
  let is_settled = false;
  const settle = (event: HoldEvent): void => {
    if (!is_settled) applyHoldEvents(account, [event]);
    is_settled = true;
  };
  return {
    confirm: (place) => settle({ type: 'HoldPlaced', render_id, place }),
    release: () => settle({ type: 'HoldReleased', render_id }),
    markUnknown: () => settle({ type: 'HoldUnsure', render_id }),
  };
};
