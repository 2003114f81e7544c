import type { Db } from 'mongodb';
import { inTime } from '../../platform/read-store/in-time.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import type { WebhookDeliveryDocument, WebhookHealthDocument } from '../../read-models/deliveries/documents.ts';
import { listPosition } from '../../read-models/position.ts';
import type { EndpointHealth } from '../ports.ts';

/** From the planning of a delivery to its last attempt: five attempts and four waits, of ten minutes at most. */
const LONGEST_DELIVERY_MS = 60 * 60 * 1_000;

/** The health of endpoints in `webhook_endpoint_health`. Its writes are single ones: no transaction touches them. */
export const endpointHealth = (db: Db): EndpointHealth => {
  const health = db.collection<WebhookHealthDocument>(COLLECTIONS.webhook_endpoint_health);
  const deliveries = db.collection<WebhookDeliveryDocument>(COLLECTIONS.webhook_deliveries);
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
      const planned_after = Math.max(0, since - LONGEST_DELIVERY_MS);
      const found = await deliveries.findOne(
        {
          by_endpoint: {
            $gte: `${endpoint_id}/${listPosition(planned_after, '')}`,
            $lt: `${endpoint_id}/${planned_before === undefined ? '~' : listPosition(planned_before, '')}`,
          },
          state: 'succeeded',
          ended_at: { $gt: since },
        },
        { projection: { _id: 1 }, ...inTime() },
      );
      return found !== null;
    },
  };
};
