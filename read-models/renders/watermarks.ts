import type { RenderModel } from './model.ts';

/** Caught up at no time yet. */
const NEVER_MS = 0;

/** Up to when each partition is folded. */
export type Watermarks = {
  /** So that every partition has its document before any of them says a time, and the earliest speaks for all. */
  readonly introduce: (partitions: readonly number[]) => Promise<void>;
  /** Sets the times (ms) of these partitions. */
  readonly report: (times: ReadonlyMap<number, number>) => Promise<void>;
};

export const watermarksIn = ({ caught_up }: RenderModel): Watermarks => ({
  introduce: async (partitions) => {
    const unknown = partitions.map((_id) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: { at: NEVER_MS } }, upsert: true },
    }));
    await caught_up.bulkWrite(unknown, { ordered: false });
  },

  report: async (times) => {
    await caught_up.bulkWrite(
      Array.from(times, ([_id, at]) => ({ updateOne: { filter: { _id }, update: { $set: { at } }, upsert: true } })),
      // Nothing is lost when a failover forgets it: the next second writes it again.
      { ordered: false, writeConcern: { w: 1 } },
    );
  },
});
