import type { AnyBulkWriteOperation, Db } from 'mongodb';
import type { SealKey } from '../../domain/event/seal.ts';
import type { Indexes } from '../../platform/read-store/create-indexes.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import { withWriteTimeout } from '../in-time.ts';

/** The key of a request that the fold ignored. No reader needs it, and no erasure of the render punctures it. */
export type IgnoredSeal = SealKey & { readonly account_id: string };

/**
 * `ignored_seals`: belongs to no generation, and its documents are never deleted. `_id` is `<tree>/<leaf>`. Each
 * generation inserts the same documents, in the transaction that folds the request.
 */
export type IgnoredSealDocument = IgnoredSeal & { readonly _id: string; readonly punctured: boolean };

export const IGNORED_SEAL_INDEXES: Indexes = new Map([[COLLECTIONS.ignored_seals, [{ key: { punctured: 1 } }]]]);

const idOf = ({ tree, leaf }: SealKey): string => `${tree}/${leaf}`;

/** Leaves an existing document unchanged, because a rebuild must not undo `punctured`. */
export const ignoredSealWrite = ({
  account_id,
  tree,
  leaf,
}: IgnoredSeal): AnyBulkWriteOperation<IgnoredSealDocument> => ({
  updateOne: {
    filter: { _id: idOf({ tree, leaf }) },
    update: { $setOnInsert: { account_id, tree, leaf, punctured: false } },
    upsert: true,
  },
});

/** All functions may be repeated, and reject on store outage. */
export type IgnoredSeals = {
  /** Keys that no process has punctured yet. */
  readonly unpunctured: (limit: number) => Promise<readonly IgnoredSeal[]>;
  readonly setPunctured: (seals: readonly SealKey[]) => Promise<void>;
  /** After a restore of Blob or of the store, every key must be punctured again. */
  readonly reset: () => Promise<void>;
};

export const openIgnoredSeals = (db: Db): IgnoredSeals => {
  const seals = db.collection<IgnoredSealDocument>(COLLECTIONS.ignored_seals);
  return {
    unpunctured: async (limit) => {
      const found = await seals.find({ punctured: false }, queryTimeout()).limit(limit).toArray();
      return found.map(({ account_id, tree, leaf }) => ({ account_id, tree, leaf }));
    },
    setPunctured: async (punctured) => {
      if (punctured.length === 0) return;
      await withWriteTimeout(seals.updateMany({ _id: { $in: punctured.map(idOf) } }, { $set: { punctured: true } }));
    },
    reset: async () => {
      await withWriteTimeout(seals.updateMany({ punctured: true }, { $set: { punctured: false } }));
    },
  };
};
