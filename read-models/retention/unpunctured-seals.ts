import type { Db } from 'mongodb';
import type { SealKey } from '../../domain/event/seal.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import { exactCount } from '../embedded/collections.ts';
import { withWriteTimeout } from '../in-time.ts';

/** The key of an erased text that Blob refused to puncture. The text is still readable. */
export type UnpuncturedSeal = SealKey & { readonly account_id: string };

/** `unpunctured_seals`: `_id` is `<tree>/<leaf>`. The document is deleted when the key is punctured. */
export type UnpuncturedSealDocument = UnpuncturedSeal & { readonly _id: string; readonly since: Date };

/** All functions may be repeated, and reject on store outage. */
export type UnpuncturedSeals = {
  readonly add: (seals: readonly UnpuncturedSeal[], since: Date) => Promise<void>;
  /** @param after the last id of the previous page; null for the first page */
  readonly page: (
    after: string | null,
    limit: number,
  ) => Promise<readonly (UnpuncturedSeal & { readonly id: string })[]>;
  readonly remove: (seals: readonly SealKey[]) => Promise<void>;
  readonly count: () => Promise<number>;
};

const idOf = ({ tree, leaf }: SealKey): string => `${tree}/${leaf}`;

export const openUnpuncturedSeals = (db: Db): UnpuncturedSeals => {
  const rows = db.collection<UnpuncturedSealDocument>(COLLECTIONS.unpunctured_seals);
  const countOf = exactCount(db);
  return {
    add: async (seals, since) => {
      if (seals.length === 0) return;
      await withWriteTimeout(
        rows.bulkWrite(
          seals.map((seal) => ({
            updateOne: {
              filter: { _id: idOf(seal) },
              update: { $setOnInsert: { account_id: seal.account_id, tree: seal.tree, leaf: seal.leaf, since } },
              upsert: true,
            },
          })),
        ),
      );
    },
    page: async (after, limit) => {
      const found = await rows
        .find(after === null ? {} : { _id: { $gt: after } }, queryTimeout())
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id: id, account_id, tree, leaf }) => ({ id, account_id, tree, leaf }));
    },
    remove: async (seals) => {
      if (seals.length === 0) return;
      await withWriteTimeout(rows.deleteMany({ _id: { $in: seals.map(idOf) } }));
    },
    count: async () => await countOf(rows),
  };
};
