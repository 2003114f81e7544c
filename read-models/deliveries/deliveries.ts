import { createIndexes } from '../../platform/read-store/create-indexes.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { prefixRangeEnd } from '../embedded/queries.ts';
import type { WebhookDeliveryDocument } from './documents.ts';
import { applyCorrections, type DeliveryCorrections } from './mend.ts';
import { DELIVERY_INDEXES, deliveryCollectionsIn } from './model.ts';
import type { PartitionFencingToken, StoredPosition } from './plan.ts';
import { createRestoreGroup, type RestoredDeliveries } from './restore.ts';
import { parseQueuePosition, partitionStart, queuePositionOfTime, queueStart } from './waiting.ts';
import { type DeliveryWrite, type DeliveryWriteResult, writeGroup } from './write-group.ts';

/** The deliveries in an endpoint's queue from a position on that are due before a time (ms). */
export type QueueWindow = {
  readonly partition: number;
  readonly endpoint_id: string;
  readonly from_position: string;
  readonly due_before: number;
};

export type IdRange = { readonly from: string | null; readonly to: string | null };

/** Waiting and ended deliveries, and the planner's positions. All functions reject on store outage. */
export type Deliveries = {
  readonly prepare: () => Promise<void>;
  /**
   * Makes this process the owner of a partition. The store then refuses plans of the former owner, and later reads find
   * all its earlier plans.
   */
  readonly takePartition: (partition: number) => Promise<StoredPosition>;
  readonly positions: () => Promise<readonly StoredPosition[]>;
  readonly write: (writes: readonly DeliveryWrite[]) => Promise<readonly DeliveryWriteResult[]>;
  readonly restore: (restored: RestoredDeliveries, by: PartitionFencingToken) => Promise<boolean>;
  readonly correct: (mend: DeliveryCorrections, by: PartitionFencingToken) => Promise<ReadonlySet<string> | null>;
  readonly stored: (
    partition: number,
    range: IdRange,
    recover: (error: unknown) => Promise<void>,
  ) => AsyncIterable<WebhookDeliveryDocument>;
  readonly findAll: (delivery_ids: readonly string[]) => Promise<readonly WebhookDeliveryDocument[]>;
  /**
   * Reads the waiting deliveries of a partition. A delivery that moves during the read gets a later position, so it is
   * read at least once. Some stores read the whole range before they return the first delivery.
   *
   * @param recover called after a failure; when it resolves, reading continues after the last delivery
   */
  readonly waiting: (
    partition: number,
    recover: (error: unknown) => Promise<void>,
  ) => AsyncIterable<{ readonly endpoint_id: string; readonly due_at: number }>;
  readonly queue: (window: QueueWindow, limit: number) => Promise<readonly WebhookDeliveryDocument[]>;
  readonly find: (delivery_id: string) => Promise<WebhookDeliveryDocument | null>;
  readonly pendingOf: (render_id: string) => Promise<readonly WebhookDeliveryDocument[]>;
  /**
   * Deletes the responses of endpoints to a render's deliveries, which have all ended.
   *
   * @returns whether there were any
   */
  readonly dropAnswers: (render_id: string) => Promise<boolean>;
};

const SCANNED_AT_ONCE = 5_000;
const STORED_AT_ONCE = 500;
const QUEUE_TIMEOUT_MS = 30_000;

export const openDeliveries = (store: ReadStore): Deliveries => {
  const { deliveries, positions } = deliveryCollectionsIn(store.db);
  return {
    prepare: () => createIndexes(store.db, DELIVERY_INDEXES),

    takePartition: (_id) =>
      // In a transaction: if a killed process left the document locked, a plain write would wait in the server.
      store.transaction(async (session) => {
        await positions.updateOne({ _id }, { $inc: { taken: 1 } }, { session, upsert: true });
        const stored = await positions.findOne({ _id }, { session });
        if (stored === null) throw new Error(`the position of partition ${_id} is missing after its write`);
        return stored;
      }),

    positions: () => positions.find({}, queryTimeout()).toArray(),
    write: writeGroup(store),
    restore: createRestoreGroup(store),
    correct: applyCorrections(store),

    async *stored(partition, { from, to }, recover) {
      let after: { readonly $gte: string } | { readonly $gt: string } = { $gte: from ?? '' };
      for (;;) {
        try {
          const found = deliveries
            .find({ _id: { ...after, ...(to === null ? {} : { $lt: to }) }, partition })
            .sort({ _id: 1 })
            .batchSize(STORED_AT_ONCE);
          for await (const delivery of found) {
            after = { $gt: delivery._id };
            yield delivery;
          }
          return;
        } catch (error) {
          await recover(error);
        }
      }
    },

    findAll: (ids) => deliveries.find({ _id: { $in: [...ids] } }, queryTimeout(QUEUE_TIMEOUT_MS)).toArray(),

    async *waiting(partition, recover) {
      let after = partitionStart(partition);
      const end = prefixRangeEnd(after);
      for (;;) {
        try {
          const found = deliveries
            .find<{ readonly waiting: string }>(
              { waiting: { $gt: after, $lt: end } },
              { projection: { waiting: 1, _id: 0 } },
            )
            .sort({ waiting: 1 })
            .batchSize(SCANNED_AT_ONCE);
          for await (const { waiting } of found) {
            after = waiting;
            const { endpoint_id, due_at } = parseQueuePosition(waiting);
            yield { endpoint_id, due_at };
          }
          return;
        } catch (error) {
          await recover(error);
        }
      }
    },

    queue: async ({ partition, endpoint_id, from_position, due_before }, limit) => {
      const queue = queueStart(partition, endpoint_id);
      const end = queuePositionOfTime(Math.max(0, Math.ceil(due_before)));
      return await deliveries
        .find({ waiting: { $gte: `${queue}${from_position}`, $lt: `${queue}${end}` } }, queryTimeout(QUEUE_TIMEOUT_MS))
        .sort({ waiting: 1 })
        .limit(limit)
        .toArray();
    },

    find: (_id) => deliveries.findOne({ _id }, queryTimeout()),

    pendingOf: (render_id) => deliveries.find({ render_id, state: 'pending' }, queryTimeout()).toArray(),

    dropAnswers: async (render_id) => {
      const ended = await deliveries.find({ render_id }, { projection: { attempts: 1 }, ...queryTimeout() }).toArray();
      const answered = ended.filter(({ attempts }) => attempts.some(({ response }) => response !== null));
      for (const { _id, attempts } of answered) {
        const dropped = attempts.map((attempt) => ({ ...attempt, response: null }));
        await deliveries.updateOne({ _id }, { $set: { attempts: dropped } });
      }
      return answered.length > 0;
    },
  };
};
