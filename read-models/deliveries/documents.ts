import type { EventKind } from '../../domain/webhooks/event-kinds.ts';

/** One attempt at a delivery, as the relay keeps it. */
export type WebhookAttempt = {
  /** From 1. */
  readonly n: number;
  /** Milliseconds since the epoch. */
  readonly started_at: number;
  readonly duration_ms: number;
  readonly succeeded: boolean;
  /** HTTP status; null where none came. */
  readonly status: number | null;
  /** A code like `timeout`, and what it means, for a person; null if nothing went wrong. */
  readonly fault: { readonly code: string; readonly message: string } | null;
  /**
   * The beginning of the answer's body as text, at most 20 kB, and at most 2 kB where another attempt followed; null
   * where none came.
   */
  readonly response: string | null;
};

export type DeliveryState = 'pending' | 'succeeded' | 'exhausted' | 'skipped';

/**
 * `webhook_deliveries`: the working state of the relay, and the delivery log that operators read. `webhook-events`
 * tells the same for ever.
 */
export type WebhookDeliveryDocument = {
  /** `hook_…` */
  readonly _id: string;
  readonly endpoint_id: string;
  readonly team_id: string;
  readonly render_id: string;
  readonly seq: number;
  readonly event: EventKind;
  /** Partition of `render-status` and `webhook-events`: whose owner makes it. */
  readonly partition: number;
  /** Null in a test delivery. */
  readonly status_offset: number | null;
  /** The delivery that is made again with this one. */
  readonly repeats: string | null;
  /** The delivery that repeats this one, once an operator asked for it. */
  readonly repeated_by: string | null;
  readonly planned_at: number;
  /** Of the record that led to it, where that has one; sent along. */
  readonly traceparent?: string;
  readonly state: DeliveryState;
  /** Why it was skipped, or ended before its last attempt; else null. */
  readonly reason: string | null;
  /** The exact body, UTF-8; null when it was skipped from the beginning, and once it has ended. */
  readonly body: string | null;
  /** Of the body's bytes, lowercase hex; null when it was skipped from the beginning. */
  readonly body_sha256: string | null;
  /** `timestamp` in the body, ms since the epoch. */
  readonly timestamp: number;
  readonly attempts: readonly WebhookAttempt[];
  /**
   * Only while it is pending: `<4-digit partition>/<endpoint>/<13-digit due_at><12-digit order>`; the next attempt is
   * due at `due_at` (ms); `order` is its place among those planned in the partition.
   */
  readonly waiting?: string;
  /** `<endpoint>/<13-digit planned_at><id>`: one range for the log of an endpoint. */
  readonly by_endpoint: string;
  readonly ended_at: number | null;
  /** Only once it has ended: when the store deletes it. */
  readonly delete_at?: Date;
};

/** `webhook_positions`: `_id` is the partition. Everything below is planned and stored. */
export type WebhookPositionDocument = {
  readonly _id: number;
  /** Offset of `render-status` to be planned next. */
  readonly next_status: number;
  /** Offset of `webhook-events` to be looked at next for requests. */
  readonly next_request: number;
  /** The highest `planned_at` of all that was planned, ms; 0 before the first. */
  readonly last_planned_at: number;
};

/** `webhook_endpoint_health`: only for endpoints whose deliveries are being exhausted; deleted at the next success. */
export type WebhookHealthDocument = {
  /** Endpoint id. */
  readonly _id: string;
  /** When the first delivery since the last success was exhausted, ms. */
  readonly failing_since: number;
  /** Deliveries that were exhausted since. */
  readonly exhausted: number;
};
