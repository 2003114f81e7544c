import { createHash } from 'node:crypto';
import type { UpdateOneModel } from 'mongodb';
import type { EventKind } from '../../domain/webhooks/event-kinds.ts';
import type { WebhookDeliveryDocument, WebhookPositionDocument } from './documents.ts';

/** `hook_` and 32 hex digits. They are derived from the delivery's subject, so a repeat is the same delivery. */
export const deliveryId = (endpoint_id: string, render_id: string, seq: number, event: EventKind): string =>
  `hook_${createHash('sha256')
    .update(JSON.stringify([endpoint_id, render_id, seq, event]))
    .digest('hex')
    .slice(0, 32)}`;

export type PlannedBatch = {
  readonly partition: number;
  readonly deliveries: readonly WebhookDeliveryDocument[];
  readonly repeated: readonly { readonly id: string; readonly by: string }[];
  readonly next: Partial<Pick<WebhookPositionDocument, 'next_status' | 'next_request'>>;
};

/** `webhook_positions` as stored. Members are missing before the first plan. */
export type StoredPosition = Pick<WebhookPositionDocument, '_id'> &
  Partial<WebhookPositionDocument> & {
    readonly taken: number;
    /**
     * Number of plans so far. Each plan changes it, so a former owner's plan conflicts with a new owner's
     * `takePartition` in between.
     */
    readonly plans?: number;
  };

export type PlanningProgress = Required<Pick<StoredPosition, 'taken' | 'plans' | 'next_status' | 'next_request'>>;

export const planningProgressOf = ({ taken, plans, next_status, next_request }: StoredPosition): PlanningProgress => ({
  taken,
  plans: plans ?? 0,
  next_status: next_status ?? 0,
  next_request: next_request ?? 0,
});

export const planningProgressAfter = (before: PlanningProgress, next: PlannedBatch['next']): PlanningProgress => ({
  taken: before.taken,
  plans: before.plans + 1,
  next_status: Math.max(before.next_status, next.next_status ?? 0),
  next_request: Math.max(before.next_request, next.next_request ?? 0),
});

export const isFencingTokenCurrent = (
  stored: PartitionFencingToken | undefined,
  { taken, plans }: PartitionFencingToken,
): boolean => stored !== undefined && stored.taken === taken && stored.plans >= plans;

export const isProgressBehind = (one: PlanningProgress, other: PlanningProgress): boolean =>
  one.taken < other.taken ||
  one.plans < other.plans ||
  one.next_status < other.next_status ||
  one.next_request < other.next_request;

export const planningPositionOf = (stored: StoredPosition): WebhookPositionDocument | null => {
  const { _id, next_status, next_request, last_planned_at } = stored;
  if (next_status === undefined && next_request === undefined) return null;
  return {
    _id,
    next_status: next_status ?? 0,
    next_request: next_request ?? 0,
    last_planned_at: last_planned_at ?? 0,
  };
};

/** The counts that the owner knows: of owners when it took the partition, and of plans. */
export type PartitionFencingToken = Pick<PlanningProgress, 'taken' | 'plans'>;

/**
 * The filter matches nothing if the partition has another owner, or if the store was restored from a backup. After a
 * restore, the planner would otherwise skip the deliveries that the store lost.
 */
export const positionUpdate = (
  partition: number,
  { taken, plans }: PartitionFencingToken,
  next: PlannedBatch['next'],
  planned_at: readonly number[],
): UpdateOneModel<StoredPosition> => {
  const highest = {
    ...(next.next_status === undefined ? {} : { next_status: next.next_status }),
    ...(next.next_request === undefined ? {} : { next_request: next.next_request }),
    ...(planned_at.length === 0 ? {} : { last_planned_at: Math.max(...planned_at) }),
  };
  return {
    filter: { _id: partition, taken, ...(plans === 0 ? {} : { plans: { $gte: plans } }) },
    update: { ...(Object.keys(highest).length === 0 ? {} : { $max: highest }), $inc: { plans: 1 } },
  };
};
