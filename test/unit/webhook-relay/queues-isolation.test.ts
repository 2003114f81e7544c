import test from 'ava';
import type { WebhookDeliveryDocument } from '../../../read-models/deliveries/documents.ts';
import { type Answer, plannedDelivery, queuesWorld, type WorldOptions } from './_queues-world.ts';

const MINUTE_MS = 60_000;
const PARTITIONS = [0, 1, 2, 3];

const HANGS: Answer = { fails: 'timeout', after_ms: 15_000 };
const REFUSES: Answer = { fails: 'connection_refused', after_ms: 2 };
const LATE: Answer = { status: 200, after_ms: 12_000 };
const PROMPT: Answer = { status: 200, after_ms: 20 };

const answersByKind = ({ endpoint_id }: WebhookDeliveryDocument): Answer => {
  if (endpoint_id.startsWith('hanging')) return HANGS;
  if (endpoint_id.startsWith('dead')) return REFUSES;
  return endpoint_id.startsWith('slow') ? LATE : PROMPT;
};

const openWorld = async (options: WorldOptions) => {
  const world = queuesWorld(options);
  for (const partition of PARTITIONS) void world.queues.take(partition);
  await world.clock.until(() => false, 100);
  return world;
};

const load = (
  world: Awaited<ReturnType<typeof openWorld>>,
  endpoints: readonly string[],
  every_ms: number,
  for_ms: number,
): void => {
  const start = world.clock.now();
  for (let at_ms = 0, round = 0; at_ms < for_ms; at_ms += every_ms, round += 1)
    world.clock.after(at_ms, () =>
      world.plan(
        endpoints.map((endpoint_id) =>
          plannedDelivery({
            id: `hook_${endpoint_id}_${round}`,
            endpoint_id,
            partition: round % PARTITIONS.length,
            planned_at: start + at_ms,
          }),
        ),
      ),
    );
};

const named = (kind: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${kind}${index}`);

/** Delays of first attempts after planning, ms, longest first. */
const latenessOf = ({ dialled, store }: Awaited<ReturnType<typeof openWorld>>, kind: string): readonly number[] =>
  dialled
    .filter(({ n, endpoint_id }) => n === 1 && endpoint_id.startsWith(kind))
    .map(({ id, began }) => began - (store.documents.get(id)?.planned_at ?? 0))
    .sort((a, b) => b - a);

test('endpoints that hang, fail or are slow do not delay others', async (t) => {
  const world = await openWorld({ answer: answersByKind });
  const bad = [...named('hanging', 40), ...named('dead', 20), ...named('slow', 40)];
  load(world, [...bad, ...named('healthy', 30)], 1_000, MINUTE_MS);
  await world.clock.until(() => false, 2 * MINUTE_MS);
  const late = latenessOf(world, 'healthy');
  t.is(late.length, 30 * 60);
  t.true((late[Math.floor(late.length / 100)] ?? 0) <= 25, `p99 ${late[Math.floor(late.length / 100)]} ms`);
  t.true((late[0] ?? 0) < 1_000, `longest ${late[0]} ms`);
  t.deepEqual(world.crashes, []);
});

test('healthy endpoints that hang together do not stop others', async (t) => {
  let hang_from = Number.POSITIVE_INFINITY;
  const world = await openWorld({
    answer: ({ endpoint_id }, _n, now) => (now >= hang_from && endpoint_id.startsWith('hanging') ? HANGS : PROMPT),
  });
  load(world, [...named('hanging', 60), ...named('healthy', 20)], 250, 40_000);
  await world.clock.until(() => false, 20_000);
  hang_from = world.clock.now();
  await world.clock.until(() => false, 60_000);
  const late = latenessOf(world, 'healthy');
  t.true((late[Math.floor(late.length / 100)] ?? 0) <= 25, `p99 ${late[Math.floor(late.length / 100)]} ms`);
});

test('hanging endpoints use at most half of all attempts', async (t) => {
  const world = await openWorld({ answer: answersByKind });
  load(world, named('hanging', 400), 20_000, MINUTE_MS);
  await world.clock.until(() => false, MINUTE_MS);
  const planned_at = world.clock.now();
  load(world, named('healthy', 20), 100, 10_000);
  await world.clock.until(() => false, 20_000);
  const late = latenessOf(world, 'healthy').filter((ms) => ms >= 0);
  t.is(late.length, 20 * 100);
  t.true((late[Math.floor(late.length / 100)] ?? 0) <= 25, `p99 ${late[Math.floor(late.length / 100)]} ms`);
  const hanging = world.dialled.filter(({ ended, began, endpoint_id }) => {
    const is_under_way = began <= planned_at && (ended ?? Number.POSITIVE_INFINITY) > planned_at;
    return is_under_way && endpoint_id.startsWith('hanging');
  });
  t.true(hanging.length <= 192 && hanging.length >= 100, `${hanging.length} attempts`);
});

test('an endpoint that hangs gets one attempt at a time', async (t) => {
  const world = await openWorld({ answer: answersByKind });
  load(world, named('hanging', 1), 100, 20_000);
  await world.clock.until(() => false, MINUTE_MS);
  t.true(world.dialled.length >= 4 && world.dialled.length <= 5);
  for (const [index, dial] of world.dialled.entries()) t.true(dial.began >= (world.dialled[index - 1]?.ended ?? 0));
});

test('an endpoint in trouble gets one attempt at a time until it answers', async (t) => {
  let is_up = false;
  const world = await openWorld({ answer: () => (is_up ? PROMPT : REFUSES) });
  const deliveries = Array.from({ length: 200 }, (_, index) =>
    plannedDelivery({ id: `hook_${index}`, endpoint_id: 'whe_1', planned_at: world.clock.now() }),
  );
  world.plan(deliveries);
  await world.clock.until(() => false, 10_000);
  is_up = true;
  const up_at = world.clock.now();
  t.true(await world.clock.until(world.isDone, 10 * MINUTE_MS));
  t.true(world.clock.now() - up_at < 160_000);
  t.true([...world.store.documents.values()].every(({ state }) => state === 'succeeded'));
});

test('an endpoint that is down for two minutes finally gets all its deliveries', async (t) => {
  let is_up = false;
  const world = await openWorld({ answer: () => (is_up ? PROMPT : REFUSES), random: Math.random });
  load(world, named('whe', 2), 500, 2 * MINUTE_MS);
  await world.clock.until(() => false, 2 * MINUTE_MS);
  is_up = true;
  t.true(await world.clock.until(world.isDone, 10 * MINUTE_MS));
  t.true([...world.store.documents.values()].every(({ state }) => state === 'succeeded'));
});

test('a queue with a long backlog does not delay its other endpoints', async (t) => {
  const world = await openWorld({ answer: () => ({ status: 200, after_ms: 100 }) });
  const now = world.clock.now();
  world.plan(
    Array.from({ length: 1_000 }, (_, index) =>
      plannedDelivery({ id: `hook_${index}`, endpoint_id: 'whe_1', partition: 0, planned_at: now }),
    ),
  );
  await world.clock.until(() => false, 1_000);
  const planned_at = world.clock.now();
  world.plan([plannedDelivery({ id: 'hook_other', endpoint_id: 'whe_1', partition: 1, planned_at })]);
  await world.clock.until(() => world.store.documents.get('hook_other')?.state === 'succeeded', MINUTE_MS);
  t.true(world.clock.now() - planned_at < 500);
});

test('an endpoint faster than the store has a limit of unstored outcomes', async (t) => {
  const world = await openWorld({ answer: () => ({ status: 200, after_ms: 1 }), store_ms: () => 500 });
  await world.clock.until(() => false, 2_000);
  load(world, named('fast', 1), 5, 10_000);
  let most = 0;
  await world.clock.until(() => {
    most = Math.max(most, world.queues.figures().unrecorded);
    return false;
  }, 10_000);
  t.true(most <= 64 && most > 8, `${most} at once`);
});
