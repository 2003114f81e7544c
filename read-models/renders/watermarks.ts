import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { WatermarkDocument } from './documents.ts';
import type { RenderCollections } from './model.ts';

export const NO_WATERMARK_MS = 0;

/**
 * A watermark that is further ahead of the store's clock is invalid. The clocks of a store's nodes, and of hosts with
 * projectors of older versions, differ by less.
 */
const MAX_AHEAD_MS = 10_000;

/** Watermarks, and the time of the read (ms), both by the store's clock. */
export type ReadWatermarks = {
  /** A watermark that is too far ahead of the store's clock is invalid: its partition counts as not caught up. */
  readonly marks: readonly WatermarkDocument[];
  readonly read_at: number | null;
};

type ReadWatermark = WatermarkDocument & { readonly now: number };

/** One query, so that watermarks and time are from the same clock. */
export const readWatermarks = async ({ caught_up }: Pick<RenderCollections, 'caught_up'>): Promise<ReadWatermarks> => {
  const pipeline = [{ $set: { now: { $toLong: '$$NOW' } } }];
  const found = await caught_up.aggregate<ReadWatermark>(pipeline, queryTimeout()).toArray();
  const marks = found.map(({ _id, at, now }) => ({ _id, at: at > now + MAX_AHEAD_MS ? NO_WATERMARK_MS : at }));
  return { marks, read_at: found[0]?.now ?? null };
};

/** The watermarks of all partitions, by the store's clock. */
export type Watermarks = {
  /**
   * Creates the documents of all partitions before the first watermark, so that the minimum of the watermarks is valid
   * for all partitions.
   */
  readonly createMissing: (partitions: readonly number[]) => Promise<void>;
  /** The store's time, ms; null without watermarks. */
  readonly now: () => Promise<number | null>;
  readonly report: (times: ReadonlyMap<number, number>) => Promise<void>;
};

export const openWatermarks = ({ caught_up }: Pick<RenderCollections, 'caught_up'>): Watermarks => ({
  createMissing: async (partitions) => {
    const unknown = partitions.map((_id) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: { at: NO_WATERMARK_MS } }, upsert: true },
    }));
    await caught_up.bulkWrite(unknown, { ordered: false });
  },

  now: async () => (await readWatermarks({ caught_up })).read_at,

  report: async (times) => {
    await caught_up.bulkWrite(
      Array.from(times, ([_id, at]) => ({ updateOne: { filter: { _id }, update: { $set: { at } }, upsert: true } })),
      // If a failover loses the write, the next one follows in a second.
      { ordered: false, writeConcern: { w: 1 } },
    );
  },
});
