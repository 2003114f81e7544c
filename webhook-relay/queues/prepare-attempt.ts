import * as E from 'fp-ts/lib/Either.js';
import { isDisabled, signingSecrets, type WebhookEndpoint } from '../../domain/webhooks/endpoint.ts';
import { messageOf } from '../../platform/logging/message-of.ts';
import { rejectOnAbort } from '../../platform/process/abortable.ts';
import { bodySignature, standardSignature } from '../../platform/secrets/webhook-signatures.ts';
import type { EndpointQueueDependencies } from './parts.ts';
import type { QueuedDelivery } from './queued-delivery.ts';

/** `signature` is for `X-Webhook-Signature`, `standard` for the header of Standard Webhooks. */
export type DecryptedSigningSecrets = { readonly signature: string; readonly standard: readonly string[] };

/** @param timestamp of the body; equal in all attempts */
export const attemptHeaders = (
  id: string,
  timestamp: number,
  body: Buffer,
  secrets: DecryptedSigningSecrets,
  now: number,
): Readonly<Record<string, string>> => {
  const now_s = Math.floor(now / 1_000);
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1.0',
    'X-Webhook-ID': id,
    'X-Webhook-Timestamp': String(timestamp),
    'X-Webhook-Signature': bodySignature(body, secrets.signature),
    'webhook-id': id,
    'webhook-timestamp': String(now_s),
    'webhook-signature': secrets.standard.map((secret) => standardSignature(id, now_s, body, secret)).join(' '),
  };
};

export type PreparedAttempt =
  | {
      readonly tag: 'dial';
      readonly endpoint: WebhookEndpoint;
      readonly body: Buffer;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly tag: 'skip'; readonly reason: 'deleted' | 'disabled' }
  | { readonly tag: 'later'; readonly wait_ms: number };

const UNREAD_WAIT_MS = 1_000;
/** The pause after faults that only an operator can fix. */
const LONG_WAIT_MS = 10_000;

export const endpointReadinessName = (endpoint_id: string): string => `webhook endpoint ${endpoint_id}`;

const lockedBy = (reason: string): string => `its signing secret: ${reason}; its deliveries wait`;

const openSecrets = async (
  parts: Pick<EndpointQueueDependencies, 'openSecret'>,
  endpoint: WebhookEndpoint,
  now: number,
): Promise<E.Either<string, DecryptedSigningSecrets>> => {
  const sealed = signingSecrets(endpoint, now);
  const [signature, ...standard] = await Promise.all(
    [sealed.signature, ...sealed.standard].map((one) => parts.openSecret(endpoint.id, one)),
  );
  if (signature === undefined || E.isLeft(signature)) return signature ?? E.left('there is none');
  return E.map((opened: readonly string[]) => ({ signature: signature.right, standard: opened }))(
    E.sequenceArray(standard),
  );
};

/**
 * Prepares the request of an attempt. A missing endpoint is not treated as deleted, because the read model may be
 * rebuilding.
 *
 * @param isDisabledHere whether this process has just disabled the endpoint: the read model may be behind
 */
export const prepareAttempt = async (
  parts: Pick<EndpointQueueDependencies, 'directory' | 'openSecret' | 'clock' | 'warn' | 'readiness'>,
  { delivery, body }: QueuedDelivery,
  isDisabledHere: (endpoint: WebhookEndpoint) => boolean,
  stop: AbortSignal,
): Promise<PreparedAttempt> => {
  const { endpoint_id } = delivery;
  let endpoint: WebhookEndpoint | null;
  try {
    endpoint = await rejectOnAbort(stop, parts.directory.endpoint(endpoint_id));
  } catch (error) {
    if (!stop.aborted) parts.warn({ endpoint_id, reason: messageOf(error) }, 'an endpoint cannot be read yet');
    return { tag: 'later', wait_ms: UNREAD_WAIT_MS };
  }
  if (endpoint === null) {
    parts.warn({ endpoint_id, reason: endpoint_id }, 'an endpoint is not in the read model: its deliveries wait');
    return { tag: 'later', wait_ms: LONG_WAIT_MS };
  }
  const now = parts.clock.now();
  const is_deleted = endpoint.deleted_at !== null;
  const is_over = is_deleted || isDisabled(endpoint) || isDisabledHere(endpoint);
  const secrets = is_over ? null : await openSecrets(parts, endpoint, now);
  const locked = secrets !== null && E.isLeft(secrets) ? lockedBy(secrets.left) : null;
  parts.readiness.set(endpointReadinessName(endpoint_id), locked);
  if (locked !== null) parts.warn({ endpoint_id, reason: endpoint_id }, locked);
  if (secrets === null) return { tag: 'skip', reason: is_deleted ? 'deleted' : 'disabled' };
  if (E.isLeft(secrets)) return { tag: 'later', wait_ms: LONG_WAIT_MS };
  const bytes = Buffer.from(body, 'utf8');
  const trace = delivery.traceparent === undefined ? {} : { traceparent: delivery.traceparent };
  const headers = { ...attemptHeaders(delivery._id, delivery.timestamp, bytes, secrets.right, now), ...trace };
  return { tag: 'dial', endpoint, body: bytes, headers };
};
