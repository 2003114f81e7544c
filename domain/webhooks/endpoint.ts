import type { EventKind } from './event-kinds.ts';

/** Why an endpoint is disabled: by hand, because it answered 410, or because it failed for too long. */
export type DisabledReason = 'by_hand' | 'gone' | 'failing';

/** What an endpoint is subscribed to from `since` on. */
export type SubscribedEvents = { readonly since: number; readonly events: readonly EventKind[] };

/** `to` is null while it lasts. */
export type DisabledPeriod = { readonly from: number; readonly to: number | null; readonly reason: string };

/**
 * Where deliveries of a team go, as the fold of the catalogue leaves it. Times are append times, ms since the epoch.
 * Secrets are sealed: they can be opened only with the key of the deployment.
 */
export type WebhookEndpoint = {
  readonly kind: 'webhook_endpoint';
  /** `whe_…` */
  readonly id: string;
  readonly team_id: string;
  readonly url: string;
  readonly created_at: number;
  /** In order of time, never empty; the last one counts now. At most MOST_CHANGES_KEPT, the oldest are dropped. */
  readonly subscriptions: readonly SubscribedEvents[];
  /** In order of time; only the last can be open. At most MOST_CHANGES_KEPT, the oldest are dropped. */
  readonly disabled: readonly DisabledPeriod[];
  /** Sealed; empty once the endpoint is deleted. */
  readonly secret: string;
  /** A rotation under way: the new secret, sealed, and when it was begun. */
  readonly next_secret: { readonly sealed: string; readonly since: number } | null;
  readonly deleted_at: number | null;
};

/** `id` is the team's; the live endpoints that it has. */
export type TeamWebhooks = {
  readonly kind: 'team_webhooks';
  readonly id: string;
  readonly endpoint_ids: readonly string[];
};

export const MOST_ENDPOINTS_OF_A_TEAM = 20;
export const MOST_CHANGES_KEPT = 50;

/** After this long a rotation is activated by itself. */
export const ROTATION_MS = 24 * 60 * 60 * 1_000;

type SecretsInUse = Pick<WebhookEndpoint, 'secret' | 'next_secret'>;

/** Whether the rotation under way, if there is one, has been activated by itself. `at`: ms since the epoch. */
export const rotationIsOver = ({ next_secret }: SecretsInUse, at: number): boolean =>
  next_secret !== null && at - next_secret.since >= ROTATION_MS;

/**
 * Sealed secrets that a delivery is signed with. `signature` is that of `X-Webhook-Signature`: the old one until the
 * rotation is over. `standard` are those of the Standard Webhooks header: during a rotation the new one, then the old.
 *
 * @param now ms since the epoch
 */
export const signingSecrets = (
  endpoint: SecretsInUse,
  now: number,
): { readonly signature: string; readonly standard: readonly string[] } => {
  const { secret, next_secret } = endpoint;
  if (next_secret === null) return { signature: secret, standard: [secret] };
  if (rotationIsOver(endpoint, now)) return { signature: next_secret.sealed, standard: [next_secret.sealed] };
  return { signature: secret, standard: [next_secret.sealed, secret] };
};

/** The period that lasts, null while the endpoint is enabled. */
export const disabledNow = ({ disabled }: Pick<WebhookEndpoint, 'disabled'>): DisabledPeriod | null => {
  const last = disabled.at(-1);
  return last?.to === null ? last : null;
};

export const isDisabled = (endpoint: Pick<WebhookEndpoint, 'disabled'>): boolean => disabledNow(endpoint) !== null;

type Subscribed = Pick<WebhookEndpoint, 'subscriptions'>;

/** What the endpoint is subscribed to now, in the order of EVENT_KINDS. */
export const subscribedEvents = ({ subscriptions }: Subscribed): readonly EventKind[] =>
  subscriptions.at(-1)?.events ?? [];

/** Before the changes that are still known the first of them counts. */
const subscribedAt = ({ subscriptions }: Subscribed, at: number): readonly EventKind[] =>
  (subscriptions.findLast(({ since }) => since <= at) ?? subscriptions[0])?.events ?? [];

/** When the endpoint was last enabled: made, or enabled again; of a disabled one, before that. Ms since the epoch. */
export const enabledSince = ({ created_at, disabled }: Pick<WebhookEndpoint, 'created_at' | 'disabled'>): number =>
  disabled.findLast(({ to }) => to !== null)?.to ?? created_at;

/**
 * Whether an event at `at` (append time, ms since the epoch) is delivered. Depends only on the endpoint's state at that
 * time, so planning again later gives the same result. The relay checks the present state before each attempt.
 * `none`: the endpoint was not there yet, or no longer, or was not subscribed. `skipped`: it was disabled.
 */
export const owed = (endpoint: WebhookEndpoint, event: EventKind, at: number): 'owed' | 'skipped' | 'none' => {
  const { created_at, deleted_at, disabled } = endpoint;
  if (created_at > at || (deleted_at !== null && deleted_at <= at)) return 'none';
  if (!subscribedAt(endpoint, at).includes(event)) return 'none';
  return disabled.some(({ from, to }) => from <= at && (to === null || at < to)) ? 'skipped' : 'owed';
};
