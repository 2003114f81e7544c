import { balanceCredits, type CreditLimit, type LedgerShare } from './balance.ts';
import { type Holds, heldCredits } from './holds.ts';

/*
 * Several processes accept renders of one account. Each does so out of a lease: credits that no other may spend. What
 * all leases allow is never more than the ledger has left. Why that is so: ADR 58.
 */

/** Covers all that its owner holds and the ledger did not show when the lease was written, and a slice beyond it. */
export type Lease = {
  readonly owner: string;
  readonly credits: number;
  /** Its owner accepts nothing out of it after that, ms by the clock of the store. */
  readonly until: number;
};

/** The leases of one account, and up to where the ledger was read when they were last written. */
export type Leases = {
  readonly leases: readonly Lease[];
  readonly seen: readonly Pick<LedgerShare, 'partition' | 'offset'>[];
};

export const NO_LEASES: Leases = { leases: [], seen: [] };

/** How long a lease is used. */
export const LEASE_MS = 10_000;
/** Its owner stops that much sooner, so that it has stopped before it is over for others. */
export const LEASE_MARGIN_MS = 2_000;
/**
 * An append that began under a lease takes at most 25 s to be told of, and what was not told of is in the log a minute
 * later, or never will be. The rest is for the nodes of a store that fails over, whose clocks differ.
 */
const LATE_APPEND_MS = 100_000;
/** A slice is one of so many parts of what is free, or the price that is asked for. */
const SLICES = 8;

/** What a process knows when it writes its lease. */
export type LeaseAsk = {
  readonly owner: string;
  readonly limit: CreditLimit;
  /** Its holds beside the ledger as it was read after `leases`. */
  readonly known: Holds;
  /** Everything appended before that is in that ledger, ms by the clock of the store. */
  readonly caught_up_at: number;
  readonly leases: Leases;
  /** What the requests that wait need, each by itself, beyond what is held already; none where nobody waits. */
  readonly needs: readonly number[];
  /**
   * When that ledger was read, ms by the clock of the store. The owner counts the time of its new lease from before that, by its
   * own clock.
   */
  readonly read_at: number;
};

export type LeaseDecision = {
  /** Credits that the ledger has left beside the holds of this process; what others lease is in them. May be negative. */
  readonly left: number;
  readonly leased_by_others: number;
  /** Whether the new lease is enough for one of the needs. */
  readonly is_granted: boolean;
  /** What may be accepted out of it. */
  readonly slice: number;
  /** Null where they stay as they are. */
  readonly write: Leases | null;
};

/** A ledger that is older than the one by which the leases were written says nothing of them. */
const isOlder = (shares: ReadonlyMap<number, LedgerShare>, { seen }: Leases): boolean =>
  seen.some(({ partition, offset }) => (shares.get(partition)?.offset ?? -1) < offset);

/**
 * Null where the ledger is older than what the leases were written by: it has to be read again.
 *
 * A lease is over once the ledger shows all that can have been appended under it: not by the time alone.
 */
export const decideLease = (ask: LeaseAsk): LeaseDecision | null => {
  const { owner, limit, known, caught_up_at, leases, needs, read_at } = ask;
  if (isOlder(known.shares, leases)) return null;
  const own = leases.leases.find((lease) => lease.owner === owner);
  const until = read_at + LEASE_MS;
  // Later than a lease that is written now: the store's clock was put back, or the owner is of an older version, with a clock of its own.
  const is_any_ahead = leases.leases.some((lease) => lease.until > until);
  const others = leases.leases
    .filter((lease) => lease.owner !== owner && caught_up_at < lease.until + LATE_APPEND_MS)
    .map((lease) => (lease.until > until ? { ...lease, until } : lease));
  const held = heldCredits(known);
  const left = balanceCredits(limit.granted_credits, known.shares.values()) - held;
  const leased_by_others = others.reduce((sum, { credits }) => sum + credits, 0);
  const free = left - leased_by_others;
  const smallest = needs.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...needs);
  const is_granted = free >= smallest;
  const slice = is_granted ? Math.min(free, Math.max(...needs, Math.floor(free / SLICES))) : 0;
  const credits = held + slice;
  const outcome = { left, leased_by_others, is_granted, slice };
  // What is held is leased whatever is left: its lease may have been lost with the store.
  if (!is_granted && (own?.credits ?? 0) === credits && !is_any_ahead) return { ...outcome, write: null };
  const seen = [...known.shares.values()].map(({ partition, offset }) => ({ partition, offset }));
  return {
    ...outcome,
    write: { leases: credits === 0 ? others : [...others, { owner, credits, until }], seen },
  };
};
