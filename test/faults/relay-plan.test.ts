import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { ulid } from 'ulid';
import type { DeliveryRequested, WebhookEvent } from '../../domain/webhooks/delivery-events.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import type { WebhookDeliveryDocument, WebhookPositionDocument } from '../../read-models/deliveries/documents.ts';
import { findDeliveryRebuild } from '../../read-models/deliveries/rebuild.ts';
import type { Received } from '../../stack/testing/https-receiver.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { operatorMeta } from '../../stack/testing/webhook-endpoints.ts';
import { requested } from '../helpers/render-events.ts';
import { caller } from '../helpers/renderctl.ts';
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

const oneDelivery = async (wanted: 'succeeded' | 'under way') => {
  const answer = wanted === 'under way' ? ({ tag: 'hang' } as const) : undefined;
  const endpoint = await teamWithEndpoint(world, answer, ['render.failed']);
  const render_id = await live(world.clients, endpoint.team_id, FAILING_LIFE);
  const id = deliveryIdOf(endpoint.id, render_id, 2, 'render.failed');
  if (wanted === 'succeeded') await untilEnded(world.clients, id);
  else await pollUntil('an attempt is running', async () => world.receiver.receivedAt(endpoint.path).length === 1);
  const delivery = await untilDelivery(world.clients, id, 'is stored', () => true);
  return { endpoint, render_id, id, delivery, received: () => world.receiver.receivedAt(endpoint.path) };
};

const requestFor = (delivery: WebhookDeliveryDocument, delivery_id: string): DeliveryRequested => {
  const { endpoint_id, team_id, render_id, seq, event, status_offset } = delivery;
  const about = { delivery_id, endpoint_id, team_id, render_id, seq, event, status_offset };
  return { type: 'DeliveryRequested', meta: operatorMeta(), ...about, repeats: delivery._id };
};

test.serial('a planned delivery names its cause and its planner', async (t) => {
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

test.serial('the trace of a request reaches the endpoint through the log', async (t) => {
  const endpoint = await teamWithEndpoint(world);
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const render_id = `rend_${ulid()}`;
  const event = { ...requested(), render_id, team_id: endpoint.team_id };
  const appended = await world.clients.records.append('render-events', render_id, event, { headers: { traceparent } });
  t.true(E.isRight(appended));
  const received = await pollUntil(
    'the delivery has arrived',
    async () => world.receiver.receivedAt(endpoint.path)[0] ?? null,
  );
  t.is(received.headers.traceparent, traceparent);
});

test.serial('a repeated status record plans no delivery, and invalid bytes stop no relay', async (t) => {
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

test.serial('a delivery is repeated on request, only where this is allowed', async (t) => {
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

test.serial('an attempt in the log that the state lacks is not repeated', async (t) => {
  t.timeout(90_000);
  const { endpoint, id, render_id, delivery, received } = await oneDelivery('under way');
  await relay.kill();
  // As if the relay had been killed right after it appended the outcome.
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

const DAY_MS = 24 * 60 * 60 * 1_000;

const appendEnded = async (like: WebhookDeliveryDocument, end: 'succeeded' | 'exhausted', ago_ms: number) => {
  const delivery_id = `hook_${ulid()}`;
  const { endpoint_id, team_id, render_id, seq, event, status_offset, partition } = like;
  const meta = { ...operatorMeta(), occurred_at: Date.now() - ago_ms };
  const about = { meta, delivery_id, endpoint_id, render_id };
  const succeeded = end === 'succeeded';
  const attempt = { n: 1, started_at: meta.occurred_at, duration_ms: 7, body_sha256: 'ab', succeeded };
  await append({ type: 'DeliveryPlanned', ...about, team_id, seq, event, status_offset, repeats: null }, partition);
  const answer = { status: succeeded ? 200 : 500, fault: succeeded ? null : 'status' };
  await append({ type: 'DeliveryAttempted', ...about, ...attempt, ...answer }, partition);
  if (succeeded) await append({ type: 'DeliverySucceeded', ...about, attempts: 1 }, partition);
  else await append({ type: 'DeliveryExhausted', ...about, attempts: 1, reason: 'attempts_failed' }, partition);
  return delivery_id;
};

const inLog = ({ ended_at: _, delete_at: __, attempts, ...rest }: WebhookDeliveryDocument) => ({
  ...rest,
  attempts: attempts.map(({ response: _, fault, ...attempt }) => ({ ...attempt, fault: fault?.code ?? null })),
});

test.serial('lost state is restored from the log, and unfinished deliveries arrive unchanged', async (t) => {
  t.timeout(120_000);
  const { db } = world.clients.store;
  const done = await oneDelivery('succeeded');
  const { endpoint, received } = done;
  const [again, of_test] = [`hook_${ulid()}`, `hook_${ulid()}`];
  await append(requestFor(done.delivery, again));
  const made_up = { render_id: `rend_${ulid()}`, status_offset: null, seq: 0 };
  await append({ ...requestFor(done.delivery, of_test), ...made_up, repeats: null });
  for (const id of [again, of_test]) t.is((await untilEnded(world.clients, id)).state, 'succeeded');
  world.receiver.answer(endpoint.path, { tag: 'answer', status: 410, body: 'gone' });
  const renders = [await live(world.clients, endpoint.team_id, FAILING_LIFE)];
  const gone = deliveryIdOf(endpoint.id, renders[0] ?? '', 2, 'render.failed');
  t.is((await untilEnded(world.clients, gone)).state, 'exhausted');
  await pollUntil('the endpoint is disabled', async () => {
    const { stdout } = await caller(world.stack.env)('webhook', 'show', endpoint.id, '--json');
    return JSON.parse(stdout).state === 'disabled';
  });
  renders.push(await live(world.clients, endpoint.team_id, FAILING_LIFE));
  const skipped = deliveryIdOf(endpoint.id, renders[1] ?? '', 2, 'render.failed');
  t.is((await untilEnded(world.clients, skipped)).state, 'skipped');

  const open = await oneDelivery('under way');

  const ids = [done.id, again, of_test, gone, skipped];
  const all = async () => {
    const found = await deliveries(world.clients).find({ endpoint_id: endpoint.id }).toArray();
    return new Map(found.map((one) => [one._id, one]));
  };
  await relay.kill();
  const before = await all();
  const listed = async () => {
    const { stdout } = await caller(world.stack.env)('webhook', 'deliveries', endpoint.id, '--json');
    const { data }: { data: readonly { id: string; state: string; attempts: number }[] } = JSON.parse(stdout);
    return data.map(({ id, state, attempts }) => `${id} ${state} ${attempts}`).toSorted();
  };
  const list = await listed();
  const kept = await appendEnded(done.delivery, 'exhausted', 29 * DAY_MS);
  const expired = [
    await appendEnded(done.delivery, 'succeeded', 8 * DAY_MS),
    await appendEnded(done.delivery, 'exhausted', 31 * DAY_MS),
  ];
  const sent = received().length;

  for (const name of [COLLECTIONS.webhook_deliveries, COLLECTIONS.webhook_positions]) await db.collection(name).drop();
  t.deepEqual(await listed(), []);
  const started = startRelayProcess(world.stack.env);
  await pollUntil('some deliveries are restored', async () => (await deliveries(world.clients).countDocuments()) > 0);
  await (await started).kill();
  await db.collection(COLLECTIONS.webhook_positions).deleteMany({});
  world.receiver.answer(open.endpoint.path, { tag: 'answer' });
  relay = await startRelayProcess(world.stack.env);
  const back = await pollUntil('all deliveries are restored', async () => {
    const found = await all();
    return [...ids, kept].every((id) => found.has(id)) && found;
  });
  for (const id of ids) {
    const [one, other] = [before.get(id), back.get(id)];
    if (one === undefined || other === undefined) return t.fail(id);
    t.deepEqual(inLog(other), inLog(one));
    const late_ms = Math.abs((other.ended_at ?? 0) - (one.ended_at ?? 0));
    t.true(late_ms < 10_000 && late_ms === Math.abs(Number(other.delete_at) - Number(one.delete_at)), `${late_ms} ms`);
  }
  t.is(back.get(done.id)?.repeated_by, again);
  t.like(back.get(kept), { state: 'exhausted', reason: 'attempts_failed', attempts: [{ n: 1, status: 500 }] });
  for (const id of expired) t.false(back.has(id));
  t.deepEqual(await listed(), [...list, `${kept} exhausted 1`].toSorted());

  t.is((await untilEnded(world.clients, open.id)).state, 'succeeded');
  const [first, ...rest] = open.received();
  t.true(rest.length > 0);
  for (const one of rest) t.deepEqual(one.body, first?.body);

  t.is((await caller(world.stack.env)('webhook', 'enable', endpoint.id)).exit_code, 0);
  world.receiver.answer(endpoint.path, { tag: 'answer' });
  const next = await live(world.clients, endpoint.team_id, FAILING_LIFE);
  await untilEnded(world.clients, deliveryIdOf(endpoint.id, next, 2, 'render.failed'));
  t.is(received().length, sent + 1);
});

test.serial('a running relay replans the deliveries that a restored store lost', async (t) => {
  t.timeout(90_000);
  const { db } = world.clients.store;
  const state = [COLLECTIONS.webhook_deliveries, COLLECTIONS.webhook_positions].map((name) => db.collection(name));
  const kept = await oneDelivery('succeeded');
  const backup = await Promise.all(state.map((collection) => collection.find({}).toArray()));
  const done = await oneDelivery('succeeded');
  const open = await oneDelivery('under way');
  for (const [i, collection] of state.entries()) {
    await collection.deleteMany({});
    await collection.insertMany(backup[i] ?? []);
  }
  world.receiver.answer(open.endpoint.path, { tag: 'answer' });
  for (const { id } of [kept, done, open]) t.is((await untilEnded(world.clients, id)).state, 'succeeded', id);
  t.is(done.received().length, 1);
  const [first, ...rest] = open.received();
  t.true(rest.length > 0);
  for (const one of rest) t.deepEqual(one.body, first?.body);
});

test.serial('a rebuild of deliveries resumes after a kill at any moment, without sending twice', async (t) => {
  t.timeout(120_000);
  const { db } = world.clients.store;
  const all = deliveries(world.clients);
  const done = await oneDelivery('succeeded');
  const owing = await teamWithEndpoint(world, { tag: 'answer', status: 503, body: 'later' }, ['render.failed']);
  const render_id = await live(world.clients, owing.team_id, FAILING_LIFE);
  const open = deliveryIdOf(owing.id, render_id, 2, 'render.failed');
  await untilDelivery(world.clients, open, 'was attempted twice', ({ attempts }) => attempts.length === 2);
  const isRight = async () => (await all.findOne({ _id: done.id }))?.state === 'succeeded';
  const isBack = async () => (await all.countDocuments({ _id: open })) === 1;
  const moments = {
    'a partition is begun': async () => ((await findDeliveryRebuild(db))?.partitions.size ?? 0) > 0,
    'one that has ended is mended': isRight,
    'one that is owed is back': isBack,
  };
  for (const [moment, hasCome] of Object.entries(moments)) {
    await all.updateOne({ _id: done.id }, { $set: { state: 'exhausted', reason: 'attempts_failed' } });
    await all.deleteOne({ _id: open });
    const rebuilding = caller(world.stack.env)('rebuild', 'deliveries', '--json');
    await pollUntil(moment, hasCome, 60_000);
    await startAgain();
    const { stdout, stderr } = await rebuilding;
    t.is(stderr, '', moment);
    t.like(JSON.parse(stdout), { mended: { removed: 0, left: 0 } }, moment);
    t.true(await isRight(), moment);
    t.true(await isBack(), moment);
  }
  const attempts = (await webhookEvents(world.clients)).flatMap((event) =>
    event.type === 'DeliveryAttempted' && event.delivery_id === open ? [event.n] : [],
  );
  t.deepEqual(attempts, [...new Set(attempts)]);
  t.like(await all.findOne({ _id: open }), { state: 'pending', attempts: { length: attempts.length } });
  t.is(world.receiver.receivedAt(owing.path).length, attempts.length);
  t.is(done.received().length, 1);
});

test.serial('the position covers all planned deliveries, and a restart plans none again', async (t) => {
  t.timeout(90_000);
  const { endpoint } = await oneDelivery('succeeded');
  const positions = world.clients.store.db.collection<WebhookPositionDocument>(COLLECTIONS.webhook_positions);
  const { log } = world.clients.records;
  await pollUntil('every partition is planned to its end', async () => {
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

test.serial('a partition that another process took by mistake is taken back completely', async (t) => {
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
});
