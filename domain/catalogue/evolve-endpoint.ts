import {
  currentDisabledPeriod,
  enabledSince,
  isRotationOver,
  MAX_CHANGES_KEPT,
  MAX_ENDPOINTS_OF_A_TEAM,
  subscribedEvents,
  type WebhookEndpoint,
} from '../webhooks/endpoint.ts';
import { EVENT_KINDS, type EventKind, isEventKind } from '../webhooks/event-kinds.ts';
import type {
  WebhookEndpointCreated,
  WebhookEndpointDeleted,
  WebhookEndpointDisabled,
  WebhookEndpointEnabled,
  WebhookEventsChosen,
  WebhookSecretActivated,
  WebhookSecretRotated,
} from './events.ts';
import { acceptedVerdict, type CatalogueVerdict, type CatalogueView, ignoredVerdict } from './verdict.ts';

/** In characters. Servers and proxies accept request lines of this length. */
const LONGEST_URL = 2_000;

/** Only the newest changes stay, so that the document of an often-changed endpoint has a bounded size. */
const kept = <A>(changes: readonly A[]): readonly A[] => changes.slice(-MAX_CHANGES_KEPT);

const chosen = (events: readonly string[]): readonly EventKind[] | 'no_events' | 'event_unknown' => {
  if (events.length === 0) return 'no_events';
  if (!events.every(isEventKind)) return 'event_unknown';
  return EVENT_KINDS.filter((kind) => events.includes(kind));
};

/**
 * The log's clock may go back. The returned time is never before the endpoint's last change, so its history stays in
 * order.
 */
const notBefore = ({ created_at, subscriptions, disabled, next_secret }: WebhookEndpoint, at: number): number => {
  const period = disabled.at(-1);
  const changes = [subscriptions.at(-1)?.since, period?.from, period?.to, next_secret?.since];
  return Math.max(at, created_at, ...changes.map((change) => change ?? 0));
};

export const evolveEndpointCreated = (
  view: CatalogueView,
  event: WebhookEndpointCreated,
  at: number,
): CatalogueVerdict => {
  const { endpoint_id: id, team_id, url, secret } = event;
  if (view('webhook_endpoint', id) !== null) return ignoredVerdict('already_exists');
  if (view('team', team_id) === null) return ignoredVerdict('team_unknown');
  if (!url.startsWith('https://') || [...url].length > LONGEST_URL) return ignoredVerdict('url_not_https');
  const events = chosen(event.events);
  if (typeof events === 'string') return ignoredVerdict(events);
  const endpoint_ids = view('team_webhooks', team_id)?.endpoint_ids ?? [];
  if (endpoint_ids.length >= MAX_ENDPOINTS_OF_A_TEAM) return ignoredVerdict('too_many_endpoints');
  return acceptedVerdict(
    {
      kind: 'webhook_endpoint',
      id,
      team_id,
      url,
      created_at: at,
      subscriptions: [{ since: at, events }],
      disabled: [],
      secret,
      next_secret: null,
      deleted_at: null,
    },
    { kind: 'team_webhooks', id: team_id, endpoint_ids: [...endpoint_ids, id] },
  );
};

export const evolveEndpointDeleted = (
  view: CatalogueView,
  { endpoint_id, team_id }: WebhookEndpointDeleted,
  at: number,
): CatalogueVerdict => {
  const endpoint = view('webhook_endpoint', endpoint_id);
  if (endpoint === null) return ignoredVerdict('endpoint_unknown');
  if (endpoint.team_id !== team_id) return ignoredVerdict('endpoint_of_another_team');
  if (endpoint.deleted_at !== null) return ignoredVerdict('already_so');
  const endpoint_ids = view('team_webhooks', team_id)?.endpoint_ids ?? [];
  return acceptedVerdict(
    { ...endpoint, secret: '', next_secret: null, deleted_at: notBefore(endpoint, at) },
    { kind: 'team_webhooks', id: team_id, endpoint_ids: endpoint_ids.filter((id) => id !== endpoint_id) },
  );
};

const eventsChosen = (endpoint: WebhookEndpoint, event: WebhookEventsChosen, at: number): CatalogueVerdict => {
  const events = chosen(event.events);
  if (typeof events === 'string') return ignoredVerdict(events);
  const now = subscribedEvents(endpoint);
  if (events.length === now.length && events.every((kind) => now.includes(kind))) return ignoredVerdict('already_so');
  return acceptedVerdict({ ...endpoint, subscriptions: kept([...endpoint.subscriptions, { since: at, events }]) });
};

const secretRotated = (endpoint: WebhookEndpoint, event: WebhookSecretRotated, at: number): CatalogueVerdict => {
  const { secret, next_secret } = endpoint;
  if (event.secret === secret || event.secret === next_secret?.sealed) return ignoredVerdict('already_so');
  const old = next_secret !== null && isRotationOver(endpoint, at) ? next_secret.sealed : secret;
  return acceptedVerdict({ ...endpoint, secret: old, next_secret: { sealed: event.secret, since: at } });
};

const secretActivated = (endpoint: WebhookEndpoint, event: WebhookSecretActivated, at: number): CatalogueVerdict => {
  const { secret, next_secret } = endpoint;
  if (event.secret !== next_secret?.sealed)
    return ignoredVerdict(event.secret === secret ? 'already_so' : 'no_rotation');
  if (isRotationOver(endpoint, at)) return ignoredVerdict('already_so');
  return acceptedVerdict({ ...endpoint, secret: next_secret.sealed, next_secret: null });
};

const disabled = (endpoint: WebhookEndpoint, event: WebhookEndpointDisabled, at: number): CatalogueVerdict => {
  const { reason, enabled_since } = event;
  if (currentDisabledPeriod(endpoint) !== null) return ignoredVerdict('already_so');
  if (enabled_since !== null && enabled_since !== enabledSince(endpoint)) return ignoredVerdict('enabled_meanwhile');
  return acceptedVerdict({ ...endpoint, disabled: kept([...endpoint.disabled, { from: at, to: null, reason }]) });
};

const enabled = (endpoint: WebhookEndpoint, at: number): CatalogueVerdict => {
  const period = currentDisabledPeriod(endpoint);
  if (period === null) return ignoredVerdict('already_so');
  return acceptedVerdict({ ...endpoint, disabled: [...endpoint.disabled.slice(0, -1), { ...period, to: at }] });
};

export const evolveEndpointChanged = (
  endpoint: WebhookEndpoint | null,
  event:
    | WebhookEventsChosen
    | WebhookSecretRotated
    | WebhookSecretActivated
    | WebhookEndpointDisabled
    | WebhookEndpointEnabled,
  append_time: number,
): CatalogueVerdict => {
  if (endpoint === null) return ignoredVerdict('endpoint_unknown');
  if (endpoint.deleted_at !== null) return ignoredVerdict('endpoint_deleted');
  const at = notBefore(endpoint, append_time);
  switch (event.type) {
    case 'WebhookEventsChosen':
      return eventsChosen(endpoint, event, at);
    case 'WebhookSecretRotated':
      return secretRotated(endpoint, event, at);
    case 'WebhookSecretActivated':
      return secretActivated(endpoint, event, at);
    case 'WebhookEndpointDisabled':
      return disabled(endpoint, event, at);
    case 'WebhookEndpointEnabled':
      return enabled(endpoint, at);
  }
};
