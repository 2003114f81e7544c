import type { AnyBulkWriteOperation, ClientSession } from 'mongodb';
import { isDuplicateKey } from '../../platform/read-store/duplicate-key.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { DeliveryState, WebhookDeliveryDocument } from './documents.ts';
import { deliveryModel } from './model.ts';
import { moveOf, type PartitionOwner, type Plan } from './plan.ts';
import { markRepeated } from './write-group.ts';

/** Deliveries of one partition that have ended, as the log has them, and which of them repeat which. */
export type Restored = Pick<Plan, 'partition' | 'deliveries' | 'repeated'>;

/** As in the fold: that a delivery was made wins over that it was not. */
const WEAKER: Readonly<Record<DeliveryState, readonly DeliveryState[]>> = {
  pending: [],
  skipped: ['pending'],
  exhausted: ['pending', 'skipped'],
  succeeded: ['pending', 'skipped', 'exhausted'],
};

/** What is there already stays, with the answers that the log lacks, unless the log knows of a later end. */
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

/** Gives false, and has stored nothing, where the partition is another's, or the store lost what was planned in it. */
export const restoreGroup = (store: ReadStore) => {
  const { deliveries, positions } = deliveryModel(store.db);

  const insert = async (all: Restored['deliveries'], session: ClientSession): Promise<void> => {
    await deliveries.insertMany(all, { session, ordered: true });
  };
  /** When it was begun before: then most of them are there. */
  const merge = async (all: Restored['deliveries'], session: ClientSession): Promise<void> => {
    await deliveries.bulkWrite(all.flatMap(restoring), { session, ordered: true });
  };

  return async ({ partition, deliveries: all, repeated }: Restored, by: PartitionOwner): Promise<boolean> => {
    const planned_at = all.map((delivery) => delivery.planned_at);
    const { filter, update } = moveOf(partition, by, {}, planned_at);
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
