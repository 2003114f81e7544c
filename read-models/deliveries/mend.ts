import { isDeepStrictEqual } from 'node:util';
import type { AnyBulkWriteOperation } from 'mongodb';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { WebhookDeliveryDocument } from './documents.ts';
import { deliveryCollectionsIn } from './model.ts';
import { type PartitionFencingToken, type PlannedBatch, planningProgressOf, positionUpdate } from './plan.ts';

/** `was` is the delivery as it was read, null if it was missing. `to_be` is its correction, null to delete it. */
export type DeliveryCorrection = {
  readonly id: string;
  readonly was: WebhookDeliveryDocument | null;
  readonly to_be: WebhookDeliveryDocument | null;
};

export type DeliveryCorrections = Pick<PlannedBatch, 'partition'> & {
  readonly deliveries: readonly DeliveryCorrection[];
  /**
   * Positions from which the planner plans open deliveries again; empty if it only has to read the waiting ones again.
   * The partition then needs a new owner, because plans of the current one are refused. Null if no correction concerns
   * an open delivery.
   */
  readonly back_to: PlannedBatch['next'] | null;
};

const writeOf = ({ id, to_be }: DeliveryCorrection): AnyBulkWriteOperation<WebhookDeliveryDocument> => {
  if (to_be === null) return { deleteOne: { filter: { _id: id } } };
  const { _id, ...rest } = to_be;
  return { updateOne: { filter: { _id }, update: { $set: rest, $unset: { waiting: '' as const } }, upsert: true } };
};

/**
 * Corrects deliveries that have not changed since they were read. In one transaction, so a concurrent plan or outcome
 * conflicts with it, and one of the two is retried.
 */
export const applyCorrections = (store: ReadStore) => {
  const { deliveries, positions } = deliveryCollectionsIn(store.db);

  return async (
    { partition, deliveries: all, back_to }: DeliveryCorrections,
    by: PartitionFencingToken,
  ): Promise<ReadonlySet<string> | null> =>
    await store.transaction(async (session) => {
      const { filter } = positionUpdate(partition, by, {}, []);
      const stored = await positions.findOne(filter, { session });
      if (stored === null) return null;
      const { next_status, next_request } = planningProgressOf(stored);
      const lower = {
        ...(back_to?.next_status === undefined ? {} : { next_status: Math.min(next_status, back_to.next_status) }),
        ...(back_to?.next_request === undefined ? {} : { next_request: Math.min(next_request, back_to.next_request) }),
      };
      await positions.updateOne(
        filter,
        {
          $inc: { plans: 1, ...(back_to === null ? {} : { taken: 1 }) },
          ...(Object.keys(lower).length === 0 ? {} : { $set: lower }),
        },
        { session },
      );
      const ids = all.map(({ id }) => id);
      const found = await deliveries.find({ _id: { $in: ids } }, { session }).toArray();
      const now = new Map(found.map((one) => [one._id, one]));
      const same = all.filter(({ id, was }) => isDeepStrictEqual(now.get(id) ?? null, was));
      if (same.length > 0) await deliveries.bulkWrite(same.map(writeOf), { session, ordered: true });
      return new Set(same.map(({ id }) => id));
    });
};
