import { createHash } from 'node:crypto';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import { deleteAt } from '../../read-models/deliveries/retention.ts';
import { waitingText } from '../../read-models/deliveries/waiting.ts';
import { listPosition } from '../../read-models/position.ts';
import type { DeliveryPayload } from '../../schemas/http/delivery-payload.ts';
import type { RenderResource } from '../../schemas/http/render-resource.ts';
import type { Begun, DeliveryEnd, DeliveryHistory } from './delivery-history.ts';

/** What a delivery is about. */
export type DeliveryPlan = { readonly id: string } & Pick<
  WebhookDeliveryDocument,
  'endpoint_id' | 'team_id' | 'render_id' | 'seq' | 'event' | 'partition' | 'status_offset' | 'repeats' | 'traceparent'
>;

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

/** A delivery that has ended, as far as the log tells of it: what was answered, and its body, are not in the log. */
export const endedDelivery = (
  plan: DeliveryPlan,
  { begun, body_sha256 }: Pick<DeliveryHistory, 'begun' | 'body_sha256'>,
  { state, reason, ended_at }: DeliveryEnd,
): WebhookDeliveryDocument => ({
  ...common(plan, begun?.planned_at ?? ended_at),
  state,
  reason,
  body: null,
  body_sha256,
  attempts: begun?.attempts ?? [],
  ended_at,
  delete_at: deleteAt(state, ended_at),
});

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
