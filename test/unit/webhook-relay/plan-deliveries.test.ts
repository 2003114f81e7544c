import { createHash } from 'node:crypto';
import test from 'ava';
import type { Render } from '../../../domain/render/render.ts';
import type { DeliveryRequested } from '../../../domain/webhooks/delivery-events.ts';
import type { WebhookEndpoint } from '../../../domain/webhooks/endpoint.ts';
import { deliveryId } from '../../../read-models/deliveries/plan.ts';
import { renderResource } from '../../../schemas/http/public/render-resource.ts';
import type { PlanningTime } from '../../../webhook-relay/plan/planned-deliveries.ts';
import { planDeliveries } from '../../../webhook-relay/plan/planned-deliveries.ts';
import { renderResourceWithName } from '../../../webhook-relay/plan/render-data.ts';
import { requestedDelivery } from '../../../webhook-relay/plan/requested-delivery.ts';
import type { StatusChange } from '../../../webhook-relay/plan/status-changes.ts';
import { metaBy, RENDER_ID } from '../../helpers/render-events.ts';
import { change, endpoint, renderAfter } from './_plan.ts';

const NOW: PlanningTime = { now: 5_000, due_at: 5_001, logged: () => null };
const OUTPUT = { master: 'https://example.org/master.mp4' };

const dataOf = ({ render }: StatusChange) => renderResource(render, render.status === 'complete' ? OUTPUT : null);

const planned = (its: StatusChange, endpoints: readonly WebhookEndpoint[], isFull = (_id: string) => false) =>
  planDeliveries(its, endpoints, dataOf(its), NOW, isFull);
const COMPLETE = change('complete', 6);
const eventsOf = (its: StatusChange, change_of_endpoint: Partial<WebhookEndpoint>) =>
  planned(its, [endpoint(change_of_endpoint)]).map(({ event }) => event);

test('the creation of a render is a change of status', (t) => {
  t.deepEqual(eventsOf(change('initializing', 1), {}), ['render.status_changed']);
});

test('an end yields two deliveries for a subscription to both events', (t) => {
  t.deepEqual(eventsOf(change('complete', 6), {}), ['render.status_changed', 'render.complete']);
  t.deepEqual(eventsOf(change('failed', 6), {}), ['render.status_changed', 'render.failed']);
});

test('an endpoint gets only the events of its subscription at that time', (t) => {
  const only_complete = { subscriptions: [{ since: 100, events: ['render.complete' as const] }] };
  t.deepEqual(eventsOf(change('complete', 6), only_complete), ['render.complete']);
  t.deepEqual(eventsOf(change('failed', 6), only_complete), []);
  t.deepEqual(eventsOf(change('ready', 2), only_complete), []);
});

test('an endpoint created later gets no delivery', (t) => {
  t.deepEqual(eventsOf(change('ready', 2), { created_at: 1_001 }), []);
  t.deepEqual(eventsOf(change('ready', 2), { created_at: 1_000 }), ['render.status_changed']);
});

test('deliveries of a disabled endpoint are skipped with the reason', (t) => {
  const disabled = [{ from: 900, to: 1_100, reason: 'by_hand' }];
  const [delivery, ...more] = planned(change('ready', 2), [endpoint({ disabled })]);
  t.deepEqual(more, []);
  t.like(delivery, { state: 'skipped', reason: 'disabled', body: null, body_sha256: null, ended_at: 5_000 });
  t.false('waiting' in (delivery ?? {}));
  t.deepEqual(delivery?.delete_at, new Date(5_000 + 30 * 86_400_000));
});

test('a delivery is skipped if too many wait', (t) => {
  const both = [endpoint(), endpoint({ id: 'whe_2' })];
  const deliveries = planned(change('ready', 2), both, (id) => id === 'whe_2');
  t.deepEqual(
    deliveries.map(({ endpoint_id, state, reason }) => [endpoint_id, state, reason]),
    [
      ['whe_1', 'pending', null],
      ['whe_2', 'skipped', 'backlog'],
    ],
  );
});

test('the body has the render after the transition, and its hash matches', (t) => {
  const [delivery] = planned(change('ready', 2), [endpoint()]);
  const body = delivery?.body ?? '';
  t.is(delivery?._id, deliveryId('whe_1', RENDER_ID, 2, 'render.status_changed'));
  t.deepEqual(Object.keys(JSON.parse(body)), ['id', 'event', 'data', 'timestamp']);
  t.deepEqual(JSON.parse(body), {
    id: delivery?._id,
    event: 'render.status_changed',
    data: {
      id: RENDER_ID,
      name: 'Spring sale',
      status: 'ready',
      type: 'local',
      project: { id: 'proj_1', team: 'team_1' },
      created_by: 'user_1',
      created_at: 1_000,
      updated_at: 1_001,
    },
    timestamp: 5_000,
  });
  t.is(delivery?.body_sha256, createHash('sha256').update(Buffer.from(body, 'utf8')).digest('hex'));
  t.is(delivery?.timestamp, 5_000);
  t.is(delivery?.waiting, '0003/whe_1/0000000005001000000000028');
  t.is(delivery?.by_endpoint, `whe_1/0000000005000${delivery?._id}`);
});

test('a complete render carries its output, in both of its deliveries', (t) => {
  const bodies = planned(change('complete', 6), [endpoint()]).map(({ body }) => JSON.parse(body ?? ''));
  t.deepEqual(
    bodies.map(({ data }) => data.output),
    [OUTPUT, OUTPUT],
  );
});

const deliveredOf = async (render: Render) =>
  await renderResourceWithName(async () => null, render, 'First', new AbortController().signal);

test('a delivery has the failure, and the progress of a beginning', async (t) => {
  t.deepEqual(
    [(await deliveredOf(renderAfter(4)))?.progress, (await deliveredOf(renderAfter(3)))?.progress],
    [0, undefined],
  );
  const failure = { stage: 'preparation', code: 'over_budget', message: 'too large', field: null };
  const failed = await deliveredOf({ ...renderAfter(1), status: 'failed', failure });
  t.deepEqual(failed?.failure, { stage: 'preparation', code: 'over_budget', message: 'too large' });
  t.false(Object.keys(failed ?? {}).includes('progress'));
});

test('deliveries of one record have different positions, in order', (t) => {
  const [first, second] = planned(change('complete', 6), [endpoint()]).map(({ waiting }) => waiting ?? '');
  t.true((first ?? '') < (second ?? ''));
});

test('delivery ids differ by transition, event, render and endpoint only', (t) => {
  const ids = [
    deliveryId('whe_1', RENDER_ID, 1, 'render.status_changed'),
    deliveryId('whe_1', RENDER_ID, 2, 'render.status_changed'),
    deliveryId('whe_1', RENDER_ID, 2, 'render.complete'),
    deliveryId('whe_2', RENDER_ID, 1, 'render.status_changed'),
    deliveryId('whe_1', 'rend_2', 1, 'render.status_changed'),
  ];
  t.is(new Set(ids).size, ids.length);
  t.is(ids[0], deliveryId('whe_1', RENDER_ID, 1, 'render.status_changed'));
  t.true(ids.every((id) => /^hook_[0-9a-f]{32}$/.test(id)));
});

const request = (changed: Partial<DeliveryRequested>) => ({
  partition: 3,
  offset: 9,
  event: 'render.complete' as const,
  requested: {
    type: 'DeliveryRequested' as const,
    meta: metaBy('operator:ops'),
    delivery_id: 'hook_2',
    endpoint_id: 'whe_1',
    render_id: RENDER_ID,
    team_id: 'team_1',
    seq: 6,
    event: 'render.complete',
    status_offset: 7,
    repeats: 'hook_1',
    ...changed,
  },
});

test('a requested delivery has the id of the request and a new body', (t) => {
  const delivery = requestedDelivery(request({}), endpoint(), COMPLETE, dataOf(COMPLETE), NOW, false);
  t.like(delivery, { _id: 'hook_2', state: 'pending', repeats: 'hook_1', status_offset: 7, planned_at: 5_000 });
  t.like(JSON.parse(delivery.body ?? ''), { id: 'hook_2', event: 'render.complete', timestamp: 5_000 });
  t.deepEqual(JSON.parse(delivery.body ?? '').data.output, OUTPUT);
});

test('a test delivery has an invented render of the same shape', (t) => {
  const test_request = request({ status_offset: null, seq: 0, repeats: null, render_id: 'rend_test' });
  const { data } = JSON.parse(requestedDelivery(test_request, endpoint(), null, null, NOW, false).body ?? '');
  t.like(data, { id: 'rend_test', status: 'complete', project: { team: 'team_1' } });
  t.is(typeof data.output.master, 'string');

  // After a loss of the state, the same bytes are planned again.
  const first = requestedDelivery(test_request, endpoint(), null, null, NOW, false);
  const later = { now: 9_000, due_at: 9_000, logged: () => ({ planned_at: 5_000, attempts: [], due_at: null }) };
  t.is(requestedDelivery(test_request, endpoint(), null, null, later, false).body, first.body);
});

test('a test delivery of a failure has an invented failure', (t) => {
  const wanted = request({ status_offset: null, seq: 0, repeats: null, event: 'render.failed' });
  const { body } = requestedDelivery({ ...wanted, event: 'render.failed' }, endpoint(), null, null, NOW, false);
  t.like(JSON.parse(body ?? '').data, { status: 'failed', failure: { code: 'test' } });
});

test('requests for a deleted endpoint or a wrong transition are skipped', (t) => {
  const skips = [
    requestedDelivery(request({}), undefined, null, null, NOW, false),
    requestedDelivery(request({}), endpoint({ deleted_at: 1 }), COMPLETE, dataOf(COMPLETE), NOW, false),
    requestedDelivery(request({}), endpoint(), null, null, NOW, false),
    requestedDelivery(request({ seq: 5 }), endpoint(), COMPLETE, dataOf(COMPLETE), NOW, false),
    requestedDelivery(request({ render_id: 'rend_2' }), endpoint(), COMPLETE, dataOf(COMPLETE), NOW, false),
    requestedDelivery(request({}), endpoint(), change('failed', 6), dataOf(COMPLETE), NOW, false),
    requestedDelivery(request({}), endpoint({ team_id: 'team_2' }), COMPLETE, dataOf(COMPLETE), NOW, false),
  ];
  t.deepEqual(
    skips.map(({ state, reason, body }) => [state, reason, body]),
    [
      ['skipped', 'deleted', null],
      ['skipped', 'deleted', null],
      ...Array.from({ length: 5 }, () => ['skipped', 'no_such_transition', null]),
    ],
  );
});

test('deliveries of an erased render are skipped', (t) => {
  const ofEvent = planDeliveries(COMPLETE, [endpoint()], null, NOW, () => false);
  t.deepEqual(
    ofEvent.map(({ event, state, reason, body, body_sha256 }) => [event, state, reason, body, body_sha256]),
    [
      ['render.status_changed', 'skipped', 'erased', null, null],
      ['render.complete', 'skipped', 'erased', null, null],
    ],
  );
  const byHand = requestedDelivery(request({}), endpoint(), COMPLETE, null, NOW, false);
  t.like(byHand, { state: 'skipped', reason: 'erased', body: null });
});
