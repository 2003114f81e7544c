import type { Indexes } from '../../platform/read-store/create-indexes.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';

/** Collections of the relay. */
export const WEBHOOK_INDEXES: Indexes = new Map([
  [
    COLLECTIONS.webhook_deliveries,
    [
      // Sparse and not partial: only those that wait have the field, and a range of it is found by every server so.
      { key: { waiting: 1 }, sparse: true },
      { key: { by_endpoint: 1 } },
      { key: { delete_at: 1 }, expireAfterSeconds: 0 },
    ],
  ],
  [COLLECTIONS.webhook_positions, []],
  [COLLECTIONS.webhook_endpoint_health, []],
]);
