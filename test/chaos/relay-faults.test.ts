import { setTimeout as pause } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { mintPrivateKey, openingKey, publicKeyText } from '../../platform/secrets/key-pair.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import type { Received, ReceiverAnswer } from '../../stack/testing/https-receiver.ts';
import { until } from '../../stack/testing/until.ts';
import { type MadeEndpoint, webhookEndpoints } from '../../stack/testing/webhook-endpoints.ts';
import { caller } from '../helpers/renderctl.ts';
import { type RelayProcess, startRelayProcess } from '../integration/webhook-relay/_relay-process.ts';
import {
  deliveries,
  live,
  owedOf,
  type RelayWorld,
  startRelayWorld,
  teamWithEndpoint,
  untilEnded,
  webhookEvents,
} from '../integration/webhook-relay/_relay-world.ts';
import { isStandard } from '../integration/webhook-relay/_verified.ts';

let world: RelayWorld;

test.before(async (t) => {
  t.timeout(180_000);
  world = await startRelayWorld({}, ['projectors'], ['kafka', 'store']);
});
test.after.always(() => world?.stop());

type Target = MadeEndpoint & { readonly path: string };

/** How often each delivery was failed on purpose: the waits after a third failure are longer than this test. */
const failures = new Map<string, number>();

/** Answers after a moment, and every tenth time with a failure, at most twice for one delivery. */
const unsteady = (received: Received): ReceiverAnswer => {
  const id = idOf(received);
  const failed = failures.get(id) ?? 0;
  const fails = failed < 2 && Math.random() < 0.1;
  if (fails) failures.set(id, failed + 1);
  return { tag: 'answer', delay_ms: Math.floor(Math.random() * 200), status: fails ? 500 : 200 };
};

/** Two endpoints of one team. */
const targets = async (): Promise<readonly Target[]> => {
  const first = await teamWithEndpoint(world, unsteady);
  const path = `${first.path}/b`;
  world.receiver.answer(path, unsteady);
  const { team_id } = first;
  const second = await world.endpoints.make({ team_id, url: `${world.receiver.origin}${path}` });
  return [first, { ...second, path }];
};

const idOf = ({ headers }: Received): string => String(headers['x-webhook-id']);
const seqOf = (owed: readonly string[], received: Received): number => owed.indexOf(idOf(received));

/** All that these renders owe has arrived, in order within a render, and a repeat is the same. */
const assertDelivered = async (
  t: ExecutionContext,
  endpoints: readonly Target[],
  renders: readonly string[],
  bound_ms: number,
): Promise<void> => {
  const owed = endpoints.flatMap((endpoint) => renders.flatMap((render_id) => owedOf(endpoint, render_id)));
  await until(
    'all is delivered, and known to be',
    async () => {
      const done = await deliveries(world.clients).countDocuments({ _id: { $in: [...owed] }, state: 'succeeded' });
      return done === owed.length;
    },
    bound_ms,
  ).catch(async (fault: unknown) => {
    const found = await deliveries(world.clients)
      .find({ _id: { $in: [...owed] } })
      .toArray();
    const states = Object.entries(Object.groupBy(found, ({ state }) => state)).map(([state, of]) => [state, of.length]);
    t.log(`${owed.length} owed, ${found.length} planned, of them ${JSON.stringify(states)}`);
    throw fault;
  });
  for await (const { _id, attempts } of deliveries(world.clients).find({ _id: { $in: [...owed] } })) {
    const numbers = attempts.map(({ n }) => n);
    t.deepEqual(numbers, [1, 2, 3, 4, 5].slice(0, numbers.length), _id);
  }
  let repeats = 0;
  for (const endpoint of endpoints) {
    const received = world.receiver.receivedAt(endpoint.path);
    const by_id = Map.groupBy(received, idOf);
    for (const render_id of renders) {
      const own = owedOf(endpoint, render_id);
      const missing = own.filter((id) => !by_id.has(id));
      t.deepEqual(missing, []);
      const firsts = own.map((id) => by_id.get(id)?.[0]).filter((one) => one !== undefined);
      // The two events of one transition may go at once: they are the last two.
      const transitions = firsts.slice(0, -1);
      const in_order = transitions.toSorted((a, b) => a.began_at - b.began_at).map((one) => seqOf(own, one));
      t.deepEqual(in_order, [0, 1, 2, 3, 4, 5].slice(0, in_order.length), `${endpoint.id} ${render_id}`);
    }
    for (const [id, all] of by_id) {
      repeats += all.length - 1;
      t.is(new Set(all.map(({ body }) => body.toString('hex'))).size, 1, id);
      const signatures = all.map(({ headers }) => String(headers['x-webhook-signature']));
      t.is(new Set(signatures).size, 1, id);
    }
  }
  t.log(`${owed.length} deliveries, ${repeats} repeated`);
};

/** A life every so often until told to stop. */
const load = (t: ExecutionContext, team_id: string, every_ms: number) => {
  const renders: string[] = [];
  const ending = new AbortController();
  t.teardown(() => ending.abort());
  const running = (async () => {
    while (!ending.signal.aborted) {
      renders.push(await live(world.clients, team_id));
      await pause(every_ms);
    }
    return renders;
  })();
  // Whoever has stopped it is told.
  running.catch(() => undefined);
  return {
    stop: () => {
      ending.abort();
      return running;
    },
  };
};

/** A moment at which the relays are at work. */
const whileAtWork = async (): Promise<void> => {
  const before = world.receiver.received().length;
  await until('deliveries come in', async () => world.receiver.received().length > before + 5, 60_000);
  await pause(Math.random() * 1_500);
};

const KILLS = 3;

/** Endpoints of an operator whose renderctl has these keys of webhook secrets, and no others. */
const sealing = (keys: Readonly<Record<string, string>>) => webhookEndpoints(world.clients.records, keys);

const pairOf = (private_key: string) => {
  const key = openingKey(private_key);
  if (key === undefined) throw new Error('no key');
  return { id: key.id, private_key, sealing: sealing({ WEBHOOK_PUBLIC_KEY: publicKeyText(key) }) };
};

/** What has arrived there is signed with its secret, as others check it. */
const assertSigned = (t: ExecutionContext, { id, path, secret }: Target): void => {
  const received = world.receiver.receivedAt(path);
  t.true(received.length > 0 && received.every((one) => isStandard(one, secret)), id);
};

test.serial(
  'the pair of keys is rotated: what was sealed before is signed with, and nothing waits but for its key',
  async (t) => {
    t.timeout(200_000);
    const { WEBHOOK_SECRETS_KEY = '' } = world.stack.env;
    const [before, next] = [pairOf(mintPrivateKey()), pairOf(mintPrivateKey())];
    const withKeys = (keys: Readonly<Record<string, string>>) =>
      startRelayProcess({ ...world.stack.env, WEBHOOK_SECRETS_KEY: '', WEBHOOK_PRIVATE_KEYS: '', ...keys });
    const arrives = async (endpoints: readonly Target[], renders: readonly string[]): Promise<void> => {
      await assertDelivered(t, endpoints, renders, 60_000);
      for (const endpoint of endpoints) assertSigned(t, endpoint);
    };

    // A deployment from before there were pairs, then with its first one: secrets of both forms, side by side.
    const of_v1 = await teamWithEndpoint({ ...world, endpoints: sealing({ WEBHOOK_SECRETS_KEY }) });
    const first = await withKeys({ WEBHOOK_SECRETS_KEY, WEBHOOK_PRIVATE_KEYS: before.private_key });
    t.teardown(() => first.kill());
    const of_before = await teamWithEndpoint({ ...world, endpoints: before.sealing });
    await arrives([of_v1], [await live(world.clients, of_v1.team_id)]);
    await arrives([of_before], [await live(world.clients, of_before.team_id)]);

    // Sealed to the next key too early: this relay has not got it. That endpoint waits, and nobody else.
    const of_next = await teamWithEndpoint({ ...world, endpoints: next.sealing });
    const waiting = await live(world.clients, of_next.team_id);
    await until('the relay says which key it has not got', async () => {
      const told = await first.readiness();
      return told.includes(of_next.id) && told.includes(`sealed to the key ${next.id}`);
    });
    await arrives([of_before], [await live(world.clients, of_before.team_id)]);
    t.is(world.receiver.receivedAt(of_next.path).length, 0);
    t.is(await first.end(), 0);

    // Both, as a rotation begins: nothing was lost, and each secret opens with its own.
    const both = `${next.private_key},${before.private_key}`;
    const second = await withKeys({ WEBHOOK_SECRETS_KEY, WEBHOOK_PRIVATE_KEYS: both });
    t.teardown(() => second.kill());
    await arrives([of_next], [waiting]);
    const [again_v1, again_before] = [
      await live(world.clients, of_v1.team_id),
      await live(world.clients, of_before.team_id),
    ];
    await arrives([of_v1], [again_v1]);
    await arrives([of_before], [again_before]);

    // An endpoint's own rotation takes it from the old key to the next: from then on the old one may go.
    const secret = await next.sealing.rotate(of_before.id);
    const activated = await caller(world.stack.env)('webhook', 'activate-secret', of_before.id, '--json');
    t.deepEqual(JSON.parse(activated.stdout).sealed_to, [next.id], activated.stderr);
    t.is(await second.end(), 0);
    const third = await withKeys({ WEBHOOK_PRIVATE_KEYS: next.private_key });
    t.teardown(() => third.kill());
    const seen = world.receiver.receivedAt(of_before.path).length;
    await assertDelivered(t, [of_before], [await live(world.clients, of_before.team_id)], 60_000);
    t.true(
      world.receiver
        .receivedAt(of_before.path)
        .slice(seen)
        .every((one) => isStandard(one, secret)),
    );
    t.is(await third.end(), 0);
  },
);

test.serial('relays that share the work are killed again and again, and every delivery arrives', async (t) => {
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
  await assertDelivered(t, endpoints, renders, 120_000);

  // The log says the same: each was planned and has succeeded, and an event that was appended twice has one id.
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

test.serial('a relay that is told to end lets its attempts end, and another one goes on', async (t) => {
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
  await assertDelivered(t, endpoints, await loading.stop(), 90_000);
});

test.serial('the store and the log go away and come back, and every delivery arrives', async (t) => {
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
  await assertDelivered(t, endpoints, renders, 90_000);
  await more();
  const kafka = world.stack.server('kafka');
  kafka.kill('SIGKILL');
  await kafka.untilReady();
  await assertDelivered(t, endpoints, renders, 90_000);
});

test.serial('a store that lost everything is made again from the log, and what is owed arrives', async (t) => {
  t.timeout(200_000);
  const endpoints = await targets();
  const [endpoint] = endpoints;
  const team_id = endpoint?.team_id ?? '';
  const first = await startRelayProcess(world.stack.env);
  t.teardown(() => first.kill());
  const arrived = await live(world.clients, team_id);
  await assertDelivered(t, endpoints, [arrived], 60_000);
  for (const { path } of endpoints) world.receiver.answer(path, { tag: 'answer', status: 500 });
  const owed = await live(world.clients, team_id);
  await until('it was tried', async () =>
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
  // What had arrived before is not sent again.
  t.false(
    world.receiver
      .received()
      .slice(before)
      .some(({ body }) => body.includes(arrived)),
  );
});
