import { LRUCache } from 'lru-cache';
import type { CreditLimit } from '../../domain/credits/balance.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { readOncePerInterval } from '../../platform/read-store/fresh-read.ts';
import { coalesceReads } from '../../platform/read-store/shared-read.ts';
import type { Catalogue } from '../../read-models/catalogue/catalogue.ts';
import type { AccountRenders, LedgerLag, LedgerView } from '../../read-models/renders/account-renders.ts';

/** All methods reject on store outage. */
export type Ledger = {
  readonly limit: (account_id: string) => Promise<CreditLimit>;
  readonly view: (account_id: string) => Promise<LedgerView | null>;
  /** The lag by render id, up to a second old. Null before a projector has reported it; zero if there is no ledger. */
  readonly lag: () => Promise<LedgerLag | null>;
};

/** How long it is remembered that an account has unlimited credits, which saves queries. */
const UNLIMITED_KNOWN_MS = 1_000;
const MAX_KNOWN = 10_000;
const NOTHING_GRANTED: CreditLimit = { unlimited_credits: false, granted_credits: 0 };

/** Concurrent reads are shared, but a request sees everything that was folded before it arrived. */
export const openLedger = (
  catalogue: Pick<Catalogue, 'creditLimit'>,
  renders: Pick<AccountRenders, 'ledger' | 'ledgerLag'>,
  clock: Clock,
): Ledger => {
  const unlimited = new LRUCache<string, CreditLimit>({
    max: MAX_KNOWN,
    ttl: UNLIMITED_KNOWN_MS,
    perf: { now: clock.monotonic },
  });
  const readLimit = coalesceReads(catalogue.creditLimit);

  return {
    limit: async (account_id) => {
      const known = unlimited.get(account_id);
      if (known !== undefined) return known;
      const limit = (await readLimit(account_id)) ?? NOTHING_GRANTED;
      if (limit.unlimited_credits) unlimited.set(account_id, limit);
      return limit;
    },
    view: renders.ledger,
    lag: readOncePerInterval(renders.ledgerLag, clock),
  };
};
