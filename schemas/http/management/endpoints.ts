import type * as t from 'io-ts';
import { EVENT_KINDS } from '../../../domain/webhooks/event-kinds.ts';
import { TEAM_ID } from '../ids.ts';
import { query, wordWithDefault } from '../query.ts';
import {
  count,
  definitionsOf,
  listOf,
  object,
  oneOf,
  orNull,
  resource,
  subsetOf,
  text,
  time,
  timeOrNull,
  wholeList,
} from '../shapes.ts';
import { CREATED_ONCE } from './keys.ts';
import { contract, exampleBody, IDEMPOTENCY_KEY, jsonResponse } from './operation.ts';
import { CREATION_RESPONSES } from './responses.ts';

const MAX_URL_UNITS = 2_048;

export const ENDPOINT_ID = text('ID of a webhook endpoint.', { pattern: '^whe_.' });

export const EVENT = oneOf(EVENT_KINDS, 'An event of a render.');

const events = (description: string, minItems: 0 | 1) => subsetOf(EVENT, EVENT_KINDS, description, minItems);

const REASON = text('`by_hand`; `gone`: it answered 410; `failing`: too many deliveries were exhausted.');

const ROTATION = orNull(
  object('', {
    since: time('When it began'),
    until: time('When it ends at the latest'),
  }),
  'The rotation of the secret in progress; null without one.',
);

const ENDPOINT = {
  id: ENDPOINT_ID,
  team_id: TEAM_ID,
  url: text('The URL that receives the deliveries.'),
  events: events('The events that it subscribes to.', 0),
  state: oneOf(['enabled', 'disabled', 'deleted'], 'Only an enabled endpoint gets deliveries.'),
  disabled: orNull(
    object('', { since: time('When it was disabled'), reason: REASON }),
    'Since when and why it is disabled; null while it is enabled.',
  ),
  rotation: ROTATION,
  failing: orNull(
    object('', { since: time('When the first of these deliveries failed'), exhausted: count('How many.') }),
    'Deliveries that were exhausted since the last success; null without any.',
  ),
  created_at: time('When it was created'),
  deleted_at: timeOrNull('When it was deleted', 'null if it was not'),
};

export const Endpoint = resource('Endpoint', 'A webhook endpoint, without its secret.', ENDPOINT);
export type Endpoint = t.TypeOf<typeof Endpoint>;

export const EndpointWithHistory = resource('EndpointWithHistory', 'A webhook endpoint with its history.', {
  ...ENDPOINT,
  subscriptions: listOf(
    object('Events that it subscribed to, starting at a certain time.', {
      since: time('When they were chosen'),
      events: events('The events.', 0),
    }),
    'The latest choices of events, the oldest first.',
  ),
  disabled_periods: listOf(
    object('A period without deliveries.', {
      from: time('When it began'),
      to: timeOrNull('When it ended', 'null while it lasts'),
      reason: REASON,
    }),
    'The latest periods, the oldest first.',
  ),
});

/** A team has at most 20 active endpoints, but unlimited deleted ones. */
export const MAX_DELETED_ENDPOINTS = 100;

const EndpointList = wholeList(
  'EndpointList',
  Endpoint,
  `The endpoints of a team, the oldest first; 20 at most, and with \`state=all\` ${MAX_DELETED_ENDPOINTS} deleted ones.`,
);

export const EndpointListQuery = query({
  state: wordWithDefault(
    'active',
    ['active', 'all'],
    `\`active\`, or \`all\`, which includes the ${MAX_DELETED_ENDPOINTS} endpoints that were deleted last.`,
  ),
});

export const EndpointRequest = resource('EndpointRequest', 'An endpoint to create.', {
  url: text('A public https address. It cannot be changed: create another endpoint for another address.', {
    ...{ minLength: 1, maxLength: MAX_URL_UNITS },
  }),
  events: events('The events that it subscribes to.', 1),
});

const CreatedEndpoint = resource('CreatedEndpoint', 'An endpoint that was created.', { ...ENDPOINT, ...CREATED_ONCE });

const RotatedEndpoint = resource('RotatedEndpoint', 'An endpoint with a new secret beside the one in use.', {
  ...ENDPOINT,
  secret: text('The new signing secret. It is shown once.'),
  replaces: ROTATION,
});

export const EventsRequest = resource('EventsRequest', 'The events that an endpoint subscribes to.', {
  events: events('The events.', 1),
});

export const ENDPOINT_SCHEMAS = definitionsOf([
  ...[Endpoint, EndpointWithHistory, EndpointList, EndpointRequest, CreatedEndpoint, RotatedEndpoint, EventsRequest],
]);

export const EXAMPLE_ENDPOINT: Endpoint = {
  ...{ id: 'whe_01KAJX1M9D', team_id: 'team_01KAJWY8QD', url: 'https://hooks.example.com/renders' },
  ...{ events: ['render.complete', 'render.failed'], state: 'enabled', disabled: null, rotation: null, failing: null },
  ...{ created_at: 1_763_740_800_000, deleted_at: null },
};
const EXAMPLE = EXAMPLE_ENDPOINT;
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const EXAMPLE_ROTATION = { since: 1_763_741_000_000, until: 1_763_827_400_000 };

const tag = 'Webhooks';
const changed = { answers: { 200: jsonResponse('The current state of the endpoint.', Endpoint, EXAMPLE) } };
const IN_EFFECT = 'Returns when the change is in effect, after about two seconds. For admins.';

export const ENDPOINTS = contract({
  'GET /manage/v1/teams/{team_id}/endpoints': {
    ...{ guard: 'team_member', id: 'listEndpoints', tag, summary: 'List the webhook endpoints of a team' },
    description: 'The endpoints that are not deleted, or also deleted ones. For members of the team.',
    parameters: EndpointListQuery.parameters,
    answers: { 200: jsonResponse('All of them.', EndpointList, { data: [EXAMPLE] }) },
  },
  'POST /manage/v1/teams/{team_id}/endpoints': {
    ...{ guard: 'fresh_team_admin', id: 'createEndpoint', tag, summary: 'Create a webhook endpoint' },
    description:
      'Shows the signing secret once. Returns when the endpoint gets all later events. For admins, with a fresh sign-in.',
    parameters: [IDEMPOTENCY_KEY],
    body: exampleBody(EndpointRequest, { url: EXAMPLE.url, events: EXAMPLE.events }),
    answers: {
      201: jsonResponse('The new endpoint.', CreatedEndpoint, { ...EXAMPLE, secret: SECRET, repeated: false }),
      200: jsonResponse('An earlier request created it.', CreatedEndpoint, {
        ...EXAMPLE,
        secret: null,
        repeated: true,
      }),
    },
    refusals: CREATION_RESPONSES,
  },
  'GET /manage/v1/teams/{team_id}/endpoints/{endpoint_id}': {
    ...{ guard: 'team_member', id: 'getEndpoint', tag, summary: 'Read a webhook endpoint' },
    description: 'The endpoint with its history, even if it is deleted. For members of the team.',
    answers: {
      200: jsonResponse('The endpoint.', EndpointWithHistory, {
        ...EXAMPLE,
        subscriptions: [{ since: EXAMPLE.created_at, events: EXAMPLE.events }],
        disabled_periods: [],
      }),
    },
  },
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/events': {
    ...{ guard: 'team_admin', id: 'chooseEndpointEvents', tag, summary: 'Choose the events of an endpoint' },
    description: 'Returns when the change is in effect. For admins.',
    body: exampleBody(EventsRequest, { events: ['render.failed'] }),
    ...changed,
  },
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/disable': {
    ...{ guard: 'team_admin', id: 'disableEndpoint', tag, summary: 'Disable an endpoint' },
    description: IN_EFFECT,
    ...changed,
  },
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/enable': {
    ...{ guard: 'team_admin', id: 'enableEndpoint', tag, summary: 'Enable an endpoint' },
    description: `All later events are delivered. ${IN_EFFECT}`,
    ...changed,
  },
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/rotate-secret': {
    ...{ guard: 'fresh_team_admin', id: 'rotateEndpointSecret', tag, summary: 'Rotate the secret of an endpoint' },
    description:
      'Shows the new secret once. Deliveries are signed with both secrets until the new one is activated, or for a day. A repeat replaces the new secret. For admins, with a fresh sign-in.',
    answers: {
      200: jsonResponse('Both secrets are in use.', RotatedEndpoint, {
        ...{ ...EXAMPLE, rotation: EXAMPLE_ROTATION, secret: SECRET, replaces: null },
      }),
    },
  },
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/activate-secret': {
    ...{ guard: 'fresh_team_admin', id: 'activateEndpointSecret', tag, summary: 'End a rotation' },
    description: `Only the new secret is used from then on. ${IN_EFFECT} With a fresh sign-in.`,
    ...changed,
  },
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/delete': {
    ...{ guard: 'fresh_team_admin', id: 'deleteEndpoint', tag, summary: 'Delete an endpoint' },
    description: `You cannot undo this. ${IN_EFFECT} With a fresh sign-in.`,
    ...changed,
  },
});
