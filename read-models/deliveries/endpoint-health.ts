import type { Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { beyond } from '../embedded/queries.ts';
import { listPosition } from '../position.ts';
import type { WebhookHealthDocument } from './documents.ts';
import { deliveryModel } from './model.ts';

/** Which endpoints fail, from what all relays see. Rejects while the store is away. */
export type EndpointHealth = {
  /**
   * One more delivery was exhausted.
   *
   * @param at ms since the epoch
   * @returns what is known against the endpoint now
   */
  readonly exhausted: (endpoint_id: string, at: number) => Promise<WebhookHealthDocument>;
  /** Nothing is known against the endpoint any more. */
  readonly clear: (endpoint_id: string) => Promise<void>;
  /**
   * Whether any relay has delivered anything to it since then. Some stores read everything of the endpoint that was
   * planned in between: so it is asked before the worst only.
   *
   * @param since ms since the epoch
   * @param planned_before ms since the epoch: what was planned later is not looked at; everything is if left out
   */
  readonly hasSucceededSince: (endpoint_id: string, since: number, planned_before?: number) => Promise<boolean>;
};

/** From the planning of a delivery to its last attempt: five attempts and four waits, of ten minutes at most. */
const LONGEST_DELIVERY_MS = 60 * 60 * 1_000;

/** The health of endpoints in `webhook_endpoint_health`. Its writes are single ones: no transaction touches them. */
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
