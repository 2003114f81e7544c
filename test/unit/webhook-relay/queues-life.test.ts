import test from 'ava';
import { plannedDelivery, queuesWorld, START, testClock, testStore } from './_queues-world.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const one = (id: string, more: Partial<Parameters<typeof plannedDelivery>[0]> = {}) =>
  plannedDelivery({ id, endpoint_id: 'whe_1', ...more });

test('a retry can wait for weeks, longer than any timer', async (t) => {
  const world = queuesWorld({
    settings: { schedule: { first_ms: 600_000, factor: 20 } },
    answer: () => ({ status: 500, after_ms: 1 }),
    random: () => 0,
  });
  void world.queues.take(0);
  await world.clock.until(() => false, 100);
  world.plan([one('hook_1', { planned_at: world.clock.now() })]);
  t.true(await world.clock.until(world.isDone, 100 * DAY_MS));
  const waits = world.dialled.slice(1).map(({ began }, i) => began - (world.dialled[i]?.ended ?? 0));
  t.deepEqual(waits, [600_000, 12_000_000, 240_000_000, 4_800_000_000]);
});

test('no delivery is sent before all due times are loaded', async (t) => {
  const world = queuesWorld({ store_ms: () => 1_000 });
  world.store.put(one('hook_1', { render_id: 'rend_1', seq: 1 }));
  void world.queues.take(0);
  world.plan([one('hook_2', { render_id: 'rend_1', seq: 2, planned_at: START + 1 })]);
  t.true(await world.clock.until(world.isDone, MINUTE_MS));
  t.deepEqual(
    world.dialled.map(({ id }) => id),
    ['hook_1', 'hook_2'],
  );
});

test('an attempt survives the loss and return of its partition', async (t) => {
  const world = queuesWorld({ answer: () => ({ status: 200, after_ms: 10_000 }) });
  void world.queues.take(0);
  await world.clock.until(() => false, 100);
  world.plan([one('hook_1'), one('hook_2', { render_id: 'rend_hook_1', seq: 2 })]);
  await world.clock.until(() => false, 1_000);
  world.queues.release(0);
  await world.clock.until(() => false, 1_000);
  void world.queues.take(0);
  t.true(await world.clock.until(world.isDone, MINUTE_MS));
  t.deepEqual(
    world.dialled.map(({ id, began }) => [id, Math.round((began - START) / 1_000)]),
    [
      ['hook_1', 0],
      ['hook_2', 10],
    ],
  );
});

test('a revoked partition begins no attempt', async (t) => {
  const world = queuesWorld({ answer: () => ({ status: 500, after_ms: 10 }) });
  void world.queues.take(0);
  await world.clock.until(() => false, 100);
  world.plan([one('hook_1')]);
  await world.clock.until(() => false, 200);
  world.queues.release(0);
  world.queues.offer(0, [one('hook_2')]);
  await world.clock.until(() => false, 10 * MINUTE_MS);
  t.is(world.dialled.length, 1);
  t.deepEqual(world.queues.figures(), { attempts_under_way: 0, unrecorded: 0, waiting: 0, in_memory: 0 });
});

test('if another relay stored an outcome first, the stored state wins', async (t) => {
  const clock = testClock();
  const store = testStore(clock);
  const old = queuesWorld({ clock, answer: () => ({ status: 500, after_ms: 5_000 }) }, store);
  const young = queuesWorld(
    { clock, answer: (_delivery, n) => ({ status: n === 1 ? 500 : 200, after_ms: 6_000 }) },
    store,
  );
  void old.queues.take(0);
  await clock.until(() => false, 100);
  old.plan([one('hook_1', { planned_at: clock.now() })]);
  await clock.until(() => false, 1_000);
  old.queues.release(0);
  void young.queues.take(0);
  t.true(await clock.until(young.isDone, MINUTE_MS));
  t.deepEqual(
    store.documents.get('hook_1')?.attempts.map(({ n, status }) => [n, status]),
    [
      [1, 500],
      [2, 200],
    ],
  );
  t.is(young.dialled.length, 2);
});

test('a delivery that the store lost is sent after it is stored again', async (t) => {
  const world = queuesWorld({ answer: (_delivery, n) => ({ status: n === 1 ? 500 : 200, after_ms: 5_000 }) });
  void world.queues.take(0);
  await world.clock.until(() => false, 100);
  const planned = one('hook_1', { planned_at: world.clock.now() });
  world.plan([planned]);
  await world.clock.until(() => false, 1_000);
  world.store.documents.delete('hook_1');
  await world.clock.until(() => false, 10_000);
  world.plan([planned]);
  t.true(await world.clock.until(() => world.store.documents.get('hook_1')?.state === 'succeeded', MINUTE_MS));
});

test('an unknown stored delivery is found by comparison, with a warning', async (t) => {
  const world = queuesWorld();
  void world.queues.take(0);
  await world.clock.until(() => false, MINUTE_MS);
  world.store.put(one('hook_1'));
  t.true(await world.clock.until(world.isDone, 10 * MINUTE_MS));
  t.is(world.warnings.length, 1);
});

test('a delivery that is offered again or outdated is ignored', async (t) => {
  const world = queuesWorld({ answer: (_delivery, n) => ({ status: n === 1 ? 500 : 200, after_ms: 10 }) });
  void world.queues.take(0);
  await world.clock.until(() => false, 100);
  const delivery = one('hook_1');
  world.plan([delivery]);
  world.queues.offer(0, [delivery]);
  await world.clock.until(() => false, 500);
  world.queues.offer(0, [delivery]);
  t.true(await world.clock.until(world.isDone, MINUTE_MS));
  await world.clock.until(() => false, 500);
  world.queues.offer(0, [delivery]);
  await world.clock.until(() => false, MINUTE_MS);
  t.is(world.dialled.length, 2);
});

test('a clock set back never delays deliveries beyond the longest wait', async (t) => {
  const world = queuesWorld({ answer: (_delivery, n) => ({ status: n === 1 ? 500 : 200, after_ms: 10 }) });
  const ahead = START + DAY_MS;
  world.store.put(one('hook_first', { planned_at: ahead }));
  const failed = {
    n: 1,
    started_at: START,
    duration_ms: 1,
    succeeded: false,
    status: 500,
    fault: null,
    response: null,
  };
  world.store.put({ ...one('hook_retry', { planned_at: ahead }), attempts: [failed] });
  void world.queues.take(0);
  await world.clock.until(() => false, 100);
  world.plan([one('hook_new', { planned_at: ahead + 1 })]);
  t.true(await world.clock.until(world.isDone, MINUTE_MS));
});

test('attempts pause while too many outcomes wait to be stored', async (t) => {
  let is_away = true;
  const clock = testClock();
  const store = testStore(clock);
  const record: typeof store.record = async (outcome) => {
    if (is_away) throw new Error('the store is away');
    return await store.record(outcome);
  };
  const world = queuesWorld({ clock, parts: { recorder: { record: (_delivery, outcome) => record(outcome) } } }, store);
  void world.queues.take(0);
  await clock.until(() => false, 100);
  world.plan(Array.from({ length: 2_000 }, (_, i) => one(`hook_${i}`, { endpoint_id: `whe_${i % 100}` })));
  await clock.until(() => false, MINUTE_MS / 2);
  t.true(world.dialled.length >= 500 && world.dialled.length <= 500 + 256, `${world.dialled.length} attempts`);
  is_away = false;
  t.true(await clock.until(world.isDone, MINUTE_MS));
  t.is(world.dialled.length, 2_000);
});

test('a stop gives attempts some seconds, then cuts them off', async (t) => {
  const world = queuesWorld({
    answer: ({ endpoint_id }) => ({ status: 200, after_ms: endpoint_id === 'whe_soon' ? 3_000 : 14_000 }),
  });
  void world.queues.take(0);
  await world.clock.until(() => false, 100);
  world.plan([one('hook_1', { endpoint_id: 'whe_soon' }), one('hook_2', { endpoint_id: 'whe_late' })]);
  await world.clock.until(() => false, 1_000);
  let is_stopped = false;
  const began = world.clock.now();
  void world.queues.stop().then(() => {
    is_stopped = true;
  });
  world.plan([one('hook_3', { endpoint_id: 'whe_other' })]);
  t.true(await world.clock.until(() => is_stopped, MINUTE_MS));
  t.true(world.clock.now() - began <= 5_100);
  const states = ['hook_1', 'hook_2', 'hook_3'].map((id) => world.store.documents.get(id)?.state);
  t.deepEqual(states, ['succeeded', 'pending', 'pending']);
  t.deepEqual(world.store.documents.get('hook_2')?.attempts, []);
  t.is(world.dialled.length, 2);
});

test('a stop does not wait for a store that does not answer', async (t) => {
  const never = new Promise<never>(() => undefined);
  for (const parts of [{ recorder: { record: () => never } }, { directory: { endpoint: () => never } }]) {
    const world = queuesWorld({ parts });
    void world.queues.take(0);
    await world.clock.until(() => false, 100);
    world.plan([one('hook_1')]);
    await world.clock.until(() => false, 1_000);
    let is_stopped = false;
    void world.queues.stop().then(() => {
      is_stopped = true;
    });
    t.true(await world.clock.until(() => is_stopped, 10_000));
  }
});
