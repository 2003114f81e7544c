import type { Db, Document } from 'mongodb';
import type { TakeFromSharedBucket } from '../../platform/access/rate-limits.ts';
import type { Values } from '../../platform/configuration/configuration.ts';
import type { RATE_LIMITS } from '../../platform/configuration/parts.ts';
import type { Indexes } from '../../platform/read-store/create-indexes.ts';
import { COLLECTIONS } from '../collections.ts';
import { sumIn } from '../embedded/queries.ts';

/** Tokens that a process took in advance. It uses them before `until` (ms), or never. */
type Slice = { readonly process: string; readonly tokens: number; readonly until: number };

/**
 * `rate_buckets`: the token bucket of one key, shared by all processes of one API; `_id` is `<API>/<key id>`. Expires.
 */
export type RateBucketDocument = {
  readonly _id: string;
  /** The store's clock at the last change, ms, because the clocks of processes may differ. */
  readonly now: number;
  /** The tokens in the bucket at `now`. Negative if a process served a request before it took the token. */
  readonly level: number;
  readonly slices: readonly Slice[];
  readonly taken: number;
  readonly until: Date;
};

const SLICE_MS = 1_000;
/** An unused bucket expires after this time or later. It is full if its key is used again. */
const KEPT_MS = 3_600_000;
const MS_PER_S = 1_000;

export const RATE_BUCKET_INDEXES: Indexes = new Map([
  [COLLECTIONS.rate_buckets, [{ key: { until: 1 }, expireAfterSeconds: 0 }]],
]);

export type TokenDemand = {
  readonly process: string;
  readonly waiting: number;
  readonly wanted: number;
  readonly returned: number;
};

/**
 * Refills the bucket and takes from it, in one update. Tokens that other processes took in advance reduce its capacity,
 * so that all processes together never have more than the burst.
 */
export const takeFromBucket = (
  { per_s, burst }: Values<typeof RATE_LIMITS>,
  { process, waiting, wanted, returned }: TokenDemand,
): Document[] => {
  const of_others = { $and: [{ $ne: ['$$slice.process', process] }, { $gt: ['$$slice.until', '$now'] }] };
  const room = { $subtract: [burst, sumIn('$slices', 'tokens')] };
  const refill = { $multiply: [{ $max: [0, { $subtract: ['$now', '$filled_at'] }] }, per_s / MS_PER_S] };
  const most = { $max: [wanted, { $divide: ['$level', 10] }] };
  const ahead = { $subtract: ['$taken', waiting] };
  const slice = { process, tokens: ahead, until: { $add: ['$now', SLICE_MS] } };
  const kept_ms = Math.max(KEPT_MS, (burst / per_s) * MS_PER_S);
  return [
    { $set: { filled_at: '$now', now: { $toLong: '$$NOW' } } },
    {
      $set: {
        filled_at: { $ifNull: ['$filled_at', '$now'] },
        level: { $ifNull: ['$level', burst] },
        slices: { $filter: { input: { $ifNull: ['$slices', []] }, as: 'slice', cond: of_others } },
      },
    },
    { $set: { level: { $min: [room, { $add: ['$level', returned, refill] }] } } },
    { $set: { taken: { $max: [0, { $floor: { $min: ['$level', most] } }] } } },
    {
      $set: {
        level: { $subtract: ['$level', '$taken'] },
        slices: { $concatArrays: ['$slices', { $cond: [{ $gt: [ahead, 0] }, [slice], []] }] },
        until: { $add: ['$$NOW', kept_ms] },
      },
    },
    { $unset: 'filled_at' },
  ];
};

/**
 * @param api the name of the API; each API has its own buckets
 * @param process a unique name of this process
 */
export const openRateBuckets = (
  db: Db,
  api: string,
  process: string,
  settings: Values<typeof RATE_LIMITS>,
): TakeFromSharedBucket => {
  const buckets = db.collection<RateBucketDocument>(COLLECTIONS.rate_buckets);
  return async (key_id, ask) => {
    const found = await buckets.findOneAndUpdate(
      { _id: `${api}/${key_id}` },
      takeFromBucket(settings, { process, ...ask }),
      // After a failover, lost tokens are taken twice, which is cheaper than waiting for the majority.
      { upsert: true, returnDocument: 'after', writeConcern: { w: 1 } },
    );
    return found === null ? null : { taken: found.taken, level: found.level };
  };
};
