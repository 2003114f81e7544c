import * as t from 'io-ts';
import { Integer } from '../event/integer.ts';
import { Meta } from '../event/meta.ts';
import { nullable } from '../event/nullable.ts';

/**
 * What a delivery is about. `render_id` is the key of the record, so a render's deliveries are in the partition of its
 * events. `seq` is the transition's; 0 in a test delivery, which is about no render that exists.
 */
const about = {
  meta: Meta,
  /** `hook_…` */
  delivery_id: t.string,
  endpoint_id: t.string,
  render_id: t.string,
};

const planned = {
  ...about,
  team_id: t.string,
  seq: Integer,
  event: t.string,
  /** Where the transition stands in the same partition of `render-status`; null in a test delivery. */
  status_offset: nullable(Integer),
  /** The delivery that is made again with this one, by hand. */
  repeats: nullable(t.string),
};

/** An operator asks for a delivery: an earlier one again, or a test. `actor` says who. */
export const DeliveryRequested = t.strict({ type: t.literal('DeliveryRequested'), ...planned });
export type DeliveryRequested = t.TypeOf<typeof DeliveryRequested>;

/** A delivery is owed. A repeat of it (after a crash) is the same delivery. */
export const DeliveryPlanned = t.strict({ type: t.literal('DeliveryPlanned'), ...planned });
export type DeliveryPlanned = t.TypeOf<typeof DeliveryPlanned>;

/** A delivery that would have been owed, and is not made: `disabled`, `deleted`, `backlog`, … An end. */
export const DeliverySkipped = t.strict({ type: t.literal('DeliverySkipped'), ...planned, reason: t.string });
export type DeliverySkipped = t.TypeOf<typeof DeliverySkipped>;

/** One attempt has ended. */
export const DeliveryAttempted = t.strict({
  type: t.literal('DeliveryAttempted'),
  ...about,
  /** From 1. */
  n: Integer,
  /** Milliseconds since the epoch, by the relay's clock. */
  started_at: Integer,
  duration_ms: Integer,
  /** Of the exact bytes that were sent, lowercase hex. */
  body_sha256: t.string,
  succeeded: t.boolean,
  /** HTTP status; null where none came. */
  status: nullable(Integer),
  /** What went wrong, as a code like `timeout`; null if nothing did. */
  fault: nullable(t.string),
});
export type DeliveryAttempted = t.TypeOf<typeof DeliveryAttempted>;

/** The endpoint answered 2xx. An end. */
export const DeliverySucceeded = t.strict({
  type: t.literal('DeliverySucceeded'),
  ...about,
  attempts: Integer,
});
export type DeliverySucceeded = t.TypeOf<typeof DeliverySucceeded>;

/** The last attempt failed, or the endpoint said that it is gone for good. An end. */
export const DeliveryExhausted = t.strict({
  type: t.literal('DeliveryExhausted'),
  ...about,
  attempts: Integer,
  reason: t.string,
});
export type DeliveryExhausted = t.TypeOf<typeof DeliveryExhausted>;

/** Everything that may stand in `webhook-events`. */
export const WEBHOOK_EVENTS = {
  DeliveryRequested,
  DeliveryPlanned,
  DeliverySkipped,
  DeliveryAttempted,
  DeliverySucceeded,
  DeliveryExhausted,
} as const;

export type WebhookEvent = t.TypeOf<(typeof WEBHOOK_EVENTS)[keyof typeof WEBHOOK_EVENTS]>;
