import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { execa } from 'execa';
import { createLogger } from '../../platform/logging/logger.ts';
import { createMetrics, type Metrics } from '../../platform/metrics/metrics.ts';
import { SYSTEM_CLOCK } from '../../platform/process/clock.ts';
import { openReadStore } from '../../platform/read-store/mongodb-read-store.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import type { WebhookDeliveryDocument } from '../../read-models/deliveries/documents.ts';
import { endpointHealth } from '../../read-models/deliveries/endpoint-health.ts';
import type { PlannedBatch, StoredPosition } from '../../read-models/deliveries/plan.ts';
import { componentProcess, instancesOf } from '../../stack/components.ts';
import { type Stack, startStack } from '../../stack/launcher.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { type OpenDeliveryStore, openDeliveryStore } from '../../webhook-relay/state/delivery-store.ts';
import { attempt, delivery, failure, outcome, success } from '../helpers/webhook-deliveries.ts';

// The relay's state in a real store, which is stopped and killed during the tests.
type World = { readonly folder: string; readonly stack: Stack; readonly url: string };

const test = anyTest as TestFn<World>;
const NEVER = new AbortController().signal;

const ELSEWHERE = {
  KAFKA_BROKERS: '127.0.0.1:1',
  SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1',
  AZURE_STORAGE_CONNECTION_STRING: 'AccountName=none;AccountKey=none',
  MONGODB_URL: '',
};

test.before(async (t) => {
  t.timeout(360_000);
  const folder = await mkdtemp(join(tmpdir(), 'state '));
  const stack = await startStack({ dataDir: folder, components: [], env: ELSEWHERE });
  t.context = { folder, stack, url: stack.env.MONGODB_URL ?? '' };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.stack?.stop();
  if (t.context.folder !== undefined) await rm(t.context.folder, { recursive: true, force: true });
});

let databases = 0;
const ownDatabase = (): string => {
  databases += 1;
  return `state_${process.pid}_${databases}`;
};

type Relay = { readonly store: ReadStore; readonly state: OpenDeliveryStore; readonly metrics: Metrics };

const openRelay = async (t: ExecutionContext<World>, database: string, url = t.context.url): Promise<Relay> => {
  const logger = createLogger('test', 'silent');
  const store = await openReadStore({ settings: { url, database }, app_name: 'test', logger });
  const metrics = createMetrics('test');
  const state = await openDeliveryStore({ store, logger, metrics, clock: SYSTEM_CLOCK });
  t.teardown(async () => {
    await state.close();
    await store.close();
  });
  return { store, state, metrics };
};

const planOf = (
  deliveries: readonly WebhookDeliveryDocument[],
  next: PlannedBatch['next'] = {},
  partition = deliveries[0]?.partition ?? 0,
): PlannedBatch => ({ partition, deliveries, repeated: [], next });

const figure = async (metrics: Metrics, name: string): Promise<number> => {
  const line = (await metrics.metrics()).split('\n').find((text) => text.startsWith(`${name}{`));
  return Number(line?.split(' ').at(-1) ?? Number.NaN);
};

const collected = async <A>(items: AsyncIterable<A>): Promise<readonly A[]> => {
  const all: A[] = [];
  for await (const item of items) all.push(item);
  return all;
};

test.serial("a planned delivery waits in its endpoint's queue until it ends with a result", async (t) => {
  const { state } = await openRelay(t, ownDatabase());
  t.is(await state.position(0), null);
  const [one, two, three] = [delivery(1), delivery(2), delivery(3, { endpoint_id: 'whe_2' })];
  const ids = await state.plan(planOf([one, two, three], { next_status: 9 }), NEVER);
  t.deepEqual([...ids], [one._id, two._id, three._id]);
  t.deepEqual(await state.position(0), { _id: 0, next_status: 9, next_request: 0, last_planned_at: three.planned_at });
  t.deepEqual(await collected(state.waiting(0)), [
    { endpoint_id: 'whe_1', due_at: one.planned_at },
    { endpoint_id: 'whe_1', due_at: two.planned_at },
    { endpoint_id: 'whe_2', due_at: three.planned_at },
  ]);
  t.deepEqual(await collected(state.waiting(1)), []);
  t.deepEqual(await state.due(0, 'whe_1', two.planned_at + 1, 10), [one, two]);
  t.deepEqual(await state.due(0, 'whe_1', two.planned_at, 10), [one]);
  t.deepEqual(await state.due(0, 'whe_1', two.planned_at + 1, 1), [one]);
  t.deepEqual(await state.due(0, 'whe_1', two.planned_at + 1, 9, `${two.planned_at}`), [two]);

  const later = two.planned_at + 5_000;
  t.true(await state.record(failure(one, later), NEVER));
  t.deepEqual(
    (await state.due(0, 'whe_1', later + 1, 9)).map(({ _id, attempts }) => [_id, attempts.length]),
    [
      [two._id, 0],
      [one._id, 1],
    ],
  );
  t.true(await state.record(success(two), NEVER));
  t.true(await state.record(outcome(three, 0, null, { tag: 'skipped', reason: 'deleted' }), NEVER));
  t.like(await state.delivery(two._id), { state: 'succeeded', body: null, attempts: [{ n: 1, status: 200 }] });
  t.like(await state.delivery(three._id), { state: 'skipped', reason: 'deleted', attempts: [] });
  t.deepEqual(await collected(state.waiting(0)), [{ endpoint_id: 'whe_1', due_at: later }]);
  t.is(await state.delivery('hook_none'), null);
});

test.serial('a replanned delivery keeps its bytes, and a position never moves back', async (t) => {
  const { state } = await openRelay(t, ownDatabase());
  const first = delivery(1, { body: '{"first":1}' });
  t.deepEqual([...(await state.plan(planOf([first], { next_status: 9 }), NEVER))], [first._id]);
  const again = delivery(1, { body: '{"second":2}' });
  const fresh = delivery(2);
  const plan = { ...planOf([again, fresh], { next_status: 5 }), repeated: [{ id: first._id, by: fresh._id }] };
  t.deepEqual([...(await state.plan(plan, NEVER))], [fresh._id]);
  t.like(await state.delivery(first._id), { body: '{"first":1}', repeated_by: fresh._id });
  t.like(await state.position(0), { next_status: 9 });
  t.true(await state.record(success(first), NEVER));
  t.deepEqual([...(await state.plan(planOf([again]), NEVER))], [], 'an end is final');
});

test.serial('an outcome counts once, from the first process that reports it', async (t) => {
  const database = ownDatabase();
  const [a, b] = [await openRelay(t, database), await openRelay(t, database)];
  const one = delivery(1);
  await a.state.plan(planOf([one]), NEVER);
  const mine = failure(one, one.planned_at + 1_000);
  const others = outcome(one, 0, attempt(1, { started_at: 7 }), { tag: 'exhausted', reason: 'gone' });
  t.true(await a.state.record(mine, NEVER));
  t.false(await b.state.record(others, NEVER));
  t.true(await a.state.record(mine, NEVER), "the relay's own outcome, whose answer may have been lost");
  t.like(await a.state.delivery(one._id), { state: 'pending', attempts: { length: 1 } });
  const both = await Promise.all([
    a.state.record(failure(one, one.planned_at + 9_000, 1), NEVER),
    b.state.record(outcome(one, 1, attempt(2, { started_at: 8 }), { tag: 'succeeded' }), NEVER),
  ]);
  t.is(both.filter((counts) => counts).length, 1);
  t.like(await a.state.delivery(one._id), { attempts: { length: 2 } });
});

test.serial('a relay that lost a partition can no longer plan in it', async (t) => {
  const database = ownDatabase();
  const [a, b] = [await openRelay(t, database), await openRelay(t, database)];
  await a.state.position(0);
  await a.state.position(1);
  await a.state.plan(planOf([delivery(1)], { next_status: 1 }), NEVER);
  t.like(await b.state.position(0), { next_status: 1 });
  const [refused, kept] = await Promise.allSettled([
    a.state.plan(planOf([delivery(2)], { next_status: 2 }), NEVER),
    a.state.plan(planOf([delivery(3, { partition: 1 })], { next_status: 2 }), NEVER),
  ]);
  t.is(refused.status === 'rejected' && refused.reason.name, 'PartitionTaken');
  t.is(kept.status, 'fulfilled', 'the relay still owns the other partition');
  t.is(await b.state.delivery(delivery(2)._id), null);
  t.is((await b.state.plan(planOf([delivery(2)], { next_status: 2 }), NEVER)).size, 1);
  t.like(await a.state.position(0), { next_status: 2 }, 'and it can claim the partition again');
  t.is((await a.state.plan(planOf([delivery(4)], { next_status: 3 }), NEVER)).size, 1);
});

test.serial('a relay plans nothing beyond the data that a restored store lost', async (t) => {
  const { state, store } = await openRelay(t, ownDatabase());
  const positions = store.db.collection<StoredPosition>(COLLECTIONS.webhook_positions);
  for (const partition of [0, 1]) await state.position(partition);
  await state.plan(planOf([delivery(1)], { next_status: 1 }), NEVER);
  await state.plan(planOf([delivery(2, { partition: 1 })], { next_status: 1 }), NEVER);
  const backup = await positions.findOne({ _id: 0 });
  await state.plan(planOf([delivery(3)], { next_status: 2 }), NEVER);
  t.deepEqual(await state.rolledBackPartitions(), []);

  await positions.replaceOne({ _id: 0 }, { taken: 1, ...backup });
  t.deepEqual(await state.rolledBackPartitions(), [0]);
  await t.throwsAsync(state.plan(planOf([delivery(4)], { next_status: 3 }), NEVER), { name: 'PartitionTaken' });
  t.is((await state.plan(planOf([delivery(5, { partition: 1 })], { next_status: 2 }), NEVER)).size, 1);
  t.like(await state.position(0), { next_status: 1 }, 'it continues from the state in the store');
  t.deepEqual(await state.rolledBackPartitions(), []);
  t.is((await state.plan(planOf([delivery(4)], { next_status: 3 }), NEVER)).size, 1);

  await positions.deleteMany({});
  t.deepEqual(await state.rolledBackPartitions(), [0, 1]);
  t.is(await state.position(0), null, 'an empty store has no claims to count');
  t.is((await state.plan(planOf([delivery(6)], { next_status: 1 }), NEVER)).size, 1);
  t.deepEqual(await state.rolledBackPartitions(), [1]);
});

test.serial('ended deliveries are restored once, by the owner, without undoing newer state', async (t) => {
  const database = ownDatabase();
  const [a, b] = [await openRelay(t, database), await openRelay(t, database)];
  t.is(await a.state.position(0), null);
  const ended = (
    n: number,
    state: 'succeeded' | 'exhausted' | 'skipped',
    change: Partial<WebhookDeliveryDocument> = {},
  ) => {
    const { waiting: _, ...rest } = delivery(n, { planned_at: Date.now() });
    const delete_at = new Date(Date.now() + 600_000);
    return {
      ...rest,
      state,
      body: null,
      attempts: [attempt(1, { response: null })],
      ended_at: 9,
      delete_at,
      ...change,
    };
  };
  const [one, two, three] = [ended(1, 'succeeded'), ended(2, 'exhausted'), ended(3, 'skipped')];
  const restored = { partition: 0, deliveries: [one, two, three], repeated: [{ id: two._id, by: one._id }] };
  await a.state.restore(restored, NEVER);
  t.is(await a.state.position(0), null, 'a start in between starts a new restore');
  t.deepEqual(await a.state.delivery(two._id), { ...two, repeated_by: one._id });

  // A second restore, as after a kill, changes only `three` (skipped before, now succeeded) and `waiting` (no outcome
  // yet).
  const waiting = delivery(4);
  await a.state.plan(planOf([waiting]), NEVER);
  const answered = { attempts: [attempt(1, { response: 'thank you' })] };
  const again = [
    { ...one, state: 'exhausted' as const },
    { ...two, ...answered },
    ended(3, 'succeeded'),
    ended(4, 'skipped'),
  ];
  await a.state.restore({ partition: 0, deliveries: again, repeated: [] }, NEVER);
  t.deepEqual(await a.state.delivery(one._id), one);
  t.deepEqual(await a.state.delivery(two._id), { ...two, repeated_by: one._id });
  t.like(await a.state.delivery(three._id), { state: 'succeeded' });
  t.like(await a.state.delivery(waiting._id), { state: 'skipped', body: null });
  t.deepEqual(await collected(a.state.waiting(0)), []);

  await b.state.position(0);
  const late = { partition: 0, deliveries: [ended(5, 'succeeded')], repeated: [] };
  await t.throwsAsync(a.state.restore(late, NEVER), { name: 'PartitionTaken' });
  t.is(await b.state.delivery(delivery(5)._id), null);
  await b.state.restore(late, NEVER);
  t.like(await b.state.delivery(delivery(5)._id), { state: 'succeeded' });
});

test.serial('the relay commits waiting writes in shared transactions', async (t) => {
  const { state, metrics } = await openRelay(t, ownDatabase());
  const partitions = [0, 1, 2, 3];
  const all = partitions.map((partition) =>
    Array.from({ length: 50 }, (_, n) => delivery(partition * 50 + n, { partition })),
  );
  for (const partition of partitions) await state.position(partition);
  await Promise.all(all.map((deliveries) => state.plan(planOf(deliveries, { next_status: 50 }), NEVER)));
  const counts = await Promise.all(all.flat().map((one) => state.record(success(one), NEVER)));
  t.true(counts.every((counted) => counted));
  t.true((await figure(metrics, 'webhook_state_commit_writes_count')) <= 4);
  t.is(await figure(metrics, 'webhook_state_commit_writes_sum'), 204);
});

test.serial('large bodies and long answers take several transactions, and are stored truncated', async (t) => {
  const { state } = await openRelay(t, ownDatabase());
  const body = JSON.stringify({ values: 'x'.repeat(250_000) });
  const deliveries = Array.from({ length: 90 }, (_, n) => delivery(n, { body }));
  t.is((await state.plan(planOf(deliveries, { next_status: 90 }), NEVER)).size, 90, '22 MB');
  const response = Buffer.alloc(20_000, 0xff).toString('utf8');
  const counts = await Promise.all(
    deliveries.map((one) =>
      state.record({ ...failure(one, one.planned_at + 9), attempt: attempt(1, { response }) }, NEVER),
    ),
  );
  t.true(counts.every((counted) => counted));
  const [first] = await state.due(0, 'whe_1', deliveries[0]?.planned_at ?? 0, 1);
  t.is(first, undefined, 'each lane has moved');
  const stored = await state.delivery(deliveries[0]?._id ?? '');
  t.true(Buffer.byteLength(stored?.attempts[0]?.response ?? '') <= 2_000);
});

/** A proxy to the store that drops the connection when the answer to a commit passes. */
const losingAnswers = async (t: ExecutionContext<World>) => {
  const target = new URL(t.context.url);
  const lost = { left: 0, count: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const store = connect({ host: target.hostname, port: Number(target.port) });
    let committing = false;
    client.on('data', (chunk) => {
      committing = chunk.includes('commitTransaction');
      store.write(chunk);
    });
    store.on('data', (chunk) => {
      if (committing && lost.left > 0) {
        lost.left -= 1;
        lost.count += 1;
        client.destroy();
      } else client.write(chunk);
    });
    for (const [one, other] of [
      [client, store],
      [store, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : null;
  return { url: `mongodb://127.0.0.1:${port}/?directConnection=true`, lost };
};

test.serial('a commit whose answer is lost is recognised and reported once as stored', async (t) => {
  t.timeout(180_000);
  const door = await losingAnswers(t);
  const { state } = await openRelay(t, ownDatabase(), door.url);
  await state.position(0);
  const [one, two] = [delivery(1), delivery(2)];
  // Drops more answers than the retries of the driver and of the transaction together.
  door.lost.left = 8;
  t.deepEqual([...(await state.plan(planOf([one, two], { next_status: 3 }), NEVER))], [one._id, two._id]);
  t.is(door.lost.count, 8);
  door.lost.left = 8;
  t.true(await state.record(failure(one, one.planned_at + 9), NEVER));
  t.is(door.lost.count, 16);
  t.like(await state.delivery(one._id), { attempts: { length: 1 } });
});

const pidOf = (stack: Stack): number => {
  const pid = stack.server('store').pid();
  if (pid === null) throw new Error('the store does not run');
  return pid;
};

test.serial('a frozen store only delays the relay', async (t) => {
  t.timeout(180_000);
  const { state } = await openRelay(t, ownDatabase());
  await state.position(0);
  await state.plan(planOf([delivery(1)]), NEVER);
  const pid = pidOf(t.context.stack);
  process.kill(pid, 'SIGSTOP');
  const giveUp = new AbortController();
  const given_up = state.plan(planOf([delivery(9)]), giveUp.signal);
  const work = Promise.all([
    state.plan(planOf([delivery(2)], { next_status: 4 }), NEVER),
    state.record(success(delivery(1)), NEVER),
    state.delivery(delivery(1)._id),
  ]);
  giveUp.abort(new RangeError('the partition is another’s'));
  await t.throwsAsync(given_up, { instanceOf: RangeError }, 'an aborted call does not wait for the store');
  // The store stays frozen for longer than a read waits.
  const resume = setTimeout(() => process.kill(pid, 'SIGCONT'), 6_000);
  t.teardown(() => {
    clearTimeout(resume);
    process.kill(pid, 'SIGCONT');
  });
  const [planned, counts, read] = await work;
  t.is(planned.size, 1);
  t.true(counts);
  t.is(read?._id, delivery(1)._id);
});

test.serial('a store that is killed under load keeps all acknowledged writes', async (t) => {
  t.timeout(240_000);
  const { stack } = t.context;
  const { state } = await openRelay(t, ownDatabase());
  await state.position(0);
  const planned = new Set<string>();
  const recorded = new Set<string>();
  const restarts = stack.server('store').restarts();
  let running = true;
  const load = async (from: number): Promise<void> => {
    for (let n = from; running; n += 8) {
      const one = delivery(n);
      const ids = await state.plan(planOf([one], { next_status: n }), NEVER);
      if (ids.has(one._id)) planned.add(one._id);
      if (n % 2 === 0 && (await state.record(success(one), NEVER))) recorded.add(one._id);
    }
  };
  const loads = [0, 1, 2, 3, 4, 5, 6, 7].map(load);
  await pollUntil('something is stored', async () => planned.size > 40);
  stack.server('store').kill('SIGKILL');
  await pollUntil('the store is running again', async () => stack.server('store').restarts() > restarts);
  const before = planned.size;
  await pollUntil('the relay continues', async () => planned.size > before + 40, 60_000);
  running = false;
  await Promise.all(loads);
  for (const id of planned) {
    const stored = await state.delivery(id);
    if (stored === null || (stored.state === 'succeeded') !== recorded.has(id)) t.fail(`${id}: ${stored?.state}`);
  }
  t.true(recorded.size > 20);
});

test.serial('a relay killed in a transaction blocks other relays only briefly', async (t) => {
  t.timeout(180_000);
  const database = ownDatabase();
  const { state, store } = await openRelay(t, database);
  await state.position(0);
  const [locked, other] = [delivery(1), delivery(2)];
  await state.plan(planOf([locked, other], { next_status: 2 }), NEVER);

  // Imitates the concurrent writes of the projectors.
  const counts = store.db.collection<{ readonly _id: string; readonly n: number }>('counts');
  await counts.insertOne({ _id: 'a', n: 0 });
  let rounds = 0;
  let running = true;
  const projecting = (async () => {
    while (running) {
      await store.transaction(async (session) => {
        const found = await counts.findOne({ _id: 'a' }, { session });
        await counts.updateOne({ _id: 'a' }, { $set: { n: (found?.n ?? 0) + 1 } }, { session });
      });
      rounds += 1;
    }
  })();

  const victim = join(import.meta.dirname, '_killed-in-transaction.ts');
  const killed = await execa(process.execPath, [victim, t.context.url, database, '0', locked._id], { reject: false });
  t.is(killed.signal, 'SIGKILL', killed.stderr);
  const work = Promise.all([
    state.position(0),
    state.record(success(locked), NEVER),
    state.record(success(other), NEVER),
  ]);
  // Cleans up as the launcher does before each restart of a component: aborts all open transactions.
  const [relay] = instancesOf(['webhook-relay'], 1);
  if (relay === undefined) return t.fail('there is no relay');
  t.true(relay.component.transactions);
  for (let n = 0; n < 10; n += 1) {
    const spec = componentProcess({
      instance: relay,
      root: '/',
      health_url: 'http://127.0.0.1:1',
      env: {},
      endTransactions: async () => {
        await store.client.db('admin').command({ killAllSessions: [] });
      },
    });
    await spec.cleanUp?.();
    const before = rounds;
    await pollUntil('the projections continue', async () => rounds > before);
  }
  const [position, ...recorded] = await work;
  t.like(position, { next_status: 2 });
  t.deepEqual(recorded, [true, true]);
  running = false;
  await projecting;
  t.is((await counts.findOne({ _id: 'a' }))?.n, rounds, 'each write was committed once');
  t.like(await state.delivery(locked._id), { state: 'succeeded', reason: null });
  t.is((await state.plan(planOf([delivery(3)], { next_status: 3 }), NEVER)).size, 1);
});

test.serial('the health of an endpoint combines the observations of all relays', async (t) => {
  const database = ownDatabase();
  const { state, store } = await openRelay(t, database);
  const health = endpointHealth(store.db);
  t.deepEqual(await health.exhausted('whe_1', 500), { _id: 'whe_1', failing_since: 500, exhausted: 1 });
  t.deepEqual(await health.exhausted('whe_1', 900), { _id: 'whe_1', failing_since: 500, exhausted: 2 });
  await health.clear('whe_1');
  await health.clear('whe_2');
  t.is(await store.db.collection(COLLECTIONS.webhook_endpoint_health).countDocuments(), 0);

  const since = Date.now();
  const [one, two] = [1, 2].map((n) => delivery(n, { planned_at: since + n }));
  if (one === undefined || two === undefined) return t.fail();
  await state.plan(planOf([one, two]), NEVER);
  await state.record(outcome(two, 0, attempt(1), { tag: 'exhausted', reason: 'gone' }), NEVER);
  t.false(await health.hasSucceededSince('whe_1', since - 1));
  await state.record(success(one), NEVER);
  t.true(await health.hasSucceededSince('whe_1', since - 1));
  t.true(await health.hasSucceededSince('whe_1', since - 1, since + 3));
  t.false(await health.hasSucceededSince('whe_1', since - 1, since));
  t.false(await health.hasSucceededSince('whe_1', Date.now() + 1));
  t.false(await health.hasSucceededSince('whe_2', since - 1));
});
