import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import { dueAtOfPlace, placeOfText } from '../../read-models/deliveries/waiting.ts';

/** A delivery that waits in memory. What was answered to its former attempts is left out: only the store needs it. */
export type HeldDelivery = {
  readonly delivery: WebhookDeliveryDocument;
  readonly body: string;
  /** When its next attempt is due, ms. */
  readonly due_at: number;
  /** Its place in the queue; the lower one is before. */
  readonly place: string;
};

/** Where a delivery stands in its queue; null for one that is ended. */
export const placeOf = ({ waiting }: Pick<WebhookDeliveryDocument, 'waiting'>): string | null =>
  waiting === undefined ? null : placeOfText(waiting);

/** Comes just behind a place: no delivery can have it. */
export const placeBehind = (place: string): string => `${place}~`;

/** Null for one that is ended: it waits for nothing. */
export const heldDelivery = (delivery: WebhookDeliveryDocument): HeldDelivery | null => {
  const { state, body, attempts } = delivery;
  const place = placeOf(delivery);
  if (state !== 'pending' || place === null || body === null) return null;
  return {
    delivery: { ...delivery, attempts: attempts.map((attempt) => ({ ...attempt, response: null })) },
    body,
    due_at: dueAtOfPlace(place),
    place,
  };
};
