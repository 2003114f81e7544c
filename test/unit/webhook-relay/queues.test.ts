import test from 'ava';
import { runs } from '../../helpers/runs.ts';
import { type Answer, plannedDelivery, queuesWorld } from './_queues-world.ts';

const MINUTE_MS = 60_000;

test('a successful delivery is sent once, with its stored bytes', async (t) => {
  const world = queuesWorld();
  await Promise.all([world.queues.take(0), world.clock.until(() => false, 100)]);
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  world.plan([{ ...plannedDelivery({ id: 'hook_1', endpoint_id: 'whe_1' }), traceparent }]);
  t.true(await world.clock.until(world.isDone, 1_000));
  t.is(world.dialled.length, 1);
  t.is(world.dialled[0]?.body, '{"id":"hook_1"}');
  t.like(world.dialled[0]?.headers, { 'X-Webhook-ID': 'hook_1', traceparent });
  t.is(world.store.documents.get('hook_1')?.state, 'succeeded');
  t.like(world.store.documents.get('hook_1')?.attempts[0], { n: 1, succeeded: true, status: 200, response: 'seen' });
  await world.clock.until(() => false, 100);
  t.deepEqual(world.queues.figures(), { attempts_under_way: 0, unrecorded: 0, waiting: 0, in_memory: 0 });
  t.is(world.queues.backlog(0, 'whe_1'), 0);
});

const STORE_MS = 2;

const DELIVERIES = runs(10_000);

test('thousands of deliveries are sent on schedule, neither early nor late', async (t) => {
  const asked: readonly (Answer & { readonly wait_ms: number })[] = [
    { status: 500, after_ms: 30, wait_ms: 0 },
    { status: 429, after_ms: 80, retry_after: '7', wait_ms: 7_000 },
    { status: 503, after_ms: 10, retry_after: '100000', wait_ms: 600_000 },
    { status: 302, after_ms: 250, wait_ms: 0 },
    { status: 503, after_ms: 10, retry_after: 'nonsense', wait_ms: 0 },
  ];
  const world = queuesWorld({
    limits: { max_in_memory: 20_000, max_in_memory_per_queue: 100 },
    settings: { attempts_at_once: 4_096, attempts_per_endpoint: 256 },
    random: Math.random,
    store_ms: () => STORE_MS,
    answer: ({ _id }, n) => asked[(Number(_id.slice(5)) + n) % asked.length] ?? { status: 500, after_ms: 1 },
  });
  await Promise.all([world.queues.take(0), world.clock.until(() => false, 100)]);
  // An unknown endpoint gets one attempt at first, so each endpoint has one delivery.
  const now = world.clock.now();
  for (let i = 0; i < DELIVERIES; i += 1) {
    const planned_at = now + i * 10;
    const delivery = plannedDelivery({ id: `hook_${i}`, endpoint_id: `whe_${i}`, planned_at });
    world.clock.after(i * 10, () => world.plan([delivery]));
  }
  const isDone = (): boolean => world.store.documents.size === DELIVERIES && world.isDone();
  t.true(await world.clock.until(isDone, 60 * MINUTE_MS));
  const by_id = Map.groupBy(world.dialled, ({ id }) => id);
  t.is(by_id.size, DELIVERIES);
  let off = 0;
  for (const [id, dials] of by_id) {
    if (dials.length !== 5 || dials[0]?.began !== world.store.documents.get(id)?.planned_at) off += 1;
    for (const [i, dial] of dials.entries()) {
      const next = dials[i + 1];
      if (next === undefined || dial.ended === null) continue;
      const wait_ms = next.began - dial.ended;
      const planned_ms = 1_000 * 5 ** i;
      const asked_ms = asked[(Number(id.slice(5)) + i + 1) % asked.length]?.wait_ms ?? 0;
      // A delivery that is stored during a comparison with the store waits for a page.
      const most_ms = Math.max(planned_ms * 1.1, asked_ms) + 2 * STORE_MS;
      if (wait_ms < Math.max(planned_ms, asked_ms) || wait_ms > most_ms) off += 1;
    }
  }
  t.is(off, 0);
});
