import type { AnyBulkWriteOperation, ClientSession } from 'mongodb';
import { isDuplicateKey } from '../../platform/read-store/duplicate-key.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { DeliveryState, WebhookDeliveryDocument } from './documents.ts';
import { deliveryCollectionsIn } from './model.ts';
import { type PartitionFencingToken, type PlannedBatch, positionUpdate } from './plan.ts';
import { markRepeated } from './write-group.ts';

export type RestoredDeliveries = Pick<PlannedBatch, 'partition' | 'deliveries' | 'repeated'>;

const WEAKER: Readonly<Record<DeliveryState, readonly DeliveryState[]>> = {
  pending: [],
  skipped: ['pending'],
  exhausted: ['pending', 'skipped'],
  succeeded: ['pending', 'skipped', 'exhausted'],
};

/**
 * Inserts a missing delivery. A stored delivery stays unless the log has a later end, because the log lacks the
 * responses.
 */
const restoring = ({
  _id,
  repeated_by,
  ...rest
}: WebhookDeliveryDocument): readonly AnyBulkWriteOperation<WebhookDeliveryDocument>[] => [
  { updateOne: { filter: { _id }, update: { $setOnInsert: { repeated_by, ...rest } }, upsert: true } },
  {
    updateOne: {
      filter: { _id, state: { $in: [...WEAKER[rest.state]] } },
      update: { $set: rest, $unset: { waiting: '' as const } },
    },
  },
];

/** Returns false, and stores nothing, if another process owns the partition or the store lost planned deliveries. */
export const createRestoreGroup = (store: ReadStore) => {
  const { deliveries, positions } = deliveryCollectionsIn(store.db);

  const insert = async (all: RestoredDeliveries['deliveries'], session: ClientSession): Promise<void> => {
    await deliveries.insertMany(all, { session, ordered: true });
  };
  const merge = async (all: RestoredDeliveries['deliveries'], session: ClientSession): Promise<void> => {
    await deliveries.bulkWrite(all.flatMap(restoring), { session, ordered: true });
  };

  return async (
    { partition, deliveries: all, repeated }: RestoredDeliveries,
    by: PartitionFencingToken,
  ): Promise<boolean> => {
    const planned_at = all.map((delivery) => delivery.planned_at);
    const { filter, update } = positionUpdate(partition, by, {}, planned_at);
    const write = (add: typeof insert): Promise<boolean> =>
      store.transaction(async (session) => {
        const { matchedCount } = await positions.updateOne(filter, update, { session });
        if (matchedCount === 0) return false;
        if (all.length > 0) await add(all, session);
        await markRepeated(deliveries, repeated, session);
        return true;
      });
    try {
      return await write(insert);
    } catch (error) {
      if (isDuplicateKey(error)) return await write(merge);
      throw error;
    }
  };
};
