import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { Meta } from '../event/meta.ts';
import { nullable } from '../event/nullable.ts';

/** The record's key is `render_id`, so a render's deliveries are in the partition of its events. */
const about = {
  meta: Meta,
  delivery_id: t.string,
  endpoint_id: t.string,
  render_id: t.string,
};

const planned = {
  ...about,
  team_id: t.string,
  /** The number of the transition; 0 in a test delivery, because its render does not exist. */
  seq: Integer,
  event: t.string,
  /** The transition's offset in the same partition of `render-status`; null in a test delivery. */
  status_offset: nullable(Integer),
  /** The earlier delivery that an operator repeats with this one; otherwise null. */
  repeats: nullable(t.string),
};

export const DeliveryRequested = t.strict({ type: t.literal('DeliveryRequested'), ...planned });
export type DeliveryRequested = t.TypeOf<typeof DeliveryRequested>;

/** A crash of the relay may append this record twice; both records mean the same delivery. */
export const DeliveryPlanned = t.strict({ type: t.literal('DeliveryPlanned'), ...planned });
export type DeliveryPlanned = t.TypeOf<typeof DeliveryPlanned>;

/** A delivery is due but not sent: `disabled`, `deleted`, `backlog`, … Final. */
export const DeliverySkipped = t.strict({ type: t.literal('DeliverySkipped'), ...planned, reason: t.string });
export type DeliverySkipped = t.TypeOf<typeof DeliverySkipped>;

export const DeliveryAttempted = t.strict({
  type: t.literal('DeliveryAttempted'),
  ...about,
  n: Integer,
  /** ms since the epoch, by the relay's clock. */
  started_at: Integer,
  duration_ms: Integer,
  body_sha256: t.string,
  succeeded: t.boolean,
  /** HTTP status; null without a response. */
  status: nullable(Integer),
  fault: nullable(t.string),
});
export type DeliveryAttempted = t.TypeOf<typeof DeliveryAttempted>;

/** The endpoint answered 2xx. Final. */
export const DeliverySucceeded = t.strict({
  type: t.literal('DeliverySucceeded'),
  ...about,
  attempts: Integer,
});
export type DeliverySucceeded = t.TypeOf<typeof DeliverySucceeded>;

/** The last attempt failed, or the endpoint answered that it is permanently gone. Final. */
export const DeliveryExhausted = t.strict({
  type: t.literal('DeliveryExhausted'),
  ...about,
  attempts: Integer,
  reason: t.string,
});
export type DeliveryExhausted = t.TypeOf<typeof DeliveryExhausted>;

export const WEBHOOK_EVENTS = {
  DeliveryRequested,
  DeliveryPlanned,
  DeliverySkipped,
  DeliveryAttempted,
  DeliverySucceeded,
  DeliveryExhausted,
} as const;

export type WebhookEvent = t.TypeOf<(typeof WEBHOOK_EVENTS)[keyof typeof WEBHOOK_EVENTS]>;

export const isWebhookEvent = (record: { readonly type: string }): record is WebhookEvent =>
  Object.hasOwn(WEBHOOK_EVENTS, record.type);
