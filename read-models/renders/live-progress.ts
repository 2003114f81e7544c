import type { Collection, Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import type { LiveProgressDocument } from './documents.ts';

/** Progress of renders, from heartbeats. It expires, and may be lost at any time. */
export type LiveProgress = {
  readonly find: (render_id: string) => Promise<LiveProgressDocument | null>;
  /** By render id, of those renders that have a report. */
  readonly findAll: (render_ids: readonly string[]) => Promise<ReadonlyMap<string, LiveProgressDocument>>;
  readonly save: (progress: readonly LiveProgressDocument[]) => Promise<void>;
};

export const liveProgress = (db: Db): LiveProgress => {
  const collection: Collection<LiveProgressDocument> = db.collection(COLLECTIONS.live_progress);
  return {
    find: (_id) => collection.findOne({ _id }, queryTimeout()),
    findAll: async (ids) => {
      if (ids.length === 0) return new Map();
      const found = await collection.find({ _id: { $in: [...ids] } }, queryTimeout()).toArray();
      return new Map(found.map((document) => [document._id, document]));
    },
    save: async (progress) => {
      await collection.bulkWrite(
        progress.map(({ _id, ...replacement }) => ({ replaceOne: { filter: { _id }, replacement, upsert: true } })),
        { ordered: false, writeConcern: { w: 1 } },
      );
    },
  };
};
