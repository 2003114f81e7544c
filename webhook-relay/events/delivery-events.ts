import { createHash } from 'node:crypto';
import type { Meta } from '../../domain/event/meta.ts';
import type { WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import type { WebhookAttempt, WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { DeliveryOutcome } from '../../read-models/deliveries/outcome.ts';
import type { DeliveryCause } from '../ports.ts';

/** `actor` is `relay:…`, `occurred_at` in ms since the epoch. */
export type Author = Pick<Meta, 'actor' | 'occurred_at'>;

type Kind = WebhookEvent['type'];

/** The event id. It is derived from the content, so that consumers can recognize repeats. */
const eventId = (delivery_id: string, kind: Kind, n: number): string =>
  createHash('sha256')
    .update(JSON.stringify([delivery_id, kind, n]))
    .digest('hex');

const about = ({ _id, endpoint_id, render_id }: WebhookDeliveryDocument) => ({
  delivery_id: _id,
  endpoint_id,
  render_id,
});

const planOf = (delivery: WebhookDeliveryDocument) => {
  const { team_id, seq, event, status_offset, repeats } = delivery;
  return { ...about(delivery), team_id, seq, event, status_offset, repeats };
};

export const plannedEvent = (
  by: Author,
  delivery: WebhookDeliveryDocument,
  cause: DeliveryCause | undefined,
): WebhookEvent => {
  const from = cause ?? { causation_id: null, correlation_id: null };
  const metaOf = (kind: Kind): Meta => ({
    ...by,
    ...from,
    occurred_at: delivery.planned_at,
    event_id: eventId(delivery._id, kind, 0),
  });
  return delivery.state === 'skipped'
    ? {
        type: 'DeliverySkipped',
        meta: metaOf('DeliverySkipped'),
        ...planOf(delivery),
        reason: delivery.reason ?? 'skipped',
      }
    : { type: 'DeliveryPlanned', meta: metaOf('DeliveryPlanned'), ...planOf(delivery) };
};

const attemptedEvent = (meta: Meta, delivery: WebhookDeliveryDocument, attempt: WebhookAttempt): WebhookEvent => ({
  type: 'DeliveryAttempted',
  meta,
  ...about(delivery),
  n: attempt.n,
  started_at: attempt.started_at,
  duration_ms: attempt.duration_ms,
  body_sha256: delivery.body_sha256 ?? '',
  succeeded: attempt.succeeded,
  status: attempt.status,
  fault: attempt.fault?.code ?? null,
});

export const outcomeEvents = (
  by: Author,
  delivery: WebhookDeliveryDocument,
  { attempts_before, attempt, result }: DeliveryOutcome,
): readonly WebhookEvent[] => {
  const attempts = attempt?.n ?? attempts_before;
  const planned = eventId(delivery._id, 'DeliveryPlanned', 0);
  const attempted = attempt === null ? planned : eventId(delivery._id, 'DeliveryAttempted', attempts);
  const metaOf = (kind: Kind, n: number, causation_id: string): Meta => ({
    ...by,
    causation_id,
    correlation_id: null,
    event_id: eventId(delivery._id, kind, n),
  });
  const events: readonly WebhookEvent[] =
    attempt === null ? [] : [attemptedEvent(metaOf('DeliveryAttempted', attempts, planned), delivery, attempt)];
  switch (result.tag) {
    case 'retry':
      return events;
    case 'succeeded': {
      const meta = metaOf('DeliverySucceeded', attempts, attempted);
      return [...events, { type: 'DeliverySucceeded', meta, ...about(delivery), attempts }];
    }
    case 'exhausted': {
      const meta = metaOf('DeliveryExhausted', attempts, attempted);
      return [...events, { type: 'DeliveryExhausted', meta, ...about(delivery), attempts, reason: result.reason }];
    }
    case 'skipped': {
      const meta = metaOf('DeliverySkipped', attempts, attempted);
      return [...events, { type: 'DeliverySkipped', meta, ...planOf(delivery), reason: result.reason }];
    }
  }
};
