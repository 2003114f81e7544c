import type { UpdateOneModel } from 'mongodb';
import type { WebhookDeliveryDocument, WebhookPositionDocument } from './documents.ts';

/** The planner's result for one batch of one partition. */
export type Plan = {
  readonly partition: number;
  /** New deliveries, in their order; skipped ones have already ended. */
  readonly deliveries: readonly WebhookDeliveryDocument[];
  /** Deliveries that one of them repeats: each gets `repeated_by`. */
  readonly repeated: readonly { readonly id: string; readonly by: string }[];
  /** Position of the planner after they are stored. */
  readonly next: Partial<Pick<WebhookPositionDocument, 'next_status' | 'next_request'>>;
};

/** `webhook_positions` as stored, from its first owner on, also before anything was planned. */
export type StoredPosition = Pick<WebhookPositionDocument, '_id'> &
  Partial<WebhookPositionDocument> & {
    /** Number of owners so far. */
    readonly taken: number;
    /**
     * Number of plans so far. It changes each time, so that a plan of a former owner conflicts if it began before the
     * partition was taken and ends after it.
     */
    readonly plans?: number;
  };

/** Members of a position that never decrease in one store. */
export type Progress = Required<Pick<StoredPosition, 'taken' | 'plans' | 'next_status' | 'next_request'>>;

export const progressOf = ({ taken, plans, next_status, next_request }: StoredPosition): Progress => ({
  taken,
  plans: plans ?? 0,
  next_status: next_status ?? 0,
  next_request: next_request ?? 0,
});

/** The position after a plan is stored. */
export const progressAfter = (before: Progress, next: Plan['next']): Progress => ({
  taken: before.taken,
  plans: before.plans + 1,
  next_status: Math.max(before.next_status, next.next_status ?? 0),
  next_request: Math.max(before.next_request, next.next_request ?? 0),
});

/** Whether a plan may still be stored: the conditions of `moveOf`. */
export const mayPlan = (stored: PartitionOwner | undefined, { taken, plans }: PartitionOwner): boolean =>
  stored !== undefined && stored.taken === taken && stored.plans >= plans;

export const isBehind = (one: Progress, other: Progress): boolean =>
  one.taken < other.taken ||
  one.plans < other.plans ||
  one.next_status < other.next_status ||
  one.next_request < other.next_request;

/** Null for a partition without plans. */
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

/** The owner of a partition: the number of owners when it took the partition, and the number of plans that it knows. */
export type PartitionOwner = Pick<Progress, 'taken' | 'plans'>;

/**
 * The move of a position by its owner. It matches nothing if the partition has another owner, or if the store was restored from a backup. A position that moved there would skip what the store has lost.
 */
export const moveOf = (
  partition: number,
  { taken, plans }: PartitionOwner,
  next: Plan['next'],
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
