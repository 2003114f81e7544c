import type { Collection, Db } from 'mongodb';
import { isDuplicateKey } from '../../platform/read-store/duplicate-key.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';

/** A request to compare the deliveries with the log and correct the differences. At most one is active. */
export type DeliveryRebuild = {
  readonly rebuild: string;
  readonly requested_at: Date;
  readonly requested_by: string;
  readonly partitions: number;
};

/** Counts of corrected deliveries. */
export type CorrectionCounts = {
  readonly changed: number;
  readonly restored: number;
  readonly removed: number;
  readonly planned_again: number;
  readonly left: number;
};

export const NO_CORRECTIONS: CorrectionCounts = { changed: 0, restored: 0, removed: 0, planned_again: 0, left: 0 };

export const sumCorrections = (all: readonly CorrectionCounts[]): CorrectionCounts =>
  all.reduce(
    (sum, one) => ({
      changed: sum.changed + one.changed,
      restored: sum.restored + one.restored,
      removed: sum.removed + one.removed,
      planned_again: sum.planned_again + one.planned_again,
      left: sum.left + one.left,
    }),
    NO_CORRECTIONS,
  );

export type PartitionRebuild = {
  readonly rebuild: string;
  /** The rebuild reads the whole log once for each slice. */
  readonly slices: number;
  readonly slices_done: number;
  readonly tries: number;
  readonly read: number;
  readonly of: number;
  readonly mended: CorrectionCounts;
};

/** `webhook_rebuild`: the request has the id `wish`; each partition has a document. */
type WishDocument = DeliveryRebuild & { readonly _id: string };
type PartitionDocument = PartitionRebuild & { readonly _id: string; readonly partition: number };

const WISH = 'wish';
const rebuildRequests = (db: Db): Collection<WishDocument> => db.collection(COLLECTIONS.webhook_rebuild);
const partitionsIn = (db: Db): Collection<PartitionDocument> => db.collection(COLLECTIONS.webhook_rebuild);

export type DeliveryRebuildState = {
  readonly wish: DeliveryRebuild;
  readonly partitions: ReadonlyMap<number, PartitionRebuild>;
};

/** Null if no rebuild was requested, or if it was stopped. */
export const findDeliveryRebuild = async (db: Db): Promise<DeliveryRebuildState | null> => {
  const wish = await rebuildRequests(db).findOne({ _id: WISH }, queryTimeout());
  if (wish === null) return null;
  const { rebuild } = wish;
  const own = await partitionsIn(db)
    .find({ rebuild, partition: { $gte: 0 } }, queryTimeout())
    .toArray();
  return { wish, partitions: new Map(own.map((one) => [one.partition, one])) };
};

export const isRebuilt = ({ slices, slices_done }: PartitionRebuild): boolean => slices_done >= slices;

export const areAllRebuilt = ({ wish, partitions }: DeliveryRebuildState): boolean =>
  [...partitions.values()].filter(isRebuilt).length >= wish.partitions;

/** Relays see the request within a second. If a rebuild is active, returns that one. */
export const requestDeliveryRebuild = async (
  db: Db,
  wanted: DeliveryRebuild,
): Promise<{ readonly wish: DeliveryRebuild; readonly is_new: boolean }> => {
  const there = await findDeliveryRebuild(db);
  if (there !== null && !areAllRebuilt(there)) return { wish: there.wish, is_new: false };
  const wishes = rebuildRequests(db);
  try {
    if (there === null) await wishes.insertOne({ _id: WISH, ...wanted });
    else {
      const { matchedCount } = await wishes.updateOne({ _id: WISH, rebuild: there.wish.rebuild }, { $set: wanted });
      if (matchedCount === 0) return await requestDeliveryRebuild(db, wanted);
    }
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    return await requestDeliveryRebuild(db, wanted);
  }
  return { wish: wanted, is_new: true };
};

export const giveUpDeliveryRebuild = async (db: Db, { rebuild }: Pick<DeliveryRebuild, 'rebuild'>): Promise<boolean> =>
  (await rebuildRequests(db).deleteOne({ _id: WISH, rebuild })).deletedCount > 0;

export const storePartitionRebuild = async (db: Db, partition: number, progress: PartitionRebuild): Promise<void> => {
  await partitionsIn(db).updateOne(
    { _id: `partition/${partition}` },
    { $set: { partition, ...progress } },
    { upsert: true },
  );
};
