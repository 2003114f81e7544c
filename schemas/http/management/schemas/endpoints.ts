import { EVENT_KINDS } from '../../../../domain/webhooks/event-kinds.ts';
import { DELIVERY_STATES } from '../../list-request.ts';
import type { Schema } from '../../openapi/form.ts';
import { pageOf, wholeList } from '../../openapi/schemas/list.ts';
import { DELIVERY_ID, object, orNull, RENDER_ID, TEAM_ID, text, time } from '../../openapi/schemas/scalars.ts';
import { LONGEST_URL } from '../requests.ts';
import { ONCE } from './keys.ts';

const ENDPOINT_ID: Schema = { type: 'string', pattern: '^whe_.', description: 'Id of a webhook endpoint.' };
const EVENT: Schema = { type: 'string', enum: EVENT_KINDS, description: 'What happened to a render.' };
const EVENTS: Schema = {
  ...{ type: 'array', minItems: 1, uniqueItems: true, items: EVENT },
  description: 'What it is told of.',
};

const timeOrNull = (what: string): Schema => ({
  ...{ type: ['integer', 'null'], minimum: 0 },
  description: `${what}, in milliseconds since the epoch; null while that has not been.`,
});

const objectOrNull = (description: string, properties: Readonly<Record<string, Schema>>): Schema => ({
  ...object(description, properties),
  type: ['object', 'null'],
});

const count = (description: string): Schema => ({ type: 'integer', minimum: 0, description });

const REASON = text('`by_hand`; `gone`: it answered 410; `failing`: too many deliveries were given up.');

const ROTATION = objectOrNull('The rotation of the secret under way; null while there is none.', {
  since: time('When it was begun'),
  until: time('When it ends by itself'),
});

const ENDPOINT = {
  id: ENDPOINT_ID,
  team_id: TEAM_ID,
  url: text('Where deliveries are posted to.'),
  events: { ...EVENTS, minItems: 0 },
  state: { type: 'string', enum: ['enabled', 'disabled', 'deleted'], description: 'Whether deliveries are made.' },
  disabled: objectOrNull('Since when and why nothing is delivered; null while it is enabled.', {
    since: time('When it was disabled'),
    reason: REASON,
  }),
  rotation: ROTATION,
  failing: objectOrNull('Deliveries that were given up since the last success; null while there is none.', {
    since: time('When the first of them was given up'),
    exhausted: count('How many.'),
  }),
  created_at: time('When it was made'),
  deleted_at: timeOrNull('When it was deleted'),
};

const HISTORY = {
  subscriptions: {
    type: 'array',
    items: object('What it was told of from a time on.', {
      since: time('When it was chosen'),
      events: { ...EVENTS, minItems: 0 },
    }),
    description: 'The latest choices of events, in their order.',
  },
  disabled_periods: {
    type: 'array',
    items: object('A time without deliveries.', {
      from: time('When it began'),
      to: timeOrNull('When it ended'),
      reason: REASON,
    }),
    description: 'The latest of them, in their order.',
  },
};

const FAULT = objectOrNull(
  'What went wrong; null where nothing did. Says nothing more where the installation does not show it.',
  { code: text('For programs.'), message: text('For a person.') },
);

const STATUS: Schema = {
  type: ['integer', 'null'],
  description: 'The HTTP status of the answer; null where none came.',
};

const ATTEMPT = {
  n: { type: 'integer', minimum: 1, description: 'Counts the attempts.' },
  started_at: time('When it began'),
  duration_ms: count('How long it took, in milliseconds.'),
  succeeded: { type: 'boolean', description: 'Whether it was answered with 2xx.' },
  status: STATUS,
  fault: FAULT,
};

const LAST_ATTEMPT = objectOrNull('The last attempt; null while there was none.', ATTEMPT);

const LISTED = {
  id: DELIVERY_ID,
  endpoint_id: ENDPOINT_ID,
  render_id: { ...RENDER_ID, description: 'The render that it tells of; of a test there is none of that id.' },
  seq: count('Of the transition; 0 of a test.'),
  event: EVENT,
  state: { type: 'string', enum: DELIVERY_STATES, description: 'What became of it.' },
  reason: { type: ['string', 'null'], description: 'Why it was skipped, or ended before its last attempt.' },
  repeats: orNull(DELIVERY_ID, 'The delivery that it makes again.'),
  repeated_by: orNull(DELIVERY_ID, 'The delivery that makes it again.'),
  planned_at: time('When it was planned'),
  next_attempt_at: timeOrNull('When the next attempt is due'),
  ended_at: timeOrNull('When it ended'),
  attempt_count: count('How many attempts there were.'),
  last_attempt: LAST_ATTEMPT,
};

const ENDPOINT_REQUEST = object('An endpoint to be made.', {
  url: {
    ...{ type: 'string', minLength: 1, maxLength: LONGEST_URL },
    description: 'An https address that the public can reach. It is for ever: for another one make another endpoint.',
  },
  events: EVENTS,
});

export const ENDPOINT_SCHEMAS: Readonly<Record<string, Schema>> = {
  Endpoint: object('A webhook endpoint, without its secret.', ENDPOINT),
  EndpointWithHistory: object('A webhook endpoint with what it was.', { ...ENDPOINT, ...HISTORY }),
  EndpointList: wholeList('Endpoint', 'The endpoints of a team, the oldest first; 20 at most.'),
  EndpointRequest: ENDPOINT_REQUEST,
  CreatedEndpoint: object('An endpoint that was made.', { ...ENDPOINT, ...ONCE }),
  RotatedEndpoint: object('An endpoint with another secret beside the one in use.', {
    ...ENDPOINT,
    secret: text('The new signing secret; shown this once.'),
    replaces: ROTATION,
  }),
  EventsRequest: object('What an endpoint is to be told of.', { events: EVENTS }),
  TestRequest: object(
    'A test.',
    {
      event: {
        ...EVENT,
        type: ['string', 'null'],
        enum: [...EVENT_KINDS, null],
        description: 'Which event; the first one that it is told of if left out.',
      },
    },
    ['event'],
  ),
  SinceRequest: object('What is to be delivered again.', { since: time('From when on') }),
  ListedDelivery: object('A delivery in short.', LISTED),
  DeliveryPage: pageOf('ListedDelivery', 'One page of the deliveries to an endpoint, the last one first.'),
  LoggedDelivery: object('A delivery with every attempt.', {
    ...LISTED,
    attempts: {
      type: 'array',
      items: object('An attempt.', {
        ...ATTEMPT,
        response: {
          type: ['string', 'null'],
          description: 'How the answer began; null where none came, and where the installation does not show it.',
        },
      }),
      description: 'In their order.',
    },
  }),
  RequestedDelivery: object('A delivery that will be made.', { delivery_id: DELIVERY_ID }),
  RequestedDeliveries: object('Deliveries that will be made.', {
    requested: count('How many were asked for now.'),
    repeated_before: count('How many had been asked for before.'),
    go_on_since: timeOrNull('Where there were more than one request asks for: the `since` of the next one'),
  }),
};
