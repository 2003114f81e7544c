import type { Db } from 'mongodb';
import { type Leases, NO_LEASES } from '../../domain/credits/lease.ts';
import type { Indexes } from '../../platform/read-store/create-indexes.ts';
import { isDuplicateKey } from '../../platform/read-store/duplicate-key.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import { inTime } from '../in-time.ts';

/**
 * `credit_leases`: credits of one account that the command APIs may spend; `_id` is the account id. It expires when no
 * credits are leased.
 */
export type CreditLeasesDocument = Leases & {
  readonly _id: string;
  /** Changes with each write. */
  readonly version: string;
  /** Absent while credits are leased, because a partition may be blocked for any time. */
  readonly until?: Date;
};

/** `version` is null without leases. */
export type VersionedLeases = { readonly leases: Leases; readonly version: string | null };

/** Both reject when the store does not answer; the write may or may not have succeeded. */
export type CreditLeases = {
  readonly find: (account_id: string) => Promise<VersionedLeases>;
  /** False if they were written since `before` was read; then nothing changes. */
  readonly replace: (account_id: string, before: string | null, version: string, leases: Leases) => Promise<boolean>;
};

/** For the case that `seen` guards against: an older ledger that serves for a moment. */
const KEPT_MS = 2 * 86_400_000;

export const CREDIT_LEASE_INDEXES: Indexes = new Map([
  [COLLECTIONS.credit_leases, [{ key: { until: 1 }, expireAfterSeconds: 0 }]],
]);

/**
 * @param now ms since the epoch
 */
export const openCreditLeases = (db: Db, now: () => number): CreditLeases => {
  const collection = db.collection<CreditLeasesDocument>(COLLECTIONS.credit_leases);
  return {
    find: async (_id) => {
      const found = await collection.findOne({ _id }, queryTimeout());
      return found === null
        ? { leases: NO_LEASES, version: null }
        : { leases: { leases: found.leases, seen: found.seen }, version: found.version };
    },

    replace: async (_id, before, version, leases) => {
      const expiry = leases.leases.length === 0 ? { until: new Date(now() + KEPT_MS) } : {};
      const document = { version, ...leases, ...expiry };
      try {
        if (before === null) {
          await inTime(collection.insertOne({ _id, ...document }));
          return true;
        }
        return (await inTime(collection.replaceOne({ _id, version: before }, document))).matchedCount === 1;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
};
