import type { DeliveryRequested } from '../domain/webhooks/delivery-events.ts';
import type { EventKind } from '../domain/webhooks/event-kinds.ts';
import type { DeliveryWithoutBody } from '../read-models/deliveries/delivery-log.ts';
import type { EndpointView } from './answers.ts';
import { newDeliveryId, placeholderRenderId, repeatedDeliveryId } from './delivery-ids.ts';
import { newEventMeta, type Operator } from './identity.ts';

/** All requests to repeat a delivery name the same new delivery, so the relay repeats it only once. */
export const repeatDeliveryRequest = (delivery: DeliveryWithoutBody, operator: Operator): DeliveryRequested => ({
  type: 'DeliveryRequested',
  meta: newEventMeta(operator),
  delivery_id: repeatedDeliveryId(delivery._id),
  endpoint_id: delivery.endpoint_id,
  render_id: delivery.render_id,
  team_id: delivery.team_id,
  seq: delivery.seq,
  event: delivery.event,
  status_offset: delivery.status_offset,
  repeats: delivery._id,
});

/**
 * A test delivery, about a render that does not exist.
 *
 * @param event null for the first event that the endpoint is subscribed to
 */
export const testDeliveryRequest = (
  { id: endpoint_id, team_id, events }: Pick<EndpointView, 'id' | 'team_id' | 'events'>,
  event: EventKind | null,
  operator: Operator,
): DeliveryRequested => ({
  type: 'DeliveryRequested',
  meta: newEventMeta(operator),
  delivery_id: newDeliveryId(),
  endpoint_id,
  render_id: placeholderRenderId(),
  team_id,
  seq: 0,
  event: event ?? events[0] ?? 'render.status_changed',
  status_offset: null,
  repeats: null,
});
