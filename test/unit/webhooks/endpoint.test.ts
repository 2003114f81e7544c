import test from 'ava';
import {
  currentDisabledPeriod,
  deliveryObligation,
  enabledSince,
  isDisabled,
  isRotationOver,
  ROTATION_MS,
  signingSecrets,
  subscribedEvents,
  type WebhookEndpoint,
} from '../../../domain/webhooks/endpoint.ts';
import type { EventKind } from '../../../domain/webhooks/event-kinds.ts';

const endpoint = (change: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  kind: 'webhook_endpoint',
  id: 'whe_1',
  team_id: 'team_1',
  url: 'https://hooks.example.com',
  created_at: 100,
  subscriptions: [{ since: 100, events: ['render.complete'] }],
  disabled: [],
  secret: 'old',
  next_secret: null,
  deleted_at: null,
  ...change,
});

const chosen = endpoint({
  subscriptions: [
    { since: 100, events: ['render.complete'] },
    { since: 200, events: ['render.failed'] },
    { since: 200, events: ['render.failed', 'render.status_changed'] },
  ],
});
const wasDisabled = endpoint({ disabled: [{ from: 200, to: 300, reason: 'by_hand' }] });
const disabled = endpoint({ disabled: [{ from: 200, to: null, reason: 'gone' }] });
/** An endpoint whose oldest changes were dropped. */
const forgotten = endpoint({ subscriptions: [{ since: 500, events: ['render.complete'] }] });

const CASES: readonly [string, WebhookEndpoint, EventKind, number, ReturnType<typeof deliveryObligation>][] = [
  ['before the creation of the endpoint', endpoint(), 'render.complete', 99, 'none'],
  ['at the moment of its creation', endpoint(), 'render.complete', 100, 'owed'],
  ['after its creation', endpoint(), 'render.complete', 1e13, 'owed'],
  ['without a subscription', endpoint(), 'render.failed', 150, 'none'],
  ['before its deletion', endpoint({ deleted_at: 200 }), 'render.complete', 199, 'owed'],
  ['at the moment of its deletion', endpoint({ deleted_at: 200 }), 'render.complete', 200, 'none'],
  ['with a former subscription', chosen, 'render.complete', 199, 'owed'],
  ['before the subscription', chosen, 'render.failed', 199, 'none'],
  ['at the moment of the subscription', chosen, 'render.failed', 200, 'owed'],
  ['at the moment of the end of the subscription', chosen, 'render.complete', 200, 'none'],
  ['with the last of two subscriptions of one moment', chosen, 'render.status_changed', 200, 'owed'],
  ['before the first known subscription', forgotten, 'render.complete', 150, 'owed'],
  ['before it was disabled', wasDisabled, 'render.complete', 199, 'owed'],
  ['at the moment of disabling', wasDisabled, 'render.complete', 200, 'skipped'],
  ['at the last disabled moment', wasDisabled, 'render.complete', 299, 'skipped'],
  ['at the moment of enabling', wasDisabled, 'render.complete', 300, 'owed'],
  ['before it was disabled for good', disabled, 'render.complete', 150, 'owed'],
  ['while it is disabled', disabled, 'render.complete', 250, 'skipped'],
  ['while it is disabled, without a subscription', disabled, 'render.failed', 250, 'none'],
];

for (const [title, given, event, at, expected] of CASES)
  test(`an event ${title} is judged as ${expected}`, (t) => {
    t.is(deliveryObligation(given, event, at), expected);
  });

test('an endpoint is disabled while its last period lasts', (t) => {
  t.deepEqual([endpoint(), wasDisabled, disabled].map(isDisabled), [false, false, true]);
  t.is(currentDisabledPeriod(disabled)?.reason, 'gone');
});

test('an endpoint is enabled since its creation or since it was last enabled', (t) => {
  t.deepEqual([endpoint(), wasDisabled, disabled].map(enabledSince), [100, 300, 100]);
});

test('an endpoint is subscribed to the events of its last subscription', (t) => {
  t.deepEqual(subscribedEvents(chosen), ['render.failed', 'render.status_changed']);
});

const rotating = endpoint({ next_secret: { sealed: 'new', since: 1_000 } });

const ROTATION: readonly [string, WebhookEndpoint, number, string, readonly string[]][] = [
  ['without a rotation', endpoint(), 5_000, 'old', ['old']],
  ['at the start of a rotation', rotating, 1_000, 'old', ['new', 'old']],
  ['with a clock behind the log', rotating, 900, 'old', ['new', 'old']],
  ['at the last moment of a rotation', rotating, 1_000 + ROTATION_MS - 1, 'old', ['new', 'old']],
  ['at the end of a rotation', rotating, 1_000 + ROTATION_MS, 'new', ['new']],
  ['long after a rotation', rotating, 1_000 + 9 * ROTATION_MS, 'new', ['new']],
];

for (const [title, given, now, signature, standard] of ROTATION)
  test(`${title}, the old header uses ${signature} and the standard one ${standard.join(' and ')}`, (t) => {
    t.deepEqual(signingSecrets(given, now), { signature, standard });
    t.is(isRotationOver(given, now), given.next_secret !== null && signature === 'new');
  });
