import type { EventKind } from '../../domain/webhooks/event-kinds.ts';

export type WebhookAttempt = {
  readonly n: number;
  readonly started_at: number;
  readonly duration_ms: number;
  readonly succeeded: boolean;
  readonly status: number | null;
  /** A code like `timeout`, and a message for people; null if the attempt succeeded. */
  readonly fault: { readonly code: string; readonly message: string } | null;
  /**
   * The beginning of the response body as text, null without a response. The last attempt keeps at most 20 kB, earlier
   * ones at most 2 kB.
   */
  readonly response: string | null;
};

export type DeliveryState = 'pending' | 'succeeded' | 'exhausted' | 'skipped';

/**
 * `webhook_deliveries`: the relay's queue, and the delivery log for operators. The topic `webhook-events` keeps the
 * events without a time limit.
 */
export type WebhookDeliveryDocument = {
  readonly _id: string;
  readonly endpoint_id: string;
  readonly team_id: string;
  readonly render_id: string;
  readonly seq: number;
  readonly event: EventKind;
  /** Partition of `render-status` and `webhook-events`. Its owner sends the delivery. */
  readonly partition: number;
  readonly status_offset: number | null;
  readonly repeats: string | null;
  readonly repeated_by: string | null;
  readonly planned_at: number;
  readonly traceparent?: string;
  readonly state: DeliveryState;
  /** Why the delivery was skipped, or ended before its last attempt; otherwise null. */
  readonly reason: string | null;
  /** The exact body, UTF-8; null if the planner skipped the delivery, and after its end. */
  readonly body: string | null;
  /** SHA-256 of the body, lowercase hex; null if the planner skipped the delivery. */
  readonly body_sha256: string | null;
  readonly timestamp: number;
  readonly attempts: readonly WebhookAttempt[];
  /**
   * Only while pending: `<4-digit partition>/<endpoint>/<13-digit due_at><12-digit order>`. The next attempt is due at
   * `due_at` (ms); `order` is the rank among the planned deliveries of the partition.
   */
  readonly waiting?: string;
  /** `<endpoint>/<13-digit planned_at><id>`: the log of an endpoint is one range. */
  readonly by_endpoint: string;
  readonly ended_at: number | null;
  /** Set after the end: when the store deletes the delivery. */
  readonly delete_at?: Date;
};

/** `webhook_positions`: `_id` is the partition. All records below the offsets are planned and stored. */
export type WebhookPositionDocument = {
  readonly _id: number;
  readonly next_status: number;
  readonly next_request: number;
  /** The highest `planned_at` so far, ms; 0 before the first. */
  readonly last_planned_at: number;
};

/** `webhook_endpoint_health`: only endpoints with exhausted deliveries. The next success deletes the document. */
export type WebhookHealthDocument = {
  readonly _id: string;
  readonly failing_since: number;
  readonly exhausted: number;
};
