import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import type { CreditLimit, LedgerShare } from '../../domain/credits/balance.ts';
import { inTime } from '../../platform/read-store/in-time.ts';
import { sharedRead } from '../../platform/read-store/shared-read.ts';
import type { AccountDocument } from '../../read-models/catalogue/documents.ts';
import { catalogueCollections } from '../../read-models/collections.ts';
import type { AccountRenders } from '../../read-models/renders/account-renders.ts';

/** An account's limit and ledger in the read models. Both reject when the store does not answer. */
export type Ledger = {
  readonly limit: (account_id: string) => Promise<CreditLimit>;
  /** One for each partition that has renders of the account; null while there is no ledger to go by. */
  readonly shares: (account_id: string) => Promise<readonly LedgerShare[] | null>;
};

/** So that an account without a limit costs a request nothing. */
const UNLIMITED_KNOWN_MS = 1_000;
const MOST_KNOWN = 10_000;
const NOTHING_GRANTED: CreditLimit = { unlimited_credits: false, granted_credits: 0 };

/** A request sees what was folded before it came. @param generation the current one of the catalogue */
export const openLedger = (
  db: Db,
  generation: () => Promise<number>,
  renders: Pick<AccountRenders, 'ledgerShares'>,
): Ledger => {
  const unlimited = new LRUCache<string, CreditLimit>({ max: MOST_KNOWN, ttl: UNLIMITED_KNOWN_MS });

  const readAccount = sharedRead(async (_id) => {
    const { entities } = catalogueCollections(await generation());
    return await db
      .collection<AccountDocument>(entities.account)
      .findOne({ _id }, { projection: { unlimited_credits: 1, granted_credits: 1 }, ...inTime() });
  });
  return {
    limit: async (account_id) => {
      const known = unlimited.get(account_id);
      if (known !== undefined) return known;
      const limit = (await readAccount(account_id)) ?? NOTHING_GRANTED;
      if (limit.unlimited_credits) unlimited.set(account_id, limit);
      return limit;
    },
    shares: sharedRead(renders.ledgerShares),
  };
};
