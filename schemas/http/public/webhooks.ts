import type * as t from 'io-ts';
import { EVENT_KINDS, type EventKind as Event } from '../../../domain/webhooks/event-kinds.ts';
import { DELIVERY_ID } from '../ids.ts';
import type { Parameter } from '../openapi.ts';
import { definitionsOf, resource, time, withDescription } from '../shapes.ts';
import { EventKind } from '../words.ts';
import { COMPLETE_EXAMPLE, FAILED_EXAMPLE, Render } from './renders.ts';

const Delivery = resource('Delivery', 'The body of a request to a webhook endpoint.', {
  id: withDescription(DELIVERY_ID, 'The same on every attempt of one delivery. Recognize duplicates by it.'),
  event: withDescription(EventKind, 'The event.'),
  data: Render,
  timestamp: time('When the delivery was created'),
});

export type DeliveryPayload = t.TypeOf<typeof Delivery>;

export const DELIVERY_SCHEMAS = definitionsOf([Delivery, EventKind]);

const exampleOf = (event: Event): DeliveryPayload => ({
  id: 'hook_5f0c9d7be6a94b0c8f2d1a3e4b5c6d7e',
  event,
  data: event === 'render.failed' ? FAILED_EXAMPLE : COMPLETE_EXAMPLE,
  timestamp: 1_763_740_894_200,
});

const header = (name: string, description: string, schema: Parameter['schema'], example: string): Parameter => ({
  name,
  in: 'header',
  required: true,
  description,
  schema,
  example,
});

const HEADERS: readonly Parameter[] = [
  header(
    'X-Webhook-Signature',
    "`sha256=` and the lower-case hex digits of HMAC-SHA256 over the exact bytes of the body, keyed with the UTF-8 bytes of the endpoint's whole secret (`whsec_…`). Compute it before parsing anything, and compare in constant time.",
    { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
    'sha256=3f1d7e8c0a5b42d6917e3c84bb20f6a1d9e45c7a8830f2b16c5d4e9a7f0b1c2d',
  ),
  header(
    'X-Webhook-ID',
    'The `id` in the body; the same on every attempt at one delivery.',
    { type: 'string', pattern: '^hook_.' },
    'hook_5f0c9d7be6a94b0c8f2d1a3e4b5c6d7e',
  ),
  header(
    'X-Webhook-Timestamp',
    'The `timestamp` in the body, in milliseconds since the epoch.',
    { type: 'string', pattern: '^[0-9]+$' },
    '1763740894200',
  ),
  header(
    'webhook-id',
    'The same id, for libraries of [Standard Webhooks](https://www.standardwebhooks.com).',
    { type: 'string', pattern: '^hook_.' },
    'hook_5f0c9d7be6a94b0c8f2d1a3e4b5c6d7e',
  ),
  header(
    'webhook-timestamp',
    'The time of this attempt, in seconds since the epoch. Each attempt has its own. Refuse a time that is more than five minutes away.',
    { type: 'string', pattern: '^[0-9]+$' },
    '1763740895',
  ),
  header(
    'webhook-signature',
    '`v1,` and the base64 of HMAC-SHA256 over `webhook-id`, a dot, `webhook-timestamp`, a dot, and the exact bytes of the body, keyed with the bytes whose base64 follows `whsec_` in the secret. During a rotation of the secret there are two, one for each, with a space between them: one that fits is enough.',
    { type: 'string', pattern: '^v1,[0-9A-Za-z+/]{43}=( v1,[0-9A-Za-z+/]{43}=)*$' },
    'v1,Pzqxc9C8Vn0m3GZ0pN1b2Wk5tXo8YdA7rLQe4uSfHiE=',
  ),
  {
    ...header(
      'traceparent',
      'The trace of the request that created the render ([Trace Context](https://www.w3.org/TR/trace-context/)): yours, if you sent one.',
      { type: 'string', pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' },
      '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    ),
    required: false,
  },
  header('User-Agent', 'The sender.', { type: 'string', const: 'Service-Webhooks/1.0' }, 'Service-Webhooks/1.0'),
];

const WHEN: Readonly<Record<Event, string>> = {
  'render.status_changed': 'The status of a render changed, creation included',
  'render.complete': 'A render was finished',
  'render.failed': 'A render stopped with an error',
};

const DESCRIPTION = `Sent to each endpoint that subscribed to the event. A change that matches two events of an endpoint makes two deliveries.
Answer with any 2xx status quickly, before long work. A delivery has at most five attempts: the first one and up to four retries with exponential backoff (1, 5, 25, 125 seconds). \`Retry-After\` may lengthen a pause, to ten minutes at most. Each attempt ends after 15 seconds. A redirect counts as a failure. Duplicates are possible: recognize them by \`X-Webhook-ID\`.

Check one of the two signatures before anything else: \`X-Webhook-Signature\`, or the three headers of Standard Webhooks. The \`id\` in the body is what \`X-Webhook-Signature\` covers.`;

export const WEBHOOKS = Object.fromEntries(
  EVENT_KINDS.map((event) => [
    event,
    {
      post: {
        operationId: `on.${event}`,
        summary: WHEN[event],
        description: DESCRIPTION,
        security: [],
        parameters: HEADERS,
        requestBody: {
          required: true,
          description: 'The render as it was at that change, with signed URLs of that time.',
          content: {
            'application/json': {
              schema: Delivery.schema,
              examples: { delivery: { summary: WHEN[event], value: exampleOf(event) } },
            },
          },
        },
        responses: {
          '2XX': { description: 'Delivered.' },
          410: { description: 'Gone: the endpoint is disabled, and gets no more deliveries.' },
          default: { description: 'Not delivered: the service tries again, at most four times.' },
        },
      },
    },
  ]),
);
