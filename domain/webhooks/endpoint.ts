import type { EventKind } from './event-kinds.ts';

/** By hand, because the endpoint answered 410, or because it failed for too long. */
export type DisabledReason = 'by_hand' | 'gone' | 'failing';

export type SubscribedEvents = { readonly since: number; readonly events: readonly EventKind[] };

export type DisabledPeriod = { readonly from: number; readonly to: number | null; readonly reason: string };

/**
 * The target of a team's deliveries, as the fold of the catalogue builds it. Times are append times, ms since the
 * epoch. Secrets are encrypted with the key of the deployment.
 */
export type WebhookEndpoint = {
  readonly kind: 'webhook_endpoint';
  readonly id: string;
  readonly team_id: string;
  readonly url: string;
  readonly created_at: number;
  /** In time order, never empty; the last entry is current. At most MAX_CHANGES_KEPT; the oldest are dropped. */
  readonly subscriptions: readonly SubscribedEvents[];
  /** In time order; only the last entry can be open. At most MAX_CHANGES_KEPT; the oldest are dropped. */
  readonly disabled: readonly DisabledPeriod[];
  /** Encrypted; empty after the endpoint is deleted. */
  readonly secret: string;
  /** The new encrypted secret of a rotation, and the start of the rotation. */
  readonly next_secret: { readonly sealed: string; readonly since: number } | null;
  readonly deleted_at: number | null;
};

export type TeamWebhooks = {
  readonly kind: 'team_webhooks';
  readonly id: string;
  readonly endpoint_ids: readonly string[];
};

export const MAX_ENDPOINTS_OF_A_TEAM = 20;
export const MAX_CHANGES_KEPT = 50;

/** After this time, the new secret of a rotation replaces the old one automatically. */
export const ROTATION_MS = 24 * 60 * 60 * 1_000;

type SecretsInUse = Pick<WebhookEndpoint, 'secret' | 'next_secret'>;

export const isRotationOver = ({ next_secret }: SecretsInUse, at: number): boolean =>
  next_secret !== null && at - next_secret.since >= ROTATION_MS;

/**
 * The encrypted secrets that sign a delivery. `X-Webhook-Signature` uses `signature`: the old secret until the rotation
 * is over. The Standard Webhooks header uses `standard`: during a rotation, the new secret and then the old one.
 *
 * @param now ms since the epoch
 */
export const signingSecrets = (
  endpoint: SecretsInUse,
  now: number,
): { readonly signature: string; readonly standard: readonly string[] } => {
  const { secret, next_secret } = endpoint;
  if (next_secret === null) return { signature: secret, standard: [secret] };
  if (isRotationOver(endpoint, now)) return { signature: next_secret.sealed, standard: [next_secret.sealed] };
  return { signature: secret, standard: [next_secret.sealed, secret] };
};

export const currentDisabledPeriod = ({ disabled }: Pick<WebhookEndpoint, 'disabled'>): DisabledPeriod | null => {
  const last = disabled.at(-1);
  return last?.to === null ? last : null;
};

export const isDisabled = (endpoint: Pick<WebhookEndpoint, 'disabled'>): boolean =>
  currentDisabledPeriod(endpoint) !== null;

type Subscribed = Pick<WebhookEndpoint, 'subscriptions'>;

export const subscribedEvents = ({ subscriptions }: Subscribed): readonly EventKind[] =>
  subscriptions.at(-1)?.events ?? [];

/**
 * The subscribed events at the time `at`. For times before the oldest known change, the oldest known change applies.
 */
const subscribedAt = ({ subscriptions }: Subscribed, at: number): readonly EventKind[] =>
  (subscriptions.findLast(({ since }) => since <= at) ?? subscriptions[0])?.events ?? [];

/** When the endpoint was last created or enabled, ms since the epoch. A current disabled period does not change it. */
export const enabledSince = ({ created_at, disabled }: Pick<WebhookEndpoint, 'created_at' | 'disabled'>): number =>
  disabled.findLast(({ to }) => to !== null)?.to ?? created_at;

/**
 * Whether an event is delivered. The result depends only on the endpoint's state at the time `at` (append time, ms
 * since the epoch), so later planning gives the same result. The relay also checks the present state before each
 * attempt.
 *
 * @returns `none` if the endpoint did not exist or was not subscribed, `skipped` if it was disabled
 */
export const deliveryObligation = (
  endpoint: WebhookEndpoint,
  event: EventKind,
  at: number,
): 'owed' | 'skipped' | 'none' => {
  const { created_at, deleted_at, disabled } = endpoint;
  if (created_at > at || (deleted_at !== null && deleted_at <= at)) return 'none';
  if (!subscribedAt(endpoint, at).includes(event)) return 'none';
  return disabled.some(({ from, to }) => from <= at && (to === null || at < to)) ? 'skipped' : 'owed';
};
