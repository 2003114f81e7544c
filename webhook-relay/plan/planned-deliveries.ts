import { createHash } from 'node:crypto';
import { deliveryObligation, type WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import { eventsOf } from '../../domain/webhooks/event-kinds.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import { deliveryId } from '../../read-models/deliveries/plan.ts';
import { expiryOf } from '../../read-models/deliveries/retention.ts';
import { queuePositionText } from '../../read-models/deliveries/waiting.ts';
import { listPosition } from '../../read-models/position.ts';
import type { Render as RenderResource } from '../../schemas/http/public/renders.ts';
import type { DeliveryPayload } from '../../schemas/http/public/webhooks.ts';
import type { DeliveryEnd, DeliveryHistory, LoggedAttempts } from './delivery-history.ts';
import type { StatusChange } from './status-changes.ts';

export type DeliveryPlan = { readonly id: string } & Pick<
  WebhookDeliveryDocument,
  'endpoint_id' | 'team_id' | 'render_id' | 'seq' | 'event' | 'partition' | 'status_offset' | 'repeats' | 'traceparent'
>;

export type PlanningTime = {
  readonly now: number;
  /**
   * The due time of new deliveries. It never decreases within a partition, so that queues keep the order of the log.
   */
  readonly due_at: number;
  readonly logged: (delivery_id: string) => LoggedAttempts | null;
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
 * A new pending delivery. Its body is fixed here, because all attempts send the same bytes.
 *
 * @param order number of the delivery in its partition
 */
export const pendingDelivery = (
  plan: DeliveryPlan,
  data: RenderResource,
  time: PlanningTime,
  order: number,
): WebhookDeliveryDocument => {
  const { id, event, endpoint_id, partition } = plan;
  const logged = time.logged(id);
  const planned_at = logged?.planned_at ?? time.now;
  const payload: DeliveryPayload = { id, event, data, timestamp: planned_at };
  const body = JSON.stringify(payload);
  return {
    ...common(plan, planned_at),
    state: 'pending',
    reason: null,
    body,
    body_sha256: createHash('sha256').update(body, 'utf8').digest('hex'),
    attempts: logged?.attempts ?? [],
    waiting: queuePositionText({ partition, endpoint_id, due_at: logged?.due_at ?? time.due_at, order }),
    ended_at: null,
  };
};

/** An ended delivery from the log, which lacks the body and the answers. */
export const endedDelivery = (
  plan: DeliveryPlan,
  { logged, body_sha256 }: Pick<DeliveryHistory, 'logged' | 'body_sha256'>,
  { state, reason, ended_at }: DeliveryEnd,
): WebhookDeliveryDocument => ({
  ...common(plan, logged?.planned_at ?? ended_at),
  state,
  reason,
  body: null,
  body_sha256,
  attempts: logged?.attempts ?? [],
  ended_at,
  delete_at: expiryOf(state, ended_at),
});

export const skippedDelivery = (plan: DeliveryPlan, time: PlanningTime, reason: string): WebhookDeliveryDocument => ({
  ...common(plan, time.logged(plan.id)?.planned_at ?? time.now),
  state: 'skipped',
  reason,
  body: null,
  body_sha256: null,
  attempts: time.logged(plan.id)?.attempts ?? [],
  ended_at: time.now,
  delete_at: expiryOf('skipped', time.now),
});

/** The order numbers that each record has for its deliveries, so that their positions are unique. */
export const POSITIONS_PER_RECORD = 4;

const oldestFirst = (a: WebhookEndpoint, b: WebhookEndpoint): number =>
  a.created_at - b.created_at || (a.id < b.id ? -1 : 1);

/** Whether any endpoint gets a delivery, so that a body is needed. */
export const needsDelivery = ({ transition }: StatusChange, endpoints: readonly WebhookEndpoint[]): boolean =>
  eventsOf(transition).some((event) =>
    endpoints.some((endpoint) => deliveryObligation(endpoint, event, transition.at) === 'owed'),
  );

/**
 * The deliveries of a status change: one for each endpoint and each event to which it was subscribed at the time. A
 * delivery is skipped if its endpoint was disabled or its queue is full.
 *
 * @param data null if the render was erased, or no delivery needs it
 */
export const planDeliveries = (
  change: StatusChange,
  endpoints: readonly WebhookEndpoint[],
  data: RenderResource | null,
  time: PlanningTime,
  isFull: (endpoint_id: string) => boolean,
): readonly WebhookDeliveryDocument[] => {
  const { partition, offset, render, transition, trace } = change;
  return endpoints.toSorted(oldestFirst).flatMap((endpoint) =>
    eventsOf(transition).flatMap((event, index) => {
      const verdict = deliveryObligation(endpoint, event, transition.at);
      if (verdict === 'none') return [];
      const id = deliveryId(endpoint.id, render.id, transition.seq, event);
      const plan = {
        id,
        endpoint_id: endpoint.id,
        team_id: endpoint.team_id,
        render_id: render.id,
        seq: transition.seq,
        event,
        partition,
        status_offset: offset,
        repeats: null,
        ...trace,
      };
      if (verdict === 'skipped') return [skippedDelivery(plan, time, 'disabled')];
      if (data === null) return [skippedDelivery(plan, time, 'erased')];
      if (isFull(endpoint.id)) return [skippedDelivery(plan, time, 'backlog')];
      return [pendingDelivery(plan, data, time, offset * POSITIONS_PER_RECORD + index)];
    }),
  );
};
