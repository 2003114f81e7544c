import { createHash } from 'node:crypto';
import type { WebhookAttempt, WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import { deleteAt } from '../../read-models/deliveries/retention.ts';
import { waitingText } from '../../read-models/deliveries/waiting.ts';
import { listPosition } from '../../read-models/position.ts';
import type { DeliveryPayload } from '../../schemas/http/delivery-payload.ts';
import type { RenderResource } from '../../schemas/http/render-resource.ts';

/** What a delivery is about. */
export type DeliveryPlan = { readonly id: string } & Pick<
  WebhookDeliveryDocument,
  'endpoint_id' | 'team_id' | 'render_id' | 'seq' | 'event' | 'partition' | 'status_offset' | 'repeats' | 'traceparent'
>;

/** A delivery that was planned before, of which only the log knows any more. */
export type Begun = {
  /** Milliseconds since the epoch. */
  readonly planned_at: number;
  readonly attempts: readonly WebhookAttempt[];
  /** When the next attempt is due, ms; null before the first one. */
  readonly due_at: number | null;
};

/** Milliseconds since the epoch. */
export type PlanningTime = {
  readonly now: number;
  /** Never goes back within a partition, so that queues keep the order of the log. */
  readonly due_at: number;
  /** Null for what was not planned before. */
  readonly begun: (delivery_id: string) => Begun | null;
};

const common = ({ id, ...about }: DeliveryPlan, planned_at: number) => ({
  _id: id,
  ...about,
  repeated_by: null,
  planned_at,
  timestamp: planned_at,
  by_endpoint: `${about.endpoint_id}/${listPosition(planned_at, id)}`,
});

/**
 * A delivery that is owed, with the bytes that every attempt sends.
 *
 * @param data the render as it was then
 * @param order its place among those planned in its partition
 */
export const pendingDelivery = (
  plan: DeliveryPlan,
  data: RenderResource,
  time: PlanningTime,
  order: number,
): WebhookDeliveryDocument => {
  const { id, event, endpoint_id, partition } = plan;
  const begun = time.begun(id);
  const planned_at = begun?.planned_at ?? time.now;
  const payload: DeliveryPayload = { id, event, data, timestamp: planned_at };
  const body = JSON.stringify(payload);
  return {
    ...common(plan, planned_at),
    state: 'pending',
    reason: null,
    body,
    body_sha256: createHash('sha256').update(body, 'utf8').digest('hex'),
    attempts: begun?.attempts ?? [],
    waiting: waitingText({ partition, endpoint_id, due_at: begun?.due_at ?? time.due_at, order }),
    ended_at: null,
  };
};

/** A delivery that would have been owed, and is not made: for it there is no body. */
export const skippedDelivery = (plan: DeliveryPlan, time: PlanningTime, reason: string): WebhookDeliveryDocument => ({
  ...common(plan, time.begun(plan.id)?.planned_at ?? time.now),
  state: 'skipped',
  reason,
  body: null,
  body_sha256: null,
  attempts: time.begun(plan.id)?.attempts ?? [],
  ended_at: time.now,
  delete_at: deleteAt('skipped', time.now),
});
