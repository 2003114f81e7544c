import { EVENT_KINDS } from '../../../../domain/webhooks/event-kinds.ts';
import { DELIVERY_STATES } from '../../list-request.ts';
import { ANYWHERE, answerLike, bodyLike, NO_BODY, TO_CHANGES, TO_CREATIONS } from '../answers.ts';
import type { ManagementOperation } from '../form.ts';
import { IDEMPOTENCY_KEY, IN_PATH, inQuery, PAGE } from '../parameters.ts';

const ENDPOINT = {
  ...{ id: 'whe_01KAJX1M9D', team_id: 'team_01KAJWY8QD', url: 'https://hooks.example.com/renders' },
  ...{ events: ['render.complete', 'render.failed'], state: 'enabled', disabled: null, rotation: null, failing: null },
  ...{ created_at: 1_763_740_800_000, deleted_at: null },
};
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const ROTATION = { since: 1_763_741_000_000, until: 1_763_827_400_000 };

const ATTEMPT = {
  ...{ n: 1, started_at: 1_763_741_000_100, duration_ms: 84, succeeded: false, status: 500 },
  fault: { code: 'status', message: 'the answer was 500' },
};
const DELIVERY = {
  ...{
    id: 'hook_4f1d2a7c90b35e681f2d3c4b5a697887',
    endpoint_id: ENDPOINT.id,
    render_id: 'rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C',
  },
  ...{ seq: 6, event: 'render.complete', state: 'pending', reason: null, repeats: null, repeated_by: null },
  ...{ planned_at: 1_763_741_000_000, next_attempt_at: 1_763_741_001_200, ended_at: null, attempt_count: 1 },
  last_attempt: ATTEMPT,
};

const tags = ['Webhooks'];
const ONE = [IN_PATH.team, IN_PATH.endpoint];
const AFTER = answerLike('As it is now.', 'Endpoint', ENDPOINT);
const REQUESTED = answerLike('It will be made.', 'RequestedDelivery', { delivery_id: DELIVERY.id });

const listEndpoints: ManagementOperation = {
  ...{ operationId: 'listEndpoints', tags, summary: 'List the webhook endpoints of a team' },
  description: 'All that are not deleted. For members of the team.',
  parameters: [IN_PATH.team],
  responses: { '200': answerLike('All of them.', 'EndpointList', { data: [ENDPOINT] }), ...ANYWHERE },
};

const createEndpoint: ManagementOperation = {
  ...{ operationId: 'createEndpoint', tags, summary: 'Make a webhook endpoint' },
  description:
    'Shows the signing secret, this once; answers when what happens from then on is delivered. For admins, with a fresh sign-in.',
  parameters: [IN_PATH.team, IDEMPOTENCY_KEY],
  requestBody: bodyLike('EndpointRequest', { url: ENDPOINT.url, events: ENDPOINT.events }),
  responses: {
    '201': answerLike('It is made.', 'CreatedEndpoint', { ...ENDPOINT, secret: SECRET, repeated: false }),
    '200': answerLike('It had been made before.', 'CreatedEndpoint', { ...ENDPOINT, secret: null, repeated: true }),
    ...ANYWHERE,
    ...TO_CREATIONS,
  },
};

const getEndpoint: ManagementOperation = {
  ...{ operationId: 'getEndpoint', tags, summary: 'Read a webhook endpoint' },
  description: 'With its history; deleted ones too. For members of the team.',
  parameters: ONE,
  responses: {
    '200': answerLike('The endpoint.', 'EndpointWithHistory', {
      ...ENDPOINT,
      subscriptions: [{ since: ENDPOINT.created_at, events: ENDPOINT.events }],
      disabled_periods: [],
    }),
    ...ANYWHERE,
  },
};

const chooseEvents: ManagementOperation = {
  ...{ operationId: 'chooseEndpointEvents', tags, summary: 'Choose what an endpoint is told of' },
  description: 'Answers when it is in force. For admins.',
  parameters: ONE,
  requestBody: bodyLike('EventsRequest', { events: ['render.failed'] }),
  responses: { '200': AFTER, ...ANYWHERE, ...TO_CHANGES },
};

/** A change that is asked for by its path alone. */
const change = (operationId: string, summary: string, description: string): ManagementOperation => ({
  ...{ operationId, tags, summary, description, parameters: ONE, requestBody: NO_BODY },
  responses: { '200': AFTER, ...ANYWHERE, ...TO_CHANGES },
});

const rotateSecret: ManagementOperation = {
  ...{ operationId: 'rotateEndpointSecret', tags, summary: 'Give an endpoint another secret' },
  description:
    'Shows it, this once. Deliveries are signed with both until it is activated, or a day later. A repeat replaces the new one. For admins, with a fresh sign-in.',
  parameters: ONE,
  requestBody: NO_BODY,
  responses: {
    '200': answerLike('Both are in use.', 'RotatedEndpoint', {
      ...{ ...ENDPOINT, rotation: ROTATION, secret: SECRET, replaces: null },
    }),
    ...ANYWHERE,
    ...TO_CHANGES,
  },
};

const testEndpoint: ManagementOperation = {
  ...{ operationId: 'testEndpoint', tags, summary: 'Send an endpoint a test' },
  description: 'A delivery about a render that does not exist: read it by its id. For admins.',
  parameters: ONE,
  requestBody: bodyLike('TestRequest', { event: 'render.complete' }),
  responses: { '202': REQUESTED, ...ANYWHERE, ...TO_CHANGES },
};

const listDeliveries: ManagementOperation = {
  ...{ operationId: 'listDeliveries', tags, summary: 'List what was delivered to an endpoint' },
  description: 'What is kept of it, the last one first. For members of the team.',
  parameters: [
    ...ONE,
    inQuery('state', 'Only those in this state.', { type: 'string', enum: DELIVERY_STATES }),
    inQuery('event', 'Only those of this event.', { type: 'string', enum: EVENT_KINDS }),
    inQuery('since', 'Only those that were planned then or later, in milliseconds since the epoch.', {
      ...{ type: 'integer', minimum: 0 },
    }),
    ...PAGE,
  ],
  responses: {
    '200': answerLike('A page.', 'DeliveryPage', { data: [DELIVERY], has_more: false, next_cursor: null }),
    ...ANYWHERE,
  },
};

const deliverAllAgain: ManagementOperation = {
  ...{ operationId: 'deliverAllAgain', tags, summary: 'Deliver again since a time' },
  description:
    'All that were exhausted or skipped since then and not delivered again yet, the oldest first; up to 1,000 or so in one request. A repeat makes nothing twice. For admins.',
  parameters: ONE,
  requestBody: bodyLike('SinceRequest', { since: 1_763_740_800_000 }),
  responses: {
    '202': answerLike('They will be made.', 'RequestedDeliveries', {
      ...{ requested: 12, repeated_before: 0, go_on_since: null },
    }),
    ...ANYWHERE,
    ...TO_CHANGES,
  },
};

const getDelivery: ManagementOperation = {
  ...{ operationId: 'getDelivery', tags, summary: 'Read a delivery' },
  description: 'With every attempt. For members of the team.',
  parameters: [IN_PATH.team, IN_PATH.delivery],
  responses: {
    '200': answerLike('The delivery.', 'LoggedDelivery', { ...DELIVERY, attempts: [{ ...ATTEMPT, response: null }] }),
    ...ANYWHERE,
  },
};

const deliverAgain: ManagementOperation = {
  ...{ operationId: 'deliverAgain', tags, summary: 'Deliver again' },
  description: 'With another id and a fresh body, however it ended; a repeat makes nothing twice. For admins.',
  parameters: [IN_PATH.team, IN_PATH.delivery],
  requestBody: NO_BODY,
  responses: { '202': REQUESTED, ...ANYWHERE, ...TO_CHANGES },
};

const IN_FORCE = 'Answers when it is in force, after two seconds or so. For admins.';

export const ENDPOINT_PATHS = {
  '/manage/v1/teams/{team_id}/endpoints': { get: listEndpoints, post: createEndpoint },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}': { get: getEndpoint },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/events': { post: chooseEvents },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/disable': {
    post: change('disableEndpoint', 'Disable an endpoint', IN_FORCE),
  },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/enable': {
    post: change('enableEndpoint', 'Enable an endpoint', `What happens from then on is delivered. ${IN_FORCE}`),
  },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/rotate-secret': { post: rotateSecret },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/activate-secret': {
    post: change(
      'activateEndpointSecret',
      'End a rotation',
      `The new secret alone is used then. ${IN_FORCE} With a fresh sign-in.`,
    ),
  },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/delete': {
    post: change('deleteEndpoint', 'Delete an endpoint', `For ever. ${IN_FORCE} With a fresh sign-in.`),
  },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/test': { post: testEndpoint },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/deliver-again': { post: deliverAllAgain },
  '/manage/v1/teams/{team_id}/endpoints/{endpoint_id}/deliveries': { get: listDeliveries },
  '/manage/v1/teams/{team_id}/deliveries/{delivery_id}': { get: getDelivery },
  '/manage/v1/teams/{team_id}/deliveries/{delivery_id}/again': { post: deliverAgain },
} as const;
