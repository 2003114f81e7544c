import type { Collection, Db } from 'mongodb';
import type { Indexes } from '../../platform/read-store/create-indexes.ts';
import { COLLECTIONS } from '../collections.ts';
import type { WebhookDeliveryDocument, WebhookHealthDocument } from './documents.ts';
import type { StoredPosition } from './plan.ts';

export type DeliveryCollections = {
  readonly deliveries: Collection<WebhookDeliveryDocument>;
  readonly positions: Collection<StoredPosition>;
  readonly health: Collection<WebhookHealthDocument>;
};

export const deliveryCollectionsIn = (db: Db): DeliveryCollections => ({
  deliveries: db.collection(COLLECTIONS.webhook_deliveries),
  positions: db.collection(COLLECTIONS.webhook_positions),
  health: db.collection(COLLECTIONS.webhook_endpoint_health),
});

export const DELIVERY_INDEXES: Indexes = new Map([
  [
    COLLECTIONS.webhook_deliveries,
    [
      // Sparse and not partial: every server uses a sparse index for a range, and only waiting deliveries have the
      // field.
      { key: { waiting: 1 }, sparse: true },
      { key: { by_endpoint: 1 } },
      { key: { render_id: 1 } },
      { key: { delete_at: 1 }, expireAfterSeconds: 0 },
    ],
  ],
  [COLLECTIONS.webhook_positions, []],
  [COLLECTIONS.webhook_endpoint_health, []],
]);
