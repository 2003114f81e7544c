import type { EventKind } from '../../domain/webhooks/event-kinds.ts';

/** One attempt at a delivery, as the relay stores it. */
export type WebhookAttempt = {
  /** From 1. */
  readonly n: number;
  /** Milliseconds since the epoch. */
  readonly started_at: number;
  readonly duration_ms: number;
  readonly succeeded: boolean;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  /** A code like `timeout`, and its meaning for a person; null if the attempt succeeded. */
  readonly fault: { readonly code: string; readonly message: string } | null;
  /**
   * The beginning of the response's body as text, at most 20 kB, and at most 2 kB if another attempt followed; null
   * without a response.
   */
  readonly response: string | null;
};

export type DeliveryState = 'pending' | 'succeeded' | 'exhausted' | 'skipped';

/**
 * `webhook_deliveries`: the state of the relay, and the delivery log for operators. `webhook-events` keeps the same
 * facts without a time limit.
 */
export type WebhookDeliveryDocument = {
  readonly _id: string;
  readonly endpoint_id: string;
  readonly team_id: string;
  readonly render_id: string;
  readonly seq: number;
  readonly event: EventKind;
  /** Partition of `render-status` and `webhook-events`: its owner sends the delivery. */
  readonly partition: number;
  /** Null in a test delivery. */
  readonly status_offset: number | null;
  /** The delivery that this one repeats. */
  readonly repeats: string | null;
  /** The delivery that repeats this one, if an operator requested it. */
  readonly repeated_by: string | null;
  readonly planned_at: number;
  /** Trace context of the source record, if it has one; sent with the delivery. */
  readonly traceparent?: string;
  readonly state: DeliveryState;
  /** Why it was skipped, or ended before its last attempt; otherwise null. */
  readonly reason: string | null;
  /** The exact body, UTF-8; null if it was skipped at planning, and after its end. */
  readonly body: string | null;
  /** Hash of the body's bytes, lowercase hex; null if it was skipped at planning. */
  readonly body_sha256: string | null;
  /** `timestamp` in the body, ms since the epoch. */
  readonly timestamp: number;
  readonly attempts: readonly WebhookAttempt[];
  /**
   * Only while it is pending: `<4-digit partition>/<endpoint>/<13-digit due_at><12-digit order>`. The next attempt is
   * due at `due_at` (ms); `order` is its place among the planned deliveries of the partition.
   */
  readonly waiting?: string;
  /** `<endpoint>/<13-digit planned_at><id>`: one range for the log of an endpoint. */
  readonly by_endpoint: string;
  readonly ended_at: number | null;
  /** Only after its end: when the store deletes it. */
  readonly delete_at?: Date;
};

/** `webhook_positions`: `_id` is the partition. Everything below is planned and stored. */
export type WebhookPositionDocument = {
  readonly _id: number;
  /** Next offset of `render-status` to plan. */
  readonly next_status: number;
  /** Next offset of `webhook-events` to search for requests. */
  readonly next_request: number;
  /** The highest `planned_at` so far, ms; 0 before the first. */
  readonly last_planned_at: number;
};

/** `webhook_endpoint_health`: only of endpoints with exhausted deliveries; deleted at the next success. */
export type WebhookHealthDocument = {
  /** Endpoint id. */
  readonly _id: string;
  /** When the first delivery since the last success was exhausted, ms. */
  readonly failing_since: number;
  /** Deliveries that were exhausted since. */
  readonly exhausted: number;
};
