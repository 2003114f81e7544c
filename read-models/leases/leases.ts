import type { Db } from 'mongodb';
import { isDuplicateKey } from '../../platform/read-store/duplicate-key.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import { inTime } from '../in-time.ts';

/**
 * `leases`: work that one of several processes does; `_id` is the name of the work. There is no time in it: clocks of
 * machines may differ. A version that does not change for long is that of a holder that is gone.
 */
export type LeaseDocument<Progress> = {
  readonly _id: string;
  /** Another after each write. */
  readonly version: string;
  /** The process; null where it gave the lease back. */
  readonly holder: string | null;
  /** How far the work is, for whoever holds the lease next; null before the first has said. */
  readonly progress: Progress | null;
};

/** Both reject when the store does not answer; whether a write was made is not known then. */
export type Leases<Progress> = {
  readonly read: () => Promise<LeaseDocument<Progress> | null>;
  /** False where it was written since version `before`; then nothing is changed. */
  readonly replace: (before: string | null, next: Omit<LeaseDocument<Progress>, '_id'>) => Promise<boolean>;
};

/** The lease of the work of that name. */
export const openLeases = <Progress>(db: Db, _id: string): Leases<Progress> => {
  const collection = db.collection<LeaseDocument<unknown>>(COLLECTIONS.leases);
  return {
    read: async () => await collection.findOne<LeaseDocument<Progress>>({ _id }, queryTimeout()),

    replace: async (before, next) => {
      try {
        if (before === null) {
          await inTime(collection.insertOne({ _id, ...next }));
          return true;
        }
        return (await inTime(collection.replaceOne({ _id, version: before }, next))).matchedCount === 1;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
  };
};
