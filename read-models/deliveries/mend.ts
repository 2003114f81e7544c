import { isDeepStrictEqual } from 'node:util';
import type { AnyBulkWriteOperation } from 'mongodb';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { WebhookDeliveryDocument } from './documents.ts';
import { deliveryModel } from './model.ts';
import { moveOf, type PartitionOwner, type Plan, progressOf } from './plan.ts';

/** A delivery as it was read, and the correction; null if it is missing, or must be deleted. */
export type MendedDelivery = {
  readonly id: string;
  readonly was: WebhookDeliveryDocument | null;
  /** It has ended. */
  readonly to_be: WebhookDeliveryDocument | null;
};

export type Mend = Pick<Plan, 'partition'> & {
  readonly deliveries: readonly MendedDelivery[];
  /**
   * Where planning must go back to, so that open deliveries are planned again; empty to only read the waiting ones
   * again. The partition must then get a new owner: as after a restore, plans of the current one are refused. Null if
   * no correction concerns an open delivery.
   */
  readonly back_to: Plan['next'] | null;
};

const writeOf = ({ id, to_be }: MendedDelivery): AnyBulkWriteOperation<WebhookDeliveryDocument> => {
  if (to_be === null) return { deleteOne: { filter: { _id: id } } };
  const { _id, ...rest } = to_be;
  return { updateOne: { filter: { _id }, update: { $set: rest, $unset: { waiting: '' as const } }, upsert: true } };
};

/**
 * Corrects deliveries that are unchanged since they were read. In one transaction: a plan or an outcome that is stored
 * meanwhile conflicts with it, and one of the two is retried.
 *
 * @returns ids of the corrected deliveries; null if another process owns the partition
 */
export const mendGroup = (store: ReadStore) => {
  const { deliveries, positions } = deliveryModel(store.db);

  return async (
    { partition, deliveries: all, back_to }: Mend,
    by: PartitionOwner,
  ): Promise<ReadonlySet<string> | null> =>
    await store.transaction(async (session) => {
      const { filter } = moveOf(partition, by, {}, []);
      const stored = await positions.findOne(filter, { session });
      if (stored === null) return null;
      const { next_status, next_request } = progressOf(stored);
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
