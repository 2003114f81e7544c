import type { WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import type { RetrySchedule } from '../../domain/webhooks/schedule.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { PostRequest, PostResult } from '../../platform/outbound/post-result.ts';
import type { Readiness } from '../../platform/process/readiness.ts';
import type { Open } from '../../platform/secrets/sealed-secret.ts';
import type { WebhookAttempt, WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import type { EndpointHealth } from '../../read-models/deliveries/endpoint-health.ts';
import type { DeliveryStore, EndpointDirectory, Recorder } from '../ports.ts';
import type { QueueClock } from './wakes.ts';

export type QueueSettings = {
  readonly schedule: RetrySchedule;
  readonly attempt_timeout_ms: number;
  readonly attempts_at_once: number;
  readonly attempts_per_endpoint: number;
  readonly disable_after_s: number;
};

/** Why the relay itself disables an endpoint. */
export type OwnReason = 'gone' | 'failing';

/** Dependencies of the queues: clients, clock, chance and callbacks. */
export type QueueParts = {
  readonly settings: QueueSettings;
  readonly store: Pick<DeliveryStore, 'waiting' | 'due' | 'delivery'>;
  readonly directory: Pick<EndpointDirectory, 'endpoint'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly health: EndpointHealth;
  /** Appends `WebhookEndpointDisabled` for the endpoint as it was read. Rejects if `stop` aborts first. */
  readonly disable: (endpoint: WebhookEndpoint, reason: OwnReason, stop: AbortSignal) => Promise<void>;
  readonly openSecret: Open;
  /** One request; never rejects. */
  readonly post: (request: PostRequest) => Promise<PostResult>;
  readonly clock: QueueClock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly readiness: Pick<Readiness, 'set'>;
  readonly warn: Warn;
  /** An unexpected fault ends the process. */
  readonly crash: (error: unknown) => void;
  /** An attempt has ended; it began `late_ms` after it was due. Its outcome may not count. */
  readonly on_attempt: (delivery: WebhookDeliveryDocument, attempt: WebhookAttempt, late_ms: number) => void;
};
