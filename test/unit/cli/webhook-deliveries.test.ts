import test from 'ava';
import { deliveryView, listedDelivery } from '../../../catalogue/delivery-answers.ts';
import { newDeliveryId, repeatedDeliveryId } from '../../../catalogue/delivery-ids.ts';
import { repeatDeliveryRequest } from '../../../catalogue/delivery-requests.ts';
import { parsePastTime } from '../../../cli/commands/arguments.ts';
import { attemptText, deliveriesText, deliveryText } from '../../../cli/webhooks/delivery-text.ts';
import { endpointRefusal, repeatRefusal } from '../../../cli/webhooks/repeatable.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { WebhookAttempt, WebhookDeliveryDocument } from '../../../read-models/deliveries/documents.ts';
import { queuePositionText } from '../../../read-models/deliveries/waiting.ts';
import { caller } from '../../helpers/renderctl.ts';

const AT = 1_763_700_000_000;

const attempt = (change: Partial<WebhookAttempt> = {}): WebhookAttempt => ({
  n: 1,
  started_at: AT,
  duration_ms: 12,
  succeeded: false,
  status: 500,
  fault: { code: 'status', message: 'it answered with status 500' },
  response: 'oh no',
  ...change,
});

const delivery = (change: Partial<WebhookDeliveryDocument> = {}): WebhookDeliveryDocument => ({
  _id: 'hook_1',
  endpoint_id: 'whe_1',
  team_id: 'team_1',
  render_id: 'rend_1',
  seq: 2,
  event: 'render.status_changed',
  partition: 3,
  status_offset: 7,
  repeats: null,
  repeated_by: null,
  planned_at: AT,
  state: 'exhausted',
  reason: null,
  body: '{}',
  body_sha256: 'ab',
  timestamp: AT,
  attempts: [attempt()],
  by_endpoint: `whe_1/${AT}hook_1`,
  ended_at: AT + 1,
  ...change,
});

test('the id of a repeat depends on its source, so two requests create one', (t) => {
  t.is(repeatedDeliveryId('hook_1'), repeatedDeliveryId('hook_1'));
  t.regex(repeatedDeliveryId('hook_1'), /^hook_[0-9a-f]{32}$/);
  t.not(repeatedDeliveryId('hook_1'), repeatedDeliveryId('hook_2'));
  t.not(repeatedDeliveryId(repeatedDeliveryId('hook_1')), repeatedDeliveryId('hook_1'));
  t.regex(newDeliveryId(), /^hook_[0-9a-f]{32}$/);
});

test('a repeat has the same transition, event and endpoint', (t) => {
  const { meta, ...request } = repeatDeliveryRequest(delivery(), { actor: 'operator:on-call', clock: SYSTEM_CLOCK });
  t.is(meta.actor, 'operator:on-call');
  t.deepEqual(request, {
    type: 'DeliveryRequested',
    delivery_id: repeatedDeliveryId('hook_1'),
    endpoint_id: 'whe_1',
    render_id: 'rend_1',
    team_id: 'team_1',
    seq: 2,
    event: 'render.status_changed',
    status_offset: 7,
    repeats: 'hook_1',
  });
});

test('an ended delivery can be repeated; a test delivery cannot', (t) => {
  for (const state of ['succeeded', 'exhausted', 'skipped'] as const) t.is(repeatRefusal(delivery({ state })), null);
  t.like(repeatRefusal(delivery({ state: 'pending' })), { tag: 'refused', reason: 'pending' });
  t.like(repeatRefusal(delivery({ status_offset: null })), { tag: 'refused', reason: 'test' });
});

test('an endpoint without deliveries shows advice', (t) => {
  t.is(endpointRefusal({ id: 'whe_1', state: 'enabled', disabled: null }), null);
  const disabled = endpointRefusal({ id: 'whe_1', state: 'disabled', disabled: { since: AT, reason: 'gone' } });
  t.regex(JSON.stringify(disabled), /disabled since 2025-11-21T04:40:00\.000Z \(gone\); .*webhook enable whe_1/);
  const deleted = endpointRefusal({ id: 'whe_1', state: 'deleted', disabled: null });
  t.regex(JSON.stringify(deleted), /deleted; create another/);
});

test('the time of the next attempt comes from the waiting delivery', (t) => {
  const waiting = queuePositionText({ partition: 3, endpoint_id: 'whe_1', due_at: AT + 5_000, order: 28 });
  t.is(deliveryView(delivery({ state: 'pending', waiting })).next_attempt_at, AT + 5_000);
  t.is(deliveryView(delivery()).next_attempt_at, null);
});

test('a list shows the outcome of the last attempt', (t) => {
  const failed = delivery({
    attempts: [attempt(), attempt({ n: 2, status: null, fault: { code: 'timeout', message: '' } })],
  });
  const text = deliveriesText(
    [failed, delivery({ state: 'skipped', reason: 'disabled', attempts: [] })].map(deliveryView).map(listedDelivery),
  );
  t.regex(text, /exhausted +2 +timeout$/m);
  t.regex(text, /skipped: disabled +0 +-$/m);
});

test('a delivery shows every attempt and answer, without control characters', (t) => {
  const text = deliveryText(
    deliveryView(
      delivery({
        repeated_by: 'hook_2',
        attempts: [
          attempt({ response: 'a\u001b[2Jb\u202e\u009b\nc' }),
          attempt({ n: 2, succeeded: true, status: 204, fault: null, response: 'x'.repeat(2_100) }),
        ],
      }),
    ),
  );
  t.regex(text, /^1 +2025-11-21T04:40:00\.000Z +12 ms +500 +status: it answered with status 500$/m);
  t.regex(text, /^2 .* 204 +-$/m);
  t.regex(text, /^hook_2 repeats it\.$/m);
  t.true(text.includes('Response to attempt 1:\na [2Jb  \nc'));
  t.regex(text, /^… and 100 more characters: --json shows them$/m);
  t.is(attemptText(attempt({ status: null })), 'attempt 1 status: it answered with status 500, after 12 ms');
  t.is(attemptText(attempt({ status: 200, fault: null })), 'attempt 1 got status 200, after 12 ms');
  t.regex(attemptText(attempt(), 24_100), /, after 12 ms; the next attempt begins in 25 s$/);
  t.regex(attemptText(attempt(), -3), /; the next attempt begins at once$/);
});

test('a past moment is shown as a date, a time or an age', (t) => {
  t.is(parsePastTime('2025-11-21'), Date.UTC(2025, 10, 21));
  t.true(Math.abs(Date.now() - 7_200_000 - parsePastTime('2h')) < 5_000);
  for (const wrong of ['soon', '2h ago', '2999-01-01']) t.throws(() => parsePastTime(wrong), undefined, wrong);
});

const renderctl = caller({});

for (const [title, args, told] of [
  ['neither one delivery nor many', [], /use either the id of a delivery, or --since/],
  ['one delivery and many', ['hook_1', '--since', '2h'], /use either the id of a delivery, or --since/],
  ['many without a start', ['--failed-or-skipped'], /use either the id of a delivery, or --since/],
  ['a team and an endpoint', ['--team', 't', '--endpoint', 'e'], /cannot be used with/],
  ['a future time', ['--since', '2999-01-01'], /It must be in the past/],
] as const)
  test(`deliver-again with ${title} exits with code 2`, async (t) => {
    const { exit_code, stdout, stderr } = await renderctl('webhook', 'deliver-again', ...args);
    t.is(exit_code, 2, stderr);
    t.is(stdout, '');
    t.regex(stderr, told);
  });
