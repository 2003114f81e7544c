import type * as t from 'io-ts';
import { EVENT_KINDS } from '../../../domain/webhooks/event-kinds.ts';
import { DELIVERY_ID, RENDER_ID } from '../ids.ts';
import { optionalTime, optionalWord, PAGE_PARAMETERS, query } from '../query.ts';
import {
  boolean,
  count,
  definitionsOf,
  integer,
  listOf,
  object,
  oneOf,
  optional,
  orNull,
  pageOf,
  resource,
  text,
  time,
  timeOrNull,
  withDescription,
} from '../shapes.ts';
import { ENDPOINT_ID, EVENT, EXAMPLE_ENDPOINT } from './endpoints.ts';
import { contract, exampleBody, examplePage, jsonResponse } from './operation.ts';

const DELIVERY_STATES = ['pending', 'succeeded', 'exhausted', 'skipped'] as const;

const ATTEMPT = {
  n: integer('The number of the attempt, starting at 1.', { minimum: 1 }),
  started_at: time('When it began'),
  duration_ms: count('How long it took, in milliseconds.'),
  succeeded: boolean('Whether the answer was 2xx.'),
  status: orNull(integer(''), 'The HTTP status of the answer; null without an answer.'),
  fault: orNull(
    object('', { code: text('The kind of fault, for programs.'), message: text('The message, for people.') }),
    'The fault; null after a success. It has no details if the installation hides them.',
  ),
};

const DELIVERY = {
  id: DELIVERY_ID,
  endpoint_id: ENDPOINT_ID,
  render_id: withDescription(RENDER_ID, 'The render of the event. A test has the ID of a render that does not exist.'),
  seq: count('The number of the transition; 0 for a test.'),
  event: EVENT,
  state: oneOf(DELIVERY_STATES, 'Its outcome; `pending` while attempts remain.'),
  reason: orNull(text(''), 'Why it was skipped, or ended before its last attempt.'),
  repeats: orNull(DELIVERY_ID, 'The delivery that it repeats.'),
  repeated_by: orNull(DELIVERY_ID, 'The delivery that repeats it.'),
  planned_at: time('When it was planned'),
  next_attempt_at: timeOrNull('When the next attempt is due', 'null if no attempt is due'),
  ended_at: timeOrNull('When it ended', 'null while it is pending'),
  attempt_count: count('The number of attempts.'),
  last_attempt: orNull(object('', ATTEMPT), 'The last attempt; null before the first one.'),
};

export const ListedDelivery = resource('ListedDelivery', 'A delivery in a list.', DELIVERY);
export type ListedDelivery = t.TypeOf<typeof ListedDelivery>;

const LoggedDelivery = resource('LoggedDelivery', 'A delivery with every attempt.', {
  ...DELIVERY,
  attempts: listOf(
    object('An attempt.', {
      ...ATTEMPT,
      response: orNull(
        text(''),
        'The beginning of the response; null without a response, or if the installation hides it.',
      ),
    }),
    'The attempts, oldest first.',
  ),
  endpoint_url: orNull(text(''), 'The URL of the endpoint; null if it is not known.'),
  body: orNull(text(''), 'The exact body. Null after the end of the delivery, and if it was skipped.'),
  body_sha256: orNull(text(''), 'SHA-256 of the body, in lowercase hex; null if it was skipped.'),
  timestamp: integer('The value of `X-Webhook-Timestamp`.'),
});
export type LoggedDelivery = t.TypeOf<typeof LoggedDelivery>;

const DeliveryPage = pageOf('DeliveryPage', ListedDelivery, 'One page of the deliveries to an endpoint, newest first.');

export const TestRequest = resource('TestRequest', 'A test delivery to send.', {
  event: optional(EVENT, 'The event; by default the first event of the endpoint.'),
});

export const SinceRequest = resource('SinceRequest', 'Which deliveries to repeat.', {
  since: time('The beginning of the period'),
});

const RequestedDelivery = resource('RequestedDelivery', 'A delivery that was requested.', { delivery_id: DELIVERY_ID });

const RequestedDeliveries = resource('RequestedDeliveries', 'Deliveries that were requested.', {
  requested: count('The number of deliveries that this request repeats.'),
  repeated_before: count('The number of deliveries that were already repeated.'),
  go_on_since: timeOrNull('The `since` of the next request, if one request cannot repeat all', 'null if not'),
});

export const DELIVERY_SCHEMAS = definitionsOf([
  ...[TestRequest, SinceRequest, ListedDelivery, DeliveryPage, LoggedDelivery, RequestedDelivery, RequestedDeliveries],
]);

export const DeliveryListQuery = query({
  state: optionalWord(DELIVERY_STATES, 'Only deliveries in this state.'),
  event: optionalWord(EVENT_KINDS, 'Only deliveries of this event.'),
  since: optionalTime('Only deliveries that were planned at this time or later, in milliseconds since the epoch.'),
  ...PAGE_PARAMETERS,
});

const EXAMPLE_ATTEMPT = {
  ...{ n: 1, started_at: 1_763_741_000_100, duration_ms: 84, succeeded: false, status: 500 },
  fault: { code: 'status', message: 'the answer was 500' },
};
const EXAMPLE: ListedDelivery = {
  id: 'hook_4f1d2a7c90b35e681f2d3c4b5a697887',
  endpoint_id: EXAMPLE_ENDPOINT.id,
  render_id: 'rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C',
  ...{ seq: 6, event: 'render.complete', state: 'pending', reason: null, repeats: null, repeated_by: null },
  ...{ planned_at: 1_763_741_000_000, next_attempt_at: 1_763_741_001_200, ended_at: null, attempt_count: 1 },
  last_attempt: EXAMPLE_ATTEMPT,
};

const tag = 'Webhooks';
const requested = jsonResponse('The request is recorded.', RequestedDelivery, { delivery_id: EXAMPLE.id });

export const DELIVERIES = contract({
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/test': {
    ...{ guard: 'team_admin', id: 'testEndpoint', tag, summary: 'Send a test to an endpoint' },
    description: 'A delivery about a render that does not exist. Read its outcome by its ID. For admins.',
    body: exampleBody(TestRequest, { event: 'render.complete' }),
    answers: { 202: requested },
  },
  'POST /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/deliver-again': {
    ...{ guard: 'team_admin', id: 'deliverAllAgain', tag, summary: 'Repeat the deliveries since a time' },
    description:
      'Repeats deliveries that were exhausted or skipped since then, the oldest first; about 1,000 in one request. No delivery is repeated twice. For admins.',
    body: exampleBody(SinceRequest, { since: 1_763_740_800_000 }),
    answers: {
      202: jsonResponse('The requests are recorded.', RequestedDeliveries, {
        ...{ requested: 12, repeated_before: 0, go_on_since: null },
      }),
    },
  },
  'GET /manage/v1/teams/{team_id}/endpoints/{endpoint_id}/deliveries': {
    ...{ guard: 'team_member', id: 'listDeliveries', tag, summary: 'List the deliveries to an endpoint' },
    description: 'The deliveries that are still stored, the newest first. For members of the team.',
    parameters: DeliveryListQuery.parameters,
    answers: { 200: jsonResponse('A page.', DeliveryPage, examplePage(EXAMPLE)) },
  },
  'GET /manage/v1/teams/{team_id}/deliveries/{delivery_id}': {
    ...{ guard: 'team_member', id: 'getDelivery', tag, summary: 'Read a delivery' },
    description: 'The delivery with every attempt, and its body until it ends. For members of the team.',
    answers: {
      200: jsonResponse('The delivery.', LoggedDelivery, {
        ...EXAMPLE,
        attempts: [{ ...EXAMPLE_ATTEMPT, response: null }],
        endpoint_url: EXAMPLE_ENDPOINT.url,
        body: '{"type":"render.complete","timestamp":"2025-11-21T16:03:20.000Z","data":{}}',
        body_sha256: 'ab8b1d4f0c5c7d4be6e9f5d4f3a6b2e1c0d9f8a7b6c5d4e3f2a1b0c9d8e7f6a5',
        timestamp: 1_763_741_000,
      }),
    },
  },
  'POST /manage/v1/teams/{team_id}/deliveries/{delivery_id}/again': {
    ...{ guard: 'team_admin', id: 'deliverAgain', tag, summary: 'Repeat a delivery' },
    description:
      'The new delivery has a new ID and a current body, whatever the outcome of this one. Repeating the request does not create another delivery. For admins.',
    answers: { 202: requested },
  },
});
