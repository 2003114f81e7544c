import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { keyTreesPath } from '../../schemas/blobs/paths.ts';
import { COLLECTIONS } from '../collections.ts';
import { withWriteTimeout } from '../in-time.ts';

/**
 * The last known write of a key tree. An older tree in Blob comes from a restore. If `is_deleted`, the service has deleted
 * the trees of the account, so any key in Blob comes from a restore. If `is_missing`, Blob had lost the tree when a text
 * of it was erased, so any key comes from a restore too. Earlier documents lack `is_missing`.
 */
export type KnownTree = {
  readonly write_counter: number;
  readonly is_deleted: boolean;
  readonly is_missing?: boolean;
};

export type KnownTreeAt = KnownTree & { readonly path: string };

/** `key_trees`: one document for each tree with an erased text. `_id` is the path of the tree in Blob. */
export type KeyTreeDocument = KnownTree & { readonly _id: string };

/** All functions may be repeated, and reject on store outage. */
export type KnownTrees = {
  readonly find: (path: string) => Promise<KnownTree | null>;
  /** In the order of paths. @param after the last path of the previous page; null for the first page */
  readonly page: (after: string | null, limit: number) => Promise<readonly KnownTreeAt[]>;
  /** Call this after the write of the tree. The counter never decreases. */
  readonly raise: (path: string, write_counter: number) => Promise<void>;
  readonly setMissing: (path: string) => Promise<void>;
  /** Call this after the write of the tree that a restore brought back. No change if the stored state differs from `tree`. */
  readonly accept: (tree: KnownTreeAt, write_counter: number) => Promise<void>;
  readonly setAccountDeleted: (account_id: string) => Promise<void>;
};

export const openKnownTrees = (db: Db): KnownTrees => {
  const trees = db.collection<KeyTreeDocument>(COLLECTIONS.key_trees);
  return {
    find: async (_id) => await trees.findOne({ _id }, queryTimeout()),
    page: async (after, limit) => {
      const found = await trees
        .find(after === null ? {} : { _id: { $gt: after } }, queryTimeout())
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id: path, ...known }) => ({ path, ...known }));
    },
    raise: async (_id, write_counter) => {
      const update = { $max: { write_counter }, $setOnInsert: { is_deleted: false } };
      await withWriteTimeout(trees.updateOne({ _id }, update, { upsert: true }));
    },
    setMissing: async (_id) => {
      const update = { $set: { is_missing: true }, $setOnInsert: { write_counter: 0, is_deleted: false } };
      await withWriteTimeout(trees.updateOne({ _id }, update, { upsert: true }));
    },
    accept: async ({ path: _id, write_counter: before, is_deleted }, write_counter) => {
      const update = { $set: { write_counter, is_deleted: false, is_missing: false } };
      await withWriteTimeout(trees.updateOne({ _id, write_counter: before, is_deleted }, update));
    },
    setAccountDeleted: async (account_id) => {
      const prefix = keyTreesPath(account_id);
      // `0` follows the slash, so the range has all paths with the prefix.
      const range = { $gte: prefix, $lt: `${prefix.slice(0, -1)}0` };
      await withWriteTimeout(trees.updateMany({ _id: range }, { $set: { is_deleted: true } }));
    },
  };
};
