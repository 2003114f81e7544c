import type { Db } from 'mongodb';
import { isDuplicateKey } from '../../platform/read-store/duplicate-key.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import { withWriteTimeout } from '../in-time.ts';

/**
 * `leases`: work that only one of several processes does; `_id` is the name of the work. Clocks of machines differ, so
 * a lease has no time: if its version does not change for long, the holder is gone.
 */
export type LeaseDocument<Progress> = {
  readonly _id: string;
  readonly version: string;
  readonly holder: string | null;
  /** Progress of the work, for the next holder; null before the first report. */
  readonly progress: Progress | null;
};

/** On timeout or store outage, both functions reject; the write may or may not have succeeded. */
export type LeaseStore<Progress> = {
  readonly read: () => Promise<LeaseDocument<Progress> | null>;
  /** False, without a change, if another process wrote the lease since version `before`. */
  readonly replace: (before: string | null, next: Omit<LeaseDocument<Progress>, '_id'>) => Promise<boolean>;
};

export const openLeaseStore = <Progress>(db: Db, _id: string): LeaseStore<Progress> => {
  const collection = db.collection<LeaseDocument<unknown>>(COLLECTIONS.leases);
  return {
    read: async () => await collection.findOne<LeaseDocument<Progress>>({ _id }, queryTimeout()),

    replace: async (before, next) => {
      try {
        if (before === null) {
          await withWriteTimeout(collection.insertOne({ _id, ...next }));
          return true;
        }
        return (await withWriteTimeout(collection.replaceOne({ _id, version: before }, next))).matchedCount === 1;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
};
