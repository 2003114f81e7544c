import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { WatermarkDocument } from './documents.ts';
import type { RenderModel } from './model.ts';

/** Not caught up yet. */
export const NEVER_MS = 0;

/** Clocks of nodes of a store, and of hosts with projectors of older versions, differ by less. */
const MAX_AHEAD_MS = 10_000;

/** Watermarks, and when they were read (ms), both by the clock of the store. */
export type ReadWatermarks = {
  /** A watermark ahead of the store's clock is invalid: its partition counts as not caught up. */
  readonly marks: readonly WatermarkDocument[];
  /** Null if there is no watermark to read it with. */
  readonly read_at: number | null;
};

type ReadWatermark = WatermarkDocument & { readonly now: number };

/** One query, so that watermarks and time are of the same clock. */
export const readWatermarks = async ({ caught_up }: Pick<RenderModel, 'caught_up'>): Promise<ReadWatermarks> => {
  const pipeline = [{ $set: { now: { $toLong: '$$NOW' } } }];
  const found = await caught_up.aggregate<ReadWatermark>(pipeline, queryTimeout()).toArray();
  const marks = found.map(({ _id, at, now }) => ({ _id, at: at > now + MAX_AHEAD_MS ? NEVER_MS : at }));
  return { marks, read_at: found[0]?.now ?? null };
};

/** Up to when each partition is folded, by the clock of the store. */
export type Watermarks = {
  /** Every partition gets its document before any of them has a time, so that the earliest covers all. */
  readonly introduce: (partitions: readonly number[]) => Promise<void>;
  /** The time by the clock of the store, ms; null before there is any watermark. */
  readonly now: () => Promise<number | null>;
  /** Sets the times (ms) of these partitions. */
  readonly report: (times: ReadonlyMap<number, number>) => Promise<void>;
};

export const watermarksIn = ({ caught_up }: Pick<RenderModel, 'caught_up'>): Watermarks => ({
  introduce: async (partitions) => {
    const unknown = partitions.map((_id) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: { at: NEVER_MS } }, upsert: true },
    }));
    await caught_up.bulkWrite(unknown, { ordered: false });
  },

  now: async () => (await readWatermarks({ caught_up })).read_at,

  report: async (times) => {
    await caught_up.bulkWrite(
      Array.from(times, ([_id, at]) => ({ updateOne: { filter: { _id }, update: { $set: { at } }, upsert: true } })),
      // If a failover loses it, the next second writes it again.
      { ordered: false, writeConcern: { w: 1 } },
    );
  },
});
