import { LRUCache } from 'lru-cache';
import type { Db } from 'mongodb';
import type { CreditLimit, LedgerShare } from '../../domain/credits/balance.ts';
import { inTime } from '../../platform/read-store/in-time.ts';
import { sharedRead } from '../../platform/read-store/shared-read.ts';
import type { AccountDocument } from '../../read-models/catalogue/documents.ts';
import { catalogueCollections, renderCollections } from '../../read-models/collections.ts';
import type { ServingGeneration } from '../../read-models/generations.ts';
import type { LedgerDocument } from '../../read-models/renders/documents.ts';

/** An account's limit and ledger in the read models. Both reject when the store does not answer. */
export type Ledger = {
  readonly limit: (account_id: string) => Promise<CreditLimit>;
  /** One for each partition that has renders of the account; null while there is no ledger to go by. */
  readonly shares: (account_id: string) => Promise<readonly LedgerShare[] | null>;
};

/** The version of the render read model that has a ledger first. */
const LEDGER_SINCE = 2;

/** So that an account without a limit costs a request nothing. */
const UNLIMITED_KNOWN_MS = 1_000;
const MOST_KNOWN = 10_000;
const NOTHING_GRANTED: CreditLimit = { unlimited_credits: false, granted_credits: 0 };

/** A request sees what was folded before it came. @param generations the current ones */
export const openLedger = (
  db: Db,
  generations: { readonly renders: () => Promise<ServingGeneration>; readonly catalogue: () => Promise<number> },
): Ledger => {
  const unlimited = new LRUCache<string, CreditLimit>({ max: MOST_KNOWN, ttl: UNLIMITED_KNOWN_MS });

  const readAccount = sharedRead(async (_id) => {
    const { entities } = catalogueCollections(await generations.catalogue());
    return await db
      .collection<AccountDocument>(entities.account)
      .findOne({ _id }, { projection: { unlimited_credits: 1, granted_credits: 1 }, ...inTime() });
  });
  const readShares = sharedRead(async (account_id) => {
    const { generation, model_version } = await generations.renders();
    if (model_version < LEDGER_SINCE) return null;
    const { ledger } = renderCollections(generation);
    return await db.collection<LedgerDocument>(ledger).find({ account_id }, inTime()).toArray();
  });

  return {
    limit: async (account_id) => {
      const known = unlimited.get(account_id);
      if (known !== undefined) return known;
      const limit = (await readAccount(account_id)) ?? NOTHING_GRANTED;
      if (limit.unlimited_credits) unlimited.set(account_id, limit);
      return limit;
    },
    shares: readShares,
  };
};
