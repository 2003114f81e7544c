import { balanceCredits, type CreditLimit, type PartitionLedger } from './balance.ts';
import { creditsOnHold, type Holds } from './holds.ts';

/*
 * Several processes accept renders of one account. Each one spends from a lease: credits that no other process may
 * spend. The sum of all leases never exceeds the ledger's balance; ADR 58 has the proof.
 */

/** `credits` covers the owner's holds at the time of the write, plus a slice for new renders. */
export type CreditLease = {
  readonly owner: string;
  readonly credits: number;
  /** The owner accepts no renders under the lease after this time, ms by the store's clock. */
  readonly until: number;
};

export type AccountCreditLeases = {
  readonly leases: readonly CreditLease[];
  readonly seen: readonly Pick<PartitionLedger, 'partition' | 'offset'>[];
};

export const NO_CREDIT_LEASES: AccountCreditLeases = { leases: [], seen: [] };

export const CREDIT_LEASE_MS = 10_000;
/** The owner stops using a lease this long before its end, so before other processes consider it expired. */
export const CREDIT_LEASE_MARGIN_MS = 2_000;
/**
 * A lease still counts for this time after its end, because of late appends. An append has an answer within 25 s. An
 * append without an answer is in the log within a further minute, or never. The rest covers clock differences between
 * the nodes of a store after a failover.
 */
const LATE_APPEND_MS = 100_000;
/** The free credits are divided into this many slices. A slice is at least the largest requested price. */
const SLICES = 8;

export type CreditLeaseRequest = {
  readonly owner: string;
  readonly limit: CreditLimit;
  readonly known: Holds;
  /** The ledger has everything appended before this time, ms by the store's clock. */
  readonly caught_up_at: number;
  readonly leases: AccountCreditLeases;
  readonly needs: readonly number[];
  /**
   * The time of the ledger read, ms by the store's clock; the lease starts then. On its own clock, the owner starts the
   * lease earlier, so that it stops in time.
   */
  readonly read_at: number;
};

export type CreditLeaseDecision = {
  /**
   * The ledger's balance minus this process's holds. It includes the leases of other processes, and may be negative.
   */
  readonly left: number;
  readonly leased_by_others: number;
  readonly is_granted: boolean;
  readonly slice: number;
  readonly write: AccountCreditLeases | null;
};

const isOlder = (shares: ReadonlyMap<number, PartitionLedger>, { seen }: AccountCreditLeases): boolean =>
  seen.some(({ partition, offset }) => (shares.get(partition)?.offset ?? -1) < offset);

/**
 * Null if `known` has an older ledger than the stored leases are based on: the caller must read it again.
 *
 * The lease of another process counts until the ledger shows every append that was possible under it, which is later
 * than its expiry time.
 */
export const decideCreditLease = (ask: CreditLeaseRequest): CreditLeaseDecision | null => {
  const { owner, limit, known, caught_up_at, leases, needs, read_at } = ask;
  if (isOlder(known.shares, leases)) return null;
  const own = leases.leases.find((lease) => lease.owner === owner);
  const until = read_at + CREDIT_LEASE_MS;
  // A lease ends too late if the store's clock went back, or if its owner runs an older version that uses its own
  // clock.
  const is_any_ahead = leases.leases.some((lease) => lease.until > until);
  const others = leases.leases
    .filter((lease) => lease.owner !== owner && caught_up_at < lease.until + LATE_APPEND_MS)
    .map((lease) => (lease.until > until ? { ...lease, until } : lease));
  const onHold = creditsOnHold(known);
  const left = balanceCredits(limit.granted_credits, known.shares.values()) - onHold;
  const leased_by_others = others.reduce((sum, { credits }) => sum + credits, 0);
  const free = left - leased_by_others;
  const smallest = needs.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...needs);
  const is_granted = free >= smallest;
  const slice = is_granted ? Math.min(free, Math.max(...needs, Math.floor(free / SLICES))) : 0;
  const credits = onHold + slice;
  const outcome = { left, leased_by_others, is_granted, slice };
  // The lease is written even without free credits if it must change: it covers the holds, and the store may have lost
  // the earlier lease.
  if (!is_granted && (own?.credits ?? 0) === credits && !is_any_ahead) return { ...outcome, write: null };
  const seen = [...known.shares.values()].map(({ partition, offset }) => ({ partition, offset }));
  return {
    ...outcome,
    write: { leases: credits === 0 ? others : [...others, { owner, credits, until }], seen },
  };
};
