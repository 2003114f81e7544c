import type { UpdateOneModel } from 'mongodb';
import type { WebhookDeliveryDocument, WebhookPositionDocument } from './documents.ts';

/** What the planner hands over for one batch of one partition. */
export type Plan = {
  readonly partition: number;
  /** New deliveries, in their order; skipped ones are ended already. */
  readonly deliveries: readonly WebhookDeliveryDocument[];
  /** Deliveries that one of them makes again: `repeated_by` of each is set. */
  readonly repeated: readonly { readonly id: string; readonly by: string }[];
  /** Where the planner goes on, once they are stored. */
  readonly next: Partial<Pick<WebhookPositionDocument, 'next_status' | 'next_request'>>;
};

/** `webhook_positions` as it is stored: from its first owner on, and before anything was planned. */
export type StoredPosition = Pick<WebhookPositionDocument, '_id'> &
  Partial<WebhookPositionDocument> & {
    /** How often the partition got a new owner. */
    readonly taken: number;
    /**
     * How often anything was planned. It changes each time, so that a plan of a former owner, begun before the partition
     * was taken and ended after it, meets a conflict.
     */
    readonly plans?: number;
  };

/** Null for a partition in which nothing was ever planned. */
export const positionOf = (stored: StoredPosition): WebhookPositionDocument | null => {
  const { _id, next_status, next_request, last_planned_at } = stored;
  if (next_status === undefined && next_request === undefined) return null;
  return {
    _id,
    next_status: next_status ?? 0,
    next_request: next_request ?? 0,
    last_planned_at: last_planned_at ?? 0,
  };
};

/** The move of a position by its owner; it finds nothing once the partition has another. */
export const moveOf = (
  partition: number,
  taken: number,
  next: Plan['next'],
  planned_at: readonly number[],
): UpdateOneModel<StoredPosition> => {
  const highest = {
    ...(next.next_status === undefined ? {} : { next_status: next.next_status }),
    ...(next.next_request === undefined ? {} : { next_request: next.next_request }),
    ...(planned_at.length === 0 ? {} : { last_planned_at: Math.max(...planned_at) }),
  };
  return {
    filter: { _id: partition, taken },
    update: { ...(Object.keys(highest).length === 0 ? {} : { $max: highest }), $inc: { plans: 1 } },
  };
};
