import type {
  EndpointAnswer,
  EndpointHistoryAnswer,
  EndpointSecretAnswer,
  RotatedEndpointAnswer,
} from '../http/webhooks.ts';
import { tableText, timeText } from '../table.ts';

/** A reason of a newer version is shown unchanged. */
const REASONS: Readonly<Record<string, string>> = {
  by_hand: 'by hand',
  gone: 'it returned status 410',
  failing: 'too many deliveries failed',
};
const reasonText = (reason: string): string => REASONS[reason] ?? reason;

const stateText = ({ state, disabled, rotation, deleted_at }: EndpointAnswer): string => {
  if (deleted_at !== null) return `deleted ${timeText(deleted_at)}`;
  const since = disabled === null ? state : `disabled ${timeText(disabled.since)}: ${reasonText(disabled.reason)}`;
  return rotation === null ? since : `${since}; secret rotation in progress until ${timeText(rotation.until)}`;
};

export const endpointsText = (endpoints: readonly EndpointAnswer[]): string =>
  tableText(
    ['id', 'team', 'url', 'events', 'state'],
    endpoints.map((endpoint) => [
      endpoint.id,
      endpoint.team_id,
      endpoint.url,
      endpoint.events.join(' '),
      stateText(endpoint),
    ]),
  );
export const endpointText = (endpoint: EndpointAnswer): string => endpointsText([endpoint]);

export const historyText = (endpoint: EndpointHistoryAnswer): string => {
  const { failing, subscriptions, disabled_periods } = endpoint;
  const chosen = tableText(
    ['since', 'subscribed to'],
    subscriptions.map(({ since, events }) => [timeText(since), events.join(' ')]),
  );
  const periods = tableText(
    ['disabled', 'until', 'why'],
    disabled_periods.map(({ from, to, reason }) => [
      timeText(from),
      to === null ? null : timeText(to),
      reasonText(reason),
    ]),
  );
  return [
    endpointText(endpoint),
    ...(failing === null
      ? []
      : [`All deliveries have failed since ${timeText(failing.since)}; ${failing.exhausted} have no retries left.`]),
    chosen,
    ...(disabled_periods.length === 0 ? [] : [periods]),
  ].join('\n\n');
};

const shownOnce = (secret: string): string =>
  `${secret}\n\nThis is the signing secret. Copy it to the receiver now: it cannot be shown again.`;

export const createdText = ({ secret, ...endpoint }: EndpointSecretAnswer): string =>
  secret === null
    ? `${endpointText(endpoint)}\n\nThe endpoint already exists, and its secret cannot be shown again. If you lost it: renderctl webhook rotate-secret ${endpoint.id}`
    : `${shownOnce(secret)}\n\n${endpointText(endpoint)}`;

const signingTexts = ({ id, rotation }: EndpointAnswer): readonly string[] =>
  rotation === null
    ? ['The rotation has already ended: only the new secret signs deliveries.']
    : [
        `X-Webhook-Signature uses the old secret until ${timeText(rotation.until)}. To switch sooner, run "renderctl webhook activate-secret ${id}".`,
        'Until then, webhook-signature has the signatures of both secrets.',
      ];

export const rotatedText = ({ secret, replaces, ...endpoint }: RotatedEndpointAnswer): string =>
  [
    shownOnce(secret ?? ''),
    ...(replaces === null ? [] : [`The secret that was shown ${timeText(replaces.since)} is no longer valid.`]),
    ...signingTexts(endpoint),
    '',
    endpointText(endpoint),
  ].join('\n');
