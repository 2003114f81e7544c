import { type Delivery, evolveDelivery } from '../../domain/webhooks/delivery.ts';
import type { WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import { MOST_ATTEMPTS, type RetrySchedule } from '../../domain/webhooks/schedule.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import { type Begun, begunAfter } from './begun.ts';

/** An event of `webhook-events`, and where it stands. */
export type PlacedEvent = {
  readonly offset: number;
  readonly event: WebhookEvent;
  /** Its headers hand on a `traceparent`. */
  readonly trace: Pick<WebhookDeliveryDocument, 'traceparent'>;
};

/** All that `webhook-events` tells of one delivery. */
export type DeliveryHistory = {
  readonly delivery: Delivery;
  /** Where it was asked for by hand; null for one that follows from a transition. */
  readonly requested_at: number | null;
  /** Null until it is planned. */
  readonly begun: Begun | null;
  /** Of the last attempt; null before the first one. */
  readonly body_sha256: string | null;
  /** When the last event about it was made, ms since the epoch. */
  readonly last_at: number;
  readonly trace: PlacedEvent['trace'];
};

/** How a delivery ended. */
export type DeliveryEnd = {
  readonly state: 'succeeded' | 'exhausted' | 'skipped';
  readonly reason: string | null;
  /** Milliseconds since the epoch. */
  readonly ended_at: number;
  /** False where its last attempt says so and no event does: the relay was killed between the two. */
  readonly is_logged: boolean;
};

/** Null where the fold ignores the event. */
export const historyAfter = (
  before: DeliveryHistory | null,
  { offset, event, trace }: PlacedEvent,
  schedule: RetrySchedule,
): DeliveryHistory | null => {
  const verdict = evolveDelivery(before?.delivery ?? null, event);
  if (verdict.tag === 'ignored') return null;
  return {
    delivery: verdict.delivery,
    requested_at: event.type === 'DeliveryRequested' ? offset : (before?.requested_at ?? null),
    begun: begunAfter(before?.begun ?? null, event, schedule),
    body_sha256: event.type === 'DeliveryAttempted' ? event.body_sha256 : (before?.body_sha256 ?? null),
    last_at: event.meta.occurred_at,
    trace: trace.traceparent === undefined ? (before?.trace ?? {}) : trace,
  };
};

/** Null while there is something to be done about it. */
export const endOf = ({ delivery, begun, last_at }: DeliveryHistory): DeliveryEnd | null => {
  const { stage, reason } = delivery;
  if (stage !== 'requested' && stage !== 'pending') return { state: stage, reason, ended_at: last_at, is_logged: true };
  const last = begun?.attempts.at(-1);
  if (last === undefined) return null;
  const ended = { ended_at: last.started_at + last.duration_ms, is_logged: false } as const;
  if (last.succeeded) return { state: 'succeeded', reason: null, ...ended };
  return last.n < MOST_ATTEMPTS ? null : { state: 'exhausted', reason: 'attempts_failed', ...ended };
};
