import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { ulid } from 'ulid';
import type { DeliveryRequested, WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import type { WebhookDeliveryDocument, WebhookPositionDocument } from '../../read-models/deliveries/documents.ts';
import type { Received } from '../../stack/testing/https-receiver.ts';
import { until } from '../../stack/testing/until.ts';
import { operatorMeta } from '../../stack/testing/webhook-endpoints.ts';
import { requested } from '../helpers/render-events.ts';
import { type RelayProcess, startRelayProcess } from '../integration/webhook-relay/_relay-process.ts';
import {
  deliveries,
  deliveryIdOf,
  FAILING_LIFE,
  live,
  owedOf,
  type RelayWorld,
  STATUSES,
  startRelayWorld,
  teamWithEndpoint,
  untilDelivery,
  untilEnded,
  webhookEvents,
} from '../integration/webhook-relay/_relay-world.ts';

let world: RelayWorld;
let relay: RelayProcess;

test.before(async (t) => {
  t.timeout(180_000);
  world = await startRelayWorld({}, ['projectors'], ['store']);
  relay = await startRelayProcess(world.stack.env);
});
test.after.always(async () => {
  await relay?.kill();
  await world?.stop();
});

const startAgain = async (): Promise<void> => {
  await relay.kill();
  relay = await startRelayProcess(world.stack.env);
};

const jsonOf = ({ body }: Received) => JSON.parse(body.toString('utf8'));

const append = async (event: WebhookEvent, partition?: number): Promise<void> => {
  const at = partition === undefined ? {} : { partition };
  const appended = await world.clients.records.append('webhook-events', event.render_id, event, at);
  if (E.isLeft(appended)) throw new Error(appended.left.message);
};

/** A failing render of a new team, whose one delivery is as it is wanted. */
const oneDelivery = async (wanted: 'succeeded' | 'under way') => {
  const answer = wanted === 'under way' ? ({ tag: 'hang' } as const) : undefined;
  const endpoint = await teamWithEndpoint(world, answer, ['render.failed']);
  const render_id = await live(world.clients, endpoint.team_id, FAILING_LIFE);
  const id = deliveryIdOf(endpoint.id, render_id, 2, 'render.failed');
  if (wanted === 'succeeded') await untilEnded(world.clients, id);
  else await until('an attempt is under way', async () => world.receiver.receivedAt(endpoint.path).length === 1);
  const delivery = await untilDelivery(world.clients, id, 'is stored', () => true);
  return { endpoint, render_id, id, delivery, received: () => world.receiver.receivedAt(endpoint.path) };
};

const requestFor = (delivery: WebhookDeliveryDocument, delivery_id: string): DeliveryRequested => {
  const { endpoint_id, team_id, render_id, seq, event, status_offset } = delivery;
  const about = { delivery_id, endpoint_id, team_id, render_id, seq, event, status_offset };
  return { type: 'DeliveryRequested', meta: operatorMeta(), ...about, repeats: delivery._id };
};

test.serial('what was planned says what led to it, and who planned it', async (t) => {
  const endpoint = await teamWithEndpoint(world);
  const render_id = await live(world.clients, endpoint.team_id);
  const owed = owedOf(endpoint, render_id);
  for (const id of owed) t.is((await untilEnded(world.clients, id)).state, 'succeeded');
  t.deepEqual(
    world.receiver.receivedAt(endpoint.path).flatMap((one) => {
      const { event, data } = jsonOf(one);
      return event === 'render.status_changed' ? [data.status] : [];
    }),
    STATUSES,
  );
  const events = (await webhookEvents(world.clients)).filter((event) => event.render_id === render_id);
  const planned = events.filter(({ type }) => type === 'DeliveryPlanned');
  t.deepEqual(planned.map(({ delivery_id }) => delivery_id).toSorted(), owed.toSorted());
  t.true(planned.every(({ meta }) => meta.causation_id !== null && meta.actor.startsWith('relay:')));
  t.is(new Set(events.map(({ meta }) => meta.event_id)).size, events.length);
});

test.serial('the trace of a request reaches the endpoint, over the log', async (t) => {
  const endpoint = await teamWithEndpoint(world);
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const render_id = `rend_${ulid()}`;
  const event = { ...requested(), render_id, team_id: endpoint.team_id };
  const appended = await world.clients.records.append('render-events', render_id, event, { headers: { traceparent } });
  t.true(E.isRight(appended));
  const received = await until('it is delivered', async () => world.receiver.receivedAt(endpoint.path)[0] ?? null);
  t.is(received.headers.traceparent, traceparent);
});

test.serial('a repeat of a status record is no second delivery, and bytes that are none stop nothing', async (t) => {
  const endpoint = await teamWithEndpoint(world);
  const render_id = await live(world.clients, endpoint.team_id, [requested()]);
  const id = deliveryIdOf(endpoint.id, render_id, 1, 'render.status_changed');
  const { partition, status_offset } = await untilEnded(world.clients, id);
  const { log } = world.clients.records;
  const at = { topic: 'render-status', partition };
  const [record] = await log.read([{ ...at, offset: status_offset ?? 0 }]);
  for (const value of [Buffer.from('no record'), record?.value ?? Buffer.alloc(0)])
    t.true(E.isRight(await log.append({ ...at, key: render_id, value })));
  await live(world.clients, endpoint.team_id, FAILING_LIFE.slice(1), render_id);
  await untilEnded(world.clients, deliveryIdOf(endpoint.id, render_id, 2, 'render.failed'));
  t.is(world.receiver.receivedAt(endpoint.path).filter(({ headers }) => headers['x-webhook-id'] === id).length, 1);
  const planned = (await webhookEvents(world.clients)).filter(
    (event) => event.type === 'DeliveryPlanned' && event.delivery_id === id,
  );
  t.is(planned.length, 1);
});

test.serial('a delivery is made again where somebody asks for it, and only where it may be', async (t) => {
  const { endpoint, id, delivery, received } = await oneDelivery('succeeded');
  const [again, elsewhere, test_delivery] = [`hook_${ulid()}`, `hook_${ulid()}`, `hook_${ulid()}`];
  const foreign = await teamWithEndpoint(world);
  await append(requestFor(delivery, again));
  await append({ ...requestFor(delivery, elsewhere), endpoint_id: foreign.id, team_id: foreign.team_id });
  const of_test = { endpoint_id: endpoint.id, render_id: `rend_${ulid()}`, status_offset: null, seq: 0 };
  await append({ ...requestFor(delivery, test_delivery), ...of_test, repeats: null });

  t.like(await untilEnded(world.clients, again), { state: 'succeeded', repeats: id });
  t.like(await untilEnded(world.clients, test_delivery), { state: 'succeeded', repeats: null });
  t.like(await untilEnded(world.clients, elsewhere), { state: 'skipped', reason: 'no_such_transition' });
  t.is((await deliveries(world.clients).findOne({ _id: id }))?.repeated_by, again);
  const bodies = received().map(jsonOf);
  t.deepEqual(bodies.map((body) => body.id).toSorted(), [id, again, test_delivery].toSorted());
  const [first, second] = [id, again].map((one) => bodies.find((body) => body.id === one));
  t.deepEqual(second?.data, first?.data);
  t.true(second?.timestamp > first?.timestamp);
  t.is(world.receiver.receivedAt(foreign.path).length, 0);
});

test.serial('what the log knows of a delivery, and the state does not, is not done again', async (t) => {
  t.timeout(90_000);
  const { endpoint, id, render_id, delivery, received } = await oneDelivery('under way');
  await relay.kill();
  // As if the relay had been killed right after it said in the log how the attempt ended.
  const about = { meta: operatorMeta(), delivery_id: id, endpoint_id: endpoint.id, render_id };
  const attempt = { n: 1, started_at: Date.now(), duration_ms: 5, body_sha256: delivery.body_sha256 ?? '' };
  await append({ type: 'DeliveryAttempted', ...about, ...attempt, succeeded: true, status: 200, fault: null });
  relay = await startRelayProcess(world.stack.env);
  const ended = await untilEnded(world.clients, id);
  t.like(ended, { state: 'succeeded' });
  t.is(ended.attempts.length, 1);
  t.is(received().length, 1);
  const ends = (await webhookEvents(world.clients)).filter(
    (event) => event.delivery_id === id && event.type === 'DeliverySucceeded',
  );
  t.is(ends.length, 1);
});

test.serial(
  'a state that is lost is made from the log: what has ended stays so, the rest arrives, the same',
  async (t) => {
    t.timeout(90_000);
    const done = await oneDelivery('succeeded');
    const open = await oneDelivery('under way');
    await relay.kill();
    world.receiver.answer(open.endpoint.path, { tag: 'answer' });
    const { db } = world.clients.store;
    await db.collection(COLLECTIONS.webhook_deliveries).deleteMany({});
    await db.collection(COLLECTIONS.webhook_positions).deleteMany({});
    relay = await startRelayProcess(world.stack.env);
    t.is((await untilEnded(world.clients, open.id)).state, 'succeeded');
    const [before, after] = open.received();
    t.deepEqual(after?.body, before?.body);
    const render_id = await live(world.clients, done.endpoint.team_id, FAILING_LIFE);
    await untilEnded(world.clients, deliveryIdOf(done.endpoint.id, render_id, 2, 'render.failed'));
    t.is(done.received().filter(({ headers }) => headers['x-webhook-id'] === done.id).length, 1);
  },
);

test.serial('the position is behind nothing that was done, and a restart plans nothing again', async (t) => {
  t.timeout(90_000);
  const { endpoint } = await oneDelivery('succeeded');
  const positions = world.clients.store.db.collection<WebhookPositionDocument>(COLLECTIONS.webhook_positions);
  const { log } = world.clients.records;
  await until('every partition is planned to its end', async () => {
    for (const { partition, end } of await log.bounds('render-status')) {
      const kept = await positions.findOne({ _id: partition });
      if ((kept?.next_status ?? 0) < end) return false;
    }
    return true;
  });
  const planned = async () =>
    (await webhookEvents(world.clients)).filter(({ type }) => type === 'DeliveryPlanned').length;
  const before = await planned();
  await startAgain();
  const render_id = await live(world.clients, endpoint.team_id, FAILING_LIFE);
  await untilEnded(world.clients, deliveryIdOf(endpoint.id, render_id, 2, 'render.failed'));
  t.is(await planned(), before + 1);
});

test.serial(
  'a partition that another process took by mistake is taken back, and nothing of it is left out',
  async (t) => {
    const endpoint = await teamWithEndpoint(world);
    const positions = world.clients.store.db.collection<WebhookPositionDocument & { readonly taken: number }>(
      COLLECTIONS.webhook_positions,
    );
    const renders: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      await positions.updateMany({}, { $inc: { taken: 1 } });
      for (let i = 0; i < 4; i += 1) renders.push(await live(world.clients, endpoint.team_id));
    }
    const owed = renders.flatMap((render_id) => owedOf(endpoint, render_id));
    for (const id of owed) t.is((await untilEnded(world.clients, id)).state, 'succeeded');
    const received = world.receiver.receivedAt(endpoint.path).map(({ headers }) => headers['x-webhook-id']);
    t.is(new Set(received).size, owed.length);
  },
);
