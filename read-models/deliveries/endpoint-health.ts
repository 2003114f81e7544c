import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { prefixRangeEnd } from '../embedded/queries.ts';
import { listPosition } from '../position.ts';
import type { WebhookHealthDocument } from './documents.ts';
import { deliveryCollectionsIn } from './model.ts';

/** Failing endpoints, shared by all relays. All functions reject on store outage. */
export type EndpointHealth = {
  readonly exhausted: (endpoint_id: string, at: number) => Promise<WebhookHealthDocument>;
  readonly clear: (endpoint_id: string) => Promise<void>;
  /**
   * Whether a delivery to the endpoint succeeded after `since`. Some stores read all deliveries that were planned in
   * this time, so the relay calls it only before it disables an endpoint.
   *
   * @param since ms since the epoch
   * @param planned_before ms since the epoch; if omitted, all deliveries count
   */
  readonly hasSucceededSince: (endpoint_id: string, since: number, planned_before?: number) => Promise<boolean>;
};

/** From the planning of a delivery to its last attempt: five attempts and four waits, each at most ten minutes. */
const LONGEST_DELIVERY_MS = 60 * 60 * 1_000;

/** Uses single writes without transactions, so writes never conflict. */
export const endpointHealth = (db: Db): EndpointHealth => {
  const { health, deliveries } = deliveryCollectionsIn(db);
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
            $lt: planned_before === undefined ? prefixRangeEnd(`${endpoint_id}/`) : planned(planned_before),
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
