import { setTimeout as pause } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { COLLECTIONS } from '../../read-models/collections.ts';
import type { Received, ReceiverAnswer } from '../../stack/testing/https-receiver.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { meanwhile } from '../helpers/meanwhile.ts';
import { assertDelivered, idOf, type Target } from '../integration/webhook-relay/_delivered.ts';
import { type RelayProcess, startRelayProcess } from '../integration/webhook-relay/_relay-process.ts';
import {
  live,
  owedOf,
  type RelayWorld,
  startRelayWorld,
  teamWithEndpoint,
  untilEnded,
  webhookEvents,
} from '../integration/webhook-relay/_relay-world.ts';

let world: RelayWorld;

test.before(async (t) => {
  t.timeout(180_000);
  world = await startRelayWorld({}, ['projectors'], ['kafka', 'store']);
});
test.after.always(() => world?.stop());

/** The number of deliberate failures of each delivery: the waits after a third failure are longer than this test. */
const failures = new Map<string, number>();

const unsteady = (received: Received): ReceiverAnswer => {
  const id = idOf(received);
  const failed = failures.get(id) ?? 0;
  const fails = failed < 2 && Math.random() < 0.1;
  if (fails) failures.set(id, failed + 1);
  return { tag: 'answer', delay_ms: Math.floor(Math.random() * 200), status: fails ? 500 : 200 };
};

const targets = async (): Promise<readonly Target[]> => {
  const first = await teamWithEndpoint(world, unsteady);
  const path = `${first.path}/b`;
  world.receiver.answer(path, unsteady);
  const { team_id } = first;
  const second = await world.endpoints.make({ team_id, url: `${world.receiver.origin}${path}` });
  return [first, { ...second, path }];
};

const load = (t: ExecutionContext, team_id: string, every_ms: number) => {
  const renders: string[] = [];
  const loading = meanwhile(every_ms, async () => {
    renders.push(await live(world.clients, team_id));
  });
  t.teardown(() => void loading.stop().catch(() => undefined));
  return {
    stop: async () => {
      await loading.stop();
      return renders;
    },
  };
};

const whileAtWork = async (): Promise<void> => {
  const before = world.receiver.received().length;
  await pollUntil('deliveries arrive', async () => world.receiver.received().length > before + 5, 60_000);
  await pause(Math.random() * 1_500);
};

const KILLS = 3;

test.serial('every delivery arrives although relays are killed again and again', async (t) => {
  t.timeout(400_000);
  const relays: RelayProcess[] = [];
  t.teardown(() => Promise.all(relays.map(({ kill }) => kill())));
  relays.push(await startRelayProcess(world.stack.env), await startRelayProcess(world.stack.env));
  const endpoints = await targets();
  const loading = load(t, endpoints[0]?.team_id ?? '', 600);
  for (let kills = 0; kills < KILLS; kills += 1) {
    await whileAtWork();
    await relays.shift()?.kill();
    relays.push(await startRelayProcess(world.stack.env));
  }
  await whileAtWork();
  const renders = await loading.stop();
  await assertDelivered(t, world, endpoints, renders, 120_000);

  // The log agrees: each delivery was planned and has succeeded, and a duplicate event has the same id.
  const events = await webhookEvents(world.clients);
  const by_delivery = Map.groupBy(events, ({ delivery_id }) => delivery_id);
  for (const id of endpoints.flatMap((endpoint) => renders.flatMap((render_id) => owedOf(endpoint, render_id)))) {
    const own = by_delivery.get(id) ?? [];
    t.is(own[0]?.type, 'DeliveryPlanned');
    const tried = own.filter((event) => event.type === 'DeliveryAttempted');
    const succeeded = own.find((event) => event.type === 'DeliverySucceeded');
    t.true(new Set(tried.map(({ n }) => n)).size >= (succeeded?.attempts ?? 6), id);
    for (const type of ['DeliveryPlanned', 'DeliverySucceeded'])
      t.is(
        new Set(own.filter((event) => event.type === type).map(({ meta }) => meta.event_id)).size,
        1,
        `${id} ${type}`,
      );
  }
});

test.serial('a stopping relay finishes its attempts, and another relay continues', async (t) => {
  t.timeout(200_000);
  const endpoints = await targets();
  const first = await startRelayProcess(world.stack.env);
  t.teardown(() => first.kill());
  const loading = load(t, endpoints[0]?.team_id ?? '', 200);
  await whileAtWork();
  const began = Date.now();
  t.is(await first.end(), 0);
  t.true(Date.now() - began < 10_000);
  const second = await startRelayProcess(world.stack.env);
  t.teardown(() => second.kill());
  await whileAtWork();
  await assertDelivered(t, world, endpoints, await loading.stop(), 90_000);
});

test.serial('every delivery arrives after outages of the store and the log', async (t) => {
  t.timeout(300_000);
  const relay = await startRelayProcess(world.stack.env);
  t.teardown(() => relay.kill());
  const endpoints = await targets();
  const team_id = endpoints[0]?.team_id ?? '';
  const renders: string[] = [];
  const more = async () => {
    for (let n = 0; n < 15; n += 1) renders.push(await live(world.clients, team_id));
    await whileAtWork();
  };
  await more();
  const store = world.stack.server('store');
  store.kill('SIGKILL');
  await store.untilReady();
  await assertDelivered(t, world, endpoints, renders, 90_000);
  await more();
  const kafka = world.stack.server('kafka');
  kafka.kill('SIGKILL');
  await kafka.untilReady();
  await assertDelivered(t, world, endpoints, renders, 90_000);
});

test.serial('a store that lost everything is restored from the log, and pending deliveries arrive', async (t) => {
  t.timeout(200_000);
  const endpoints = await targets();
  const [endpoint] = endpoints;
  const team_id = endpoint?.team_id ?? '';
  const first = await startRelayProcess(world.stack.env);
  t.teardown(() => first.kill());
  const arrived = await live(world.clients, team_id);
  await assertDelivered(t, world, endpoints, [arrived], 60_000);
  for (const { path } of endpoints) world.receiver.answer(path, { tag: 'answer', status: 500 });
  const owed = await live(world.clients, team_id);
  await pollUntil('an attempt was made', async () =>
    world.receiver.receivedAt(endpoint?.path ?? '').some((one) => one.body.includes(owed)),
  );
  await first.kill();
  for (const name of [COLLECTIONS.webhook_deliveries, COLLECTIONS.webhook_positions])
    await world.clients.store.db.collection(name).deleteMany({});
  for (const { path } of endpoints) world.receiver.answer(path, { tag: 'answer' });
  const meanwhile = await live(world.clients, team_id);
  const before = world.receiver.received().length;
  const second = await startRelayProcess(world.stack.env);
  t.teardown(() => second.kill());
  for (const one of endpoints)
    for (const id of [owed, meanwhile].flatMap((render_id) => owedOf(one, render_id)))
      t.like(await untilEnded(world.clients, id, 60_000), { state: 'succeeded' });
  t.false(
    world.receiver
      .received()
      .slice(before)
      .some(({ body }) => body.includes(arrived)),
  );
});
