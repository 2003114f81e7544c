import type { Db } from 'mongodb';
import { isDuplicateKey } from '../../platform/read-store/duplicate-key.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import { withWriteTimeout } from '../in-time.ts';

/** Size and root of a log of heads; the root in base64. */
export type StoredTree = { readonly size: number; readonly root: string };

/**
 * `notary`: `_id` is the origin of a log of heads. The notary stores a signed head here before it publishes the head.
 */
export type NotaryDocument = StoredTree & {
  readonly _id: string;
  /** Changes with each request for an immediate signature; absent without one. */
  readonly asked?: string;
};

/** On timeout or store outage, all functions reject; the write may or may not have succeeded. */
export type NotaryState = {
  readonly read: () => Promise<Omit<NotaryDocument, '_id'> | null>;
  /** False, without a change, if the note is not `before` (null: no note). */
  readonly replace: (before: StoredTree | null, next: StoredTree) => Promise<boolean>;
  readonly ask: (token: string) => Promise<boolean>;
};

export const openNotaryState = (db: Db, origin: string): NotaryState => {
  const collection = db.collection<NotaryDocument>(COLLECTIONS.notary);
  return {
    read: async () => await collection.findOne({ _id: origin }, queryTimeout()),

    replace: async (before, next) => {
      try {
        if (before === null) {
          await withWriteTimeout(collection.insertOne({ _id: origin, ...next }));
          return true;
        }
        const { size, root } = before;
        const changed = collection.updateOne({ _id: origin, size, root }, { $set: next });
        return (await withWriteTimeout(changed)).matchedCount === 1;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },

    ask: async (token) =>
      (await withWriteTimeout(collection.updateOne({ _id: origin }, { $set: { asked: token } }))).matchedCount === 1,
  };
};
