import type { WebhookDeliveryDocument } from '../../schemas/read-models/webhook-documents.ts';

/** A delivery that waits in memory. What was answered to its former attempts is left out: only the store needs it. */
export type HeldDelivery = {
  readonly delivery: WebhookDeliveryDocument;
  readonly body: string;
  /** When its next attempt is due, ms. */
  readonly due_at: number;
  /** Its place in the lane: `<13-digit due_at><12-digit order>`; the lower one is before. */
  readonly place: string;
};

const DUE_DIGITS = 13;
const PLACE_DIGITS = 25;

/** Where a delivery stands in its lane; null for one that is ended. */
export const placeOf = ({ waiting }: Pick<WebhookDeliveryDocument, 'waiting'>): string | null =>
  waiting?.slice(-PLACE_DIGITS) ?? null;

/** Comes before every place of the same `due_at`, and after every one that is due earlier. */
export const placeOfTime = (due_at: number): string => String(due_at).padStart(DUE_DIGITS, '0');

/** Comes just behind a place: no delivery can have it. */
export const placeBehind = (place: string): string => `${place}~`;

/** Milliseconds since the epoch. */
export const dueAtOfPlace = (place: string): number => Number(place.slice(0, DUE_DIGITS));

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
