import type { WebhookDeliveryDocument } from '../read-models/deliveries/documents.ts';
import { parseQueuePosition } from '../read-models/deliveries/waiting.ts';

/** A delivery as the APIs show it, without the body. Times are in ms since the epoch. */
export const deliveryView = (delivery: Omit<WebhookDeliveryDocument, 'body'>) => ({
  id: delivery._id,
  endpoint_id: delivery.endpoint_id,
  team_id: delivery.team_id,
  render_id: delivery.render_id,
  /** 0 in a test delivery. */
  seq: delivery.seq,
  event: delivery.event,
  state: delivery.state,
  reason: delivery.reason,
  repeats: delivery.repeats,
  repeated_by: delivery.repeated_by,
  planned_at: delivery.planned_at,
  next_attempt_at: delivery.waiting === undefined ? null : parseQueuePosition(delivery.waiting).due_at,
  ended_at: delivery.ended_at,
  body_sha256: delivery.body_sha256,
  attempts: delivery.attempts,
});
export type DeliveryView = ReturnType<typeof deliveryView>;

export const listedDelivery = ({ attempts, ...delivery }: DeliveryView) => {
  const last = attempts.at(-1);
  const shown = last && {
    started_at: last.started_at,
    duration_ms: last.duration_ms,
    status: last.status,
    fault: last.fault,
  };
  return { ...delivery, attempts: attempts.length, last_attempt: shown ?? null };
};
