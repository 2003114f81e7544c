import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { foldRender } from '../../../domain/render/fold.ts';
import type { Render, RenderStatus, Transition } from '../../../domain/render/render.ts';
import { deliveriesOf, deliveryId } from '../../../webhook-relay/delivery.ts';
import type { Endpoint } from '../../../webhook-relay/endpoint.ts';
import { EVENT_KINDS } from '../../../webhook-relay/event-kinds.ts';
import { signatureOf } from '../../../webhook-relay/signature.ts';
import {
  assigned,
  completed,
  finished,
  prepared,
  progressed,
  RENDER_ID,
  requested,
} from '../../helpers/render-facts.ts';

const ENDPOINT: Endpoint = { url: 'https://example.org/hooks', secret: 'whsec_1', events: EVENT_KINDS };

const LIFE = [requested(), prepared, assigned('att_1', 1), progressed('att_1'), finished('att_1'), completed('att_1')];

const after = (count: number): Render => {
  const render = foldRender(LIFE.slice(0, count).map((fact, i) => ({ fact, at: 1_000 + i })));
  if (E.isLeft(render) || render.right === null) throw new Error('the facts make no render');
  return render.right;
};

const to = (status: RenderStatus, seq: number): Transition => ({ seq, from: null, to: status, at: 1_000 });
const eventsFor = (transition: Transition, events: Endpoint['events']) =>
  deliveriesOf({ ...ENDPOINT, events }, after(1), transition, null, 5).map((delivery) => delivery.event);

test('creation is a change of status', (t) => {
  t.deepEqual(eventsFor(to('initializing', 1), EVENT_KINDS), ['render.status_changed']);
});

test('completion is two deliveries for who subscribed to both', (t) => {
  t.deepEqual(eventsFor(to('complete', 6), EVENT_KINDS), ['render.status_changed', 'render.complete']);
  t.deepEqual(eventsFor(to('failed', 6), EVENT_KINDS), ['render.status_changed', 'render.failed']);
});

test('nobody gets what they did not subscribe to', (t) => {
  t.deepEqual(eventsFor(to('complete', 6), ['render.complete']), ['render.complete']);
  t.deepEqual(eventsFor(to('failed', 6), ['render.complete']), []);
  t.deepEqual(eventsFor(to('ready', 2), ['render.complete', 'render.failed']), []);
});

test('the body is the specified payload with the render as it was then', (t) => {
  const [delivery] = deliveriesOf(ENDPOINT, after(2), to('ready', 2), null, 1_234);
  t.deepEqual(JSON.parse(delivery?.body.toString('utf8') ?? ''), {
    id: delivery?.id,
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
    timestamp: 1_234,
  });
});

test('a complete render carries its output', (t) => {
  const output = { master: 'https://example.org/master.mp4' };
  const [delivery] = deliveriesOf(ENDPOINT, after(6), to('complete', 6), output, 1_234);
  t.deepEqual(JSON.parse(delivery?.body.toString('utf8') ?? '').data.output, output);
});

test('the headers are the specified ones', (t) => {
  const [delivery] = deliveriesOf(ENDPOINT, after(2), to('ready', 2), null, 1_234);
  t.deepEqual(delivery?.headers, {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhooks/1.0',
    'X-Webhook-ID': delivery?.id,
    'X-Webhook-Timestamp': '1234',
    'X-Webhook-Signature': signatureOf(delivery?.body ?? Buffer.alloc(0), 'whsec_1'),
  });
});

test('a repeat is the same delivery; another transition, event or endpoint is another', (t) => {
  const ids = [
    deliveryId('https://a.example', RENDER_ID, 1, 'render.status_changed'),
    deliveryId('https://a.example', RENDER_ID, 2, 'render.status_changed'),
    deliveryId('https://a.example', RENDER_ID, 2, 'render.complete'),
    deliveryId('https://b.example', RENDER_ID, 1, 'render.status_changed'),
    deliveryId('https://a.example', 'rend_2', 1, 'render.status_changed'),
  ];
  t.is(new Set(ids).size, ids.length);
  t.is(ids[0], deliveryId('https://a.example', RENDER_ID, 1, 'render.status_changed'));
  t.true(ids.every((id) => /^hook_[0-9a-f]{32}$/.test(id)));
});
