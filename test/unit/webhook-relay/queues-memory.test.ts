import test from 'ava';
import { plannedDelivery, queuesWorld, START } from './_queues-world.ts';

const HOUR_MS = 3_600_000;
const WAITING = 100_000;
const DUE = 10_000;

test('memory is bounded, and each delivery is read about once', async (t) => {
  const world = queuesWorld({ settings: { attempts_per_endpoint: 32 } });
  const queues = 200;
  for (let i = 0; i < WAITING; i += 1) {
    const planned_at = i < DUE ? START - 60_000 + i : START + 300_000 + i;
    const [endpoint_id, partition] = [`whe_${(i % queues) % 50}`, (i % queues) % 4];
    world.store.put(plannedDelivery({ id: `hook_${i}`, endpoint_id, partition, planned_at, order: i }));
  }
  for (const partition of [0, 1, 2, 3]) void world.queues.take(partition);
  let max_in_memory = 0;
  const isDone = (): boolean => {
    max_in_memory = Math.max(max_in_memory, world.queues.figures().in_memory);
    return world.store.counts.pending === WAITING - DUE;
  };
  t.true(await world.clock.until(isDone, 240_000));
  t.is(world.dialled.length, DUE);
  t.true(max_in_memory <= 5_000, `${max_in_memory} in memory`);
  t.true(world.store.counts.documents < 3 * DUE, `${world.store.counts.documents} documents read`);
  t.is(world.queues.figures().in_memory, 0);
  t.deepEqual(world.crashes, []);
});

test('full queues give up memory when further queues need it', async (t) => {
  const world = queuesWorld({
    limits: { max_in_memory: 1_000, max_in_memory_per_queue: 100 },
    answer: () => ({ fails: 'timeout', after_ms: 15_000 }),
  });
  void world.queues.take(0);
  await world.clock.until(() => false, 100);
  const plan = (from: number, to: number, each: number): void => {
    for (let queue = from; queue < to; queue += 1)
      world.plan(
        Array.from({ length: each }, (_, i) =>
          plannedDelivery({ id: `hook_${queue}_${i}`, endpoint_id: `whe_${queue}` }),
        ),
      );
  };
  plan(0, 10, 110);
  await world.clock.until(() => false, 100);
  t.true(world.queues.figures().in_memory >= 900);
  plan(10, 100, 12);
  await world.clock.until(() => false, 100);
  t.true(world.queues.figures().in_memory <= 1_000, `${world.queues.figures().in_memory} in memory`);
  t.is(world.queues.figures().waiting, 10 * 110 + 90 * 12);
});

test('deliveries due in the same millisecond are loaded page by page', async (t) => {
  const world = queuesWorld({ limits: { max_in_memory: 10, max_in_memory_per_queue: 10 } });
  for (let i = 0; i < 2_000; i += 1) world.store.put(plannedDelivery({ id: `hook_${i}`, endpoint_id: 'whe_1' }));
  void world.queues.take(0);
  t.true(await world.clock.until(world.isDone, HOUR_MS));
  t.is(world.dialled.length, 2_000);
  t.true(world.store.counts.documents < 3 * 2_000 + 10_000, `${world.store.counts.documents} documents read`);
  const order = world.dialled.map(({ id }) => Number(id.slice(5)));
  // Eight at once, so they start in the order of the plan.
  t.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  );
});

test('early deliveries come first even if later ones fill the memory', async (t) => {
  const world = queuesWorld({
    limits: { max_in_memory: 5, max_in_memory_per_queue: 5 },
    answer: ({ _id }) => (_id.startsWith('hook_bad') ? { status: 500, after_ms: 1 } : { status: 200, after_ms: 1 }),
  });
  void world.queues.take(0);
  await world.clock.until(() => false, 100);
  const plan = (kind: string, count: number): void =>
    world.plan(
      Array.from({ length: count }, (_, i) =>
        plannedDelivery({ id: `hook_${kind}_${i}`, endpoint_id: 'whe_1', planned_at: world.clock.now() }),
      ),
    );
  plan('bad', 50);
  await world.clock.until(() => false, 45_000);
  const planned_at = world.clock.now();
  plan('good', 50);
  await world.clock.until(() => false, 2_000);
  const good = [...world.store.documents.values()].filter(({ _id }) => _id.startsWith('hook_good'));
  t.true(good.every(({ state }) => state === 'succeeded'));
  t.is(world.clock.now() - planned_at, 2_000);
  t.true(await world.clock.until(world.isDone, HOUR_MS));
});

test('the backlog of a queue includes deliveries in the store', async (t) => {
  const world = queuesWorld({ answer: () => ({ status: 200, after_ms: 60_000 }) });
  for (let i = 0; i < 5_000; i += 1) world.store.put(plannedDelivery({ id: `hook_${i}`, endpoint_id: 'whe_1' }));
  void world.queues.take(0);
  await world.clock.until(() => false, 1_000);
  t.is(world.queues.backlog(0, 'whe_1'), 5_000);
  t.is(world.queues.figures().waiting, 5_000);
  t.is(world.queues.backlog(0, 'whe_2'), 0);
});
