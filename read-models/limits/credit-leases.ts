import type { Db } from 'mongodb';
import { type AccountCreditLeases, NO_CREDIT_LEASES } from '../../domain/credits/lease.ts';
import type { Indexes } from '../../platform/read-store/create-indexes.ts';
import { isDuplicateKey } from '../../platform/read-store/duplicate-key.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import { withWriteTimeout } from '../in-time.ts';

/**
 * `credit_leases`: the credits of one account that the command APIs may spend; `_id` is the account id. It expires only
 * without leases.
 */
export type CreditLeasesDocument = AccountCreditLeases & {
  readonly _id: string;
  readonly version: string;
  /** When the document expires. Absent while there are leases: a blocked partition may delay their end for any time. */
  readonly until?: Date;
};

export type VersionedLeases = { readonly leases: AccountCreditLeases; readonly version: string | null };

/** On timeout or store outage, both functions reject; the write may or may not have succeeded. */
export type CreditLeases = {
  readonly find: (account_id: string) => Promise<VersionedLeases>;
  /** False, without a change, if another process wrote the leases since `before` was read. */
  readonly replace: (
    account_id: string,
    before: string | null,
    version: string,
    leases: AccountCreditLeases,
  ) => Promise<boolean>;
};

/**
 * How long a document without leases is kept. Its `seen` offsets stop a process with a stale ledger from granting a
 * lease.
 */
const KEPT_MS = 2 * 86_400_000;

export const CREDIT_LEASE_INDEXES: Indexes = new Map([
  [COLLECTIONS.credit_leases, [{ key: { until: 1 }, expireAfterSeconds: 0 }]],
]);

export const openCreditLeases = (db: Db, now: () => number): CreditLeases => {
  const collection = db.collection<CreditLeasesDocument>(COLLECTIONS.credit_leases);
  return {
    find: async (_id) => {
      const found = await collection.findOne({ _id }, queryTimeout());
      return found === null
        ? { leases: NO_CREDIT_LEASES, version: null }
        : { leases: { leases: found.leases, seen: found.seen }, version: found.version };
    },

    replace: async (_id, before, version, leases) => {
      const expiry = leases.leases.length === 0 ? { until: new Date(now() + KEPT_MS) } : {};
      const document = { version, ...leases, ...expiry };
      try {
        if (before === null) {
          await withWriteTimeout(collection.insertOne({ _id, ...document }));
          return true;
        }
        return (await withWriteTimeout(collection.replaceOne({ _id, version: before }, document))).matchedCount === 1;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
};
