import { randomUUID } from 'node:crypto';
import { type HoldEvent, type LogPosition, rendersWithUnknownOutcome } from '../../domain/credits/holds.ts';
import { type CreditLeaseDecision, decideCreditLease } from '../../domain/credits/lease.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { CreditLeases } from '../../read-models/limits/credit-leases.ts';
import type { LedgerView } from '../../read-models/renders/account-renders.ts';
import { type AccountCredits, applyHoldEvents, leaseUseTimeFromNow } from './account-credits.ts';
import type { Ledger } from './ledger.ts';

const MAX_LOOKED_FOR = 100;
/** How often a lease is written: a write fails if another process writes its lease at the same time. */
const MAX_TRIES = 20;
const MAX_TRY_PAUSE_MS = 20;

export type LeaseRenewalDependencies = {
  readonly ledger: Ledger;
  readonly leases: CreditLeases;
  /** The positions of those renders whose accepted requests the read model has. */
  readonly places: (render_ids: readonly string[]) => Promise<ReadonlyMap<string, LogPosition>>;
  readonly clock: Clock;
};

/**
 * Reads the current ledger. Also looks for renders whose append got no answer, and marks those that are in the log.
 * Null while there is no ledger.
 */
const readLedger = async (
  { ledger, places }: LeaseRenewalDependencies,
  account_id: string,
  account: AccountCredits,
): Promise<LedgerView | null> => {
  const before = account.holds;
  const unsure = rendersWithUnknownOutcome(before).slice(0, MAX_LOOKED_FOR);
  // Looks for these renders before the ledger is read, so that the ledger includes every render that is found here.
  const found = unsure.length === 0 ? [] : [...(await places(unsure))];
  const view = await ledger.view(account_id);
  if (view === null) return null;
  const placed = found.map(([render_id, place]): HoldEvent => ({ type: 'HoldPlaced', render_id, place }));
  applyHoldEvents(account, placed);
  const { shares, read_at, folded_until: shown_until } = view;
  if (read_at !== null) applyHoldEvents(account, [{ type: 'LedgerSeen', shares, shown_until, read_at, before }]);
  return view;
};

/**
 * Renews the lease. It covers the held credits, and a slice for waiting requests. Null while there is no ledger; `busy`
 * while other processes write.
 */
export const renewLease = async (
  parts: LeaseRenewalDependencies,
  account_id: string,
  account: AccountCredits,
): Promise<CreditLeaseDecision | 'busy' | null> => {
  const { ledger, leases, clock } = parts;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const limit = await ledger.limit(account_id);
    // Reads the leases before the ledger, so that the ledger includes the renders of all credits that other processes
    // have returned.
    const before = await leases.find(account_id);
    // Starts the time before the store sets the start of the new lease, so that this process stops using the lease
    // before it expires.
    const use = leaseUseTimeFromNow(clock);
    const view = await readLedger(parts, account_id, account);
    if (view === null) return null;
    const { read_at, caught_up_at } = view;
    if (read_at === null) return 'busy';
    // From here until the lease is written, no credits are held: neither the old nor the new lease would cover them.
    account.lease = null;
    const needs = [...account.needs.values()];
    const { owner, holds: known } = account;
    const decided = decideCreditLease({ owner, limit, known, caught_up_at, leases: before.leases, needs, read_at });
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
};
