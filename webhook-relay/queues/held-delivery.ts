import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import { dueAtOfQueuePosition, queuePositionOfText } from '../../read-models/deliveries/waiting.ts';

/** A delivery that waits in memory. What was answered to its former attempts is left out: only the store needs it. */
export type HeldDelivery = {
  readonly delivery: WebhookDeliveryDocument;
  readonly body: string;
  /** When its next attempt is due, ms. */
  readonly due_at: number;
  /** Its position in the queue; the lower one is before. */
  readonly position: string;
};

/** Where a delivery stands in its queue; null for one that is ended. */
export const queuePositionOf = ({ waiting }: Pick<WebhookDeliveryDocument, 'waiting'>): string | null =>
  waiting === undefined ? null : queuePositionOfText(waiting);

/** Comes just behind a position: no delivery can have it. */
export const queuePositionAfter = (position: string): string => `${position}~`;

/** Null for one that is ended: it waits for nothing. */
export const heldDelivery = (delivery: WebhookDeliveryDocument): HeldDelivery | null => {
  const { state, body, attempts } = delivery;
  const position = queuePositionOf(delivery);
  if (state !== 'pending' || position === null || body === null) return null;
  return {
    delivery: { ...delivery, attempts: attempts.map((attempt) => ({ ...attempt, response: null })) },
    body,
    due_at: dueAtOfQueuePosition(position),
    position,
  };
};
