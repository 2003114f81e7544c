import { owed, type WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import { eventsOf } from '../../domain/webhooks/event-kinds.ts';
import { deliveryId } from '../../read-models/deliveries/delivery-id.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { RenderResource } from '../../schemas/http/render-resource.ts';
import { type PlanningTime, pendingDelivery, skippedDelivery } from './delivery-document.ts';
import type { StatusChange } from './status-changes.ts';

/** Deliveries of one record never stand at the same place: so many can come of it. */
export const ORDERS_OF_RECORD = 4;

const oldestFirst = (a: WebhookEndpoint, b: WebhookEndpoint): number =>
  a.created_at - b.created_at || (a.id < b.id ? -1 : 1);

/** Whether any of the endpoints is owed anything for the transition: then its body is needed. */
export const isOwed = ({ transition }: StatusChange, endpoints: readonly WebhookEndpoint[]): boolean =>
  eventsOf(transition).some((event) => endpoints.some((endpoint) => owed(endpoint, event, transition.at) === 'owed'));

/**
 * What one transition owes the endpoints of the render's team: to each one delivery for every event that it was
 * subscribed to then, skipped while it was disabled, and where too many wait for it already.
 *
 * @param data the render as it then was; null where it was erased since, and where nothing is owed
 * @param isFull whether too many deliveries to an endpoint wait
 */
export const deliveriesOf = (
  change: StatusChange,
  endpoints: readonly WebhookEndpoint[],
  data: RenderResource | null,
  time: PlanningTime,
  isFull: (endpoint_id: string) => boolean,
): readonly WebhookDeliveryDocument[] => {
  const { partition, offset, render, transition, trace } = change;
  return endpoints.toSorted(oldestFirst).flatMap((endpoint) =>
    eventsOf(transition).flatMap((event, index) => {
      const verdict = owed(endpoint, event, transition.at);
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
      return [pendingDelivery(plan, data, time, offset * ORDERS_OF_RECORD + index)];
    }),
  );
};
