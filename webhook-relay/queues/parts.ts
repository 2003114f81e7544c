import type { WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import type { RetrySchedule } from '../../domain/webhooks/schedule.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { PostRequest, PostResult } from '../../platform/outbound/post-result.ts';
import type { Readiness } from '../../platform/process/readiness.ts';
import type { OpenSecret } from '../../platform/secrets/sealed-secret.ts';
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

export type RelayDisableReason = 'gone' | 'failing';

export type EndpointQueueDependencies = {
  readonly settings: QueueSettings;
  readonly store: Pick<DeliveryStore, 'waiting' | 'due' | 'delivery'>;
  readonly directory: Pick<EndpointDirectory, 'endpoint'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly health: EndpointHealth;
  readonly disable: (endpoint: WebhookEndpoint, reason: RelayDisableReason, stop: AbortSignal) => Promise<void>;
  readonly openSecret: OpenSecret;
  readonly post: (request: PostRequest) => Promise<PostResult>;
  readonly clock: QueueClock;
  readonly random: () => number;
  readonly readiness: Pick<Readiness, 'set'>;
  readonly warn: Warn;
  readonly crash: (error: unknown) => void;
  /** Called after each attempt, also if its outcome does not count. `late_ms` is the time from due to start. */
  readonly on_attempt: (delivery: WebhookDeliveryDocument, attempt: WebhookAttempt, late_ms: number) => void;
};
