import type { Db } from 'mongodb';
import { COLLECTIONS } from '../collections.ts';
import type { KeyLastUsedDocument } from './documents.ts';

export const saveKeyUses =
  (db: Db) =>
  async (uses: ReadonlyMap<string, Date>): Promise<void> => {
    await db.collection<KeyLastUsedDocument>(COLLECTIONS.key_last_used).bulkWrite(
      Array.from(uses, ([_id, at]) => ({ updateOne: { filter: { _id }, update: { $max: { at } }, upsert: true } })),
      { ordered: false },
    );
  };
