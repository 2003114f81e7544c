import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { beyond } from '../embedded/queries.ts';
import { listPosition } from '../position.ts';
import type { WebhookHealthDocument } from './documents.ts';
import { deliveryModel } from './model.ts';

/** Failing endpoints, as all relays see them. Rejects while the store is unavailable. */
export type EndpointHealth = {
  /**
   * Another delivery was exhausted.
   *
   * @param at ms since the epoch
   * @returns the failures of the endpoint so far
   */
  readonly exhausted: (endpoint_id: string, at: number) => Promise<WebhookHealthDocument>;
  /** The endpoint is healthy. */
  readonly clear: (endpoint_id: string) => Promise<void>;
  /**
   * Whether any relay has delivered to it since then. Some stores read all deliveries of the endpoint that were planned
   * in between, so it is called only before an endpoint is disabled.
   *
   * @param since ms since the epoch
   * @param planned_before ms since the epoch: later deliveries are ignored; all count if it is omitted
   */
  readonly hasSucceededSince: (endpoint_id: string, since: number, planned_before?: number) => Promise<boolean>;
};

/** From the planning of a delivery to its last attempt: five attempts and four waits, of ten minutes at most. */
const LONGEST_DELIVERY_MS = 60 * 60 * 1_000;

/**
 * The health of endpoints in `webhook_endpoint_health`. It uses single writes, and no transaction touches the
 * collection.
 */
export const endpointHealth = (db: Db): EndpointHealth => {
  const { health, deliveries } = deliveryModel(db);
  return {
    exhausted: async (_id, at) => {
      const update = { $inc: { exhausted: 1 }, $setOnInsert: { failing_since: at } };
      const now = await health.findOneAndUpdate({ _id }, update, { upsert: true, returnDocument: 'after' });
      return now ?? { _id, failing_since: at, exhausted: 1 };
    },

    clear: async (_id) => {
      await health.deleteOne({ _id });
    },

    hasSucceededSince: async (endpoint_id, since, planned_before) => {
      const planned = (at: number): string => `${endpoint_id}/${listPosition(at, '')}`;
      const found = await deliveries.findOne(
        {
          by_endpoint: {
            $gte: planned(Math.max(0, since - LONGEST_DELIVERY_MS)),
            $lt: planned_before === undefined ? beyond(`${endpoint_id}/`) : planned(planned_before),
          },
          state: 'succeeded',
          ended_at: { $gt: since },
        },
        { projection: { _id: 1 }, ...queryTimeout() },
      );
      return found !== null;
    },
  };
};
