import type { DeliveryRequested } from '../../domain/webhooks/delivery-events.ts';
import type { WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import { type EventKind, eventsOf } from '../../domain/webhooks/event-kinds.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { PlannedBatch } from '../../read-models/deliveries/plan.ts';
import type { Render as RenderResource } from '../../schemas/http/public/renders.ts';
import {
  type DeliveryPlan,
  type PlanningTime,
  POSITIONS_PER_RECORD,
  pendingDelivery,
  skippedDelivery,
} from './planned-deliveries.ts';
import type { StatusChange } from './status-changes.ts';

export type DeliveryRequest = {
  readonly partition: number;
  readonly offset: number;
  readonly requested: DeliveryRequested;
  readonly event: EventKind;
};

/** The order number of requested deliveries, so that they sort after the deliveries of transitions. */
const ORDER_IN_RECORD = POSITIONS_PER_RECORD - 1;

const MADE_UP_FAILURE = { stage: 'rendering', code: 'test', message: 'this is a test delivery: no render failed' };

const madeUpRender = (render_id: string, team_id: string, event: EventKind, at: number): RenderResource => {
  const failed = event === 'render.failed';
  return {
    id: render_id,
    name: 'Test delivery',
    status: failed ? 'failed' : 'complete',
    type: 'cloud',
    project: { id: 'proj_test', team: team_id },
    ...(failed ? { failure: MADE_UP_FAILURE } : { output: { master: 'https://example.com/test-delivery.mp4' } }),
    created_by: null,
    created_at: at,
    updated_at: at,
  };
};

const isAbout = (
  { requested, event }: DeliveryRequest,
  endpoint: WebhookEndpoint,
  { render, transition }: StatusChange,
) =>
  render.id === requested.render_id &&
  render.team_id === endpoint.team_id &&
  transition.seq === requested.seq &&
  eventsOf(transition).includes(event);

/**
 * The delivery that an operator requested, with a new body. It is skipped if the endpoint was deleted or the transition
 * is missing.
 *
 * @param change null if there is no transition
 * @param data null if the render was erased
 */
export const requestedDelivery = (
  request: DeliveryRequest,
  endpoint: WebhookEndpoint | undefined,
  change: StatusChange | null,
  data: RenderResource | null,
  time: PlanningTime,
  is_full: boolean,
): WebhookDeliveryDocument => {
  const { requested, event, partition, offset } = request;
  const { delivery_id, endpoint_id, team_id, render_id, seq, status_offset, repeats } = requested;
  const plan: DeliveryPlan = {
    id: delivery_id,
    endpoint_id,
    team_id,
    render_id,
    seq,
    event,
    partition,
    status_offset,
    repeats,
  };
  if (endpoint === undefined || endpoint.deleted_at !== null) return skippedDelivery(plan, time, 'deleted');
  if (is_full) return skippedDelivery(plan, time, 'backlog');
  const order = offset * POSITIONS_PER_RECORD + ORDER_IN_RECORD;
  if (status_offset === null) {
    const at = time.logged(delivery_id)?.planned_at ?? time.now;
    return pendingDelivery(plan, madeUpRender(render_id, team_id, event, at), time, order);
  }
  if (change === null || !isAbout(request, endpoint, change)) return skippedDelivery(plan, time, 'no_such_transition');
  return data === null ? skippedDelivery(plan, time, 'erased') : pendingDelivery(plan, data, time, order);
};

export type RepeatLink = PlannedBatch['repeated'][number];

/**
 * The link from a repeated delivery to its repeat. It exists even if the repeat was skipped for backlog: operators then
 * repeat the repeat, not the former delivery.
 */
export const repeatLinkOf = ({
  _id: by,
  repeats: id,
  state,
  reason,
}: Pick<WebhookDeliveryDocument, '_id' | 'repeats' | 'state' | 'reason'>): readonly RepeatLink[] =>
  id === null || (state === 'skipped' && reason !== 'backlog') ? [] : [{ id, by }];
