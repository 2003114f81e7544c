import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { WebhookEndpoint } from '../../../domain/webhooks/endpoint.ts';
import { type Answer, endpointNamed, plannedDelivery, queuesWorld, START, type WorldOptions } from './_queues-world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const opened = async (options: WorldOptions = {}) => {
  const world = queuesWorld(options);
  void world.queues.take(0);
  await world.clock.until(() => false, 100);
  let count = 0;
  return {
    ...world,
    send: (endpoint_id: string, some = 1): void => {
      const planned_at = world.clock.now();
      world.plan(
        Array.from({ length: some }, () => {
          count += 1;
          return plannedDelivery({ id: `hook_${count}`, endpoint_id, planned_at });
        }),
      );
    },
    statesOf: (endpoint_id: string) =>
      [...world.store.documents.values()]
        .filter((delivery) => delivery.endpoint_id === endpoint_id)
        .map(({ state }) => state),
  };
};

test('a deleted or disabled endpoint gets no request', async (t) => {
  const world = await opened();
  world.endpoints.set('whe_deleted', endpointNamed('whe_deleted', { deleted_at: START, secret: '' }));
  const period = { from: START, to: null, reason: 'by_hand' };
  world.endpoints.set('whe_disabled', endpointNamed('whe_disabled', { disabled: [period] }));
  world.send('whe_deleted');
  world.send('whe_disabled');
  t.true(await world.clock.until(world.isDone, MINUTE_MS));
  t.deepEqual(world.statesOf('whe_deleted'), ['skipped']);
  t.deepEqual(world.statesOf('whe_disabled'), ['skipped']);
  t.deepEqual(world.dialled, []);
});

test('deliveries wait for an endpoint that the read model lacks', async (t) => {
  let endpoint: WebhookEndpoint | null = null;
  const world = await opened({ parts: { directory: { endpoint: async () => endpoint } } });
  world.send('whe_1', 3);
  await world.clock.until(() => false, HOUR_MS);
  t.deepEqual(world.dialled, []);
  t.deepEqual(world.statesOf('whe_1'), ['pending', 'pending', 'pending']);
  endpoint = endpointNamed('whe_1');
  t.true(await world.clock.until(world.isDone, MINUTE_MS));
  t.deepEqual(world.statesOf('whe_1'), ['succeeded', 'succeeded', 'succeeded']);
});

test('a secret that cannot be opened delays its endpoint and reports it', async (t) => {
  let is_known = false;
  const openSecret = async (id: string): Promise<E.Either<string, string>> =>
    id === 'whe_1' && !is_known ? E.left('it is sealed to another key') : E.right('whsec_AAAA');
  const world = await opened({ parts: { openSecret } });
  world.send('whe_1', 2);
  world.send('whe_2', 2);
  await world.clock.until(() => false, HOUR_MS);
  t.deepEqual(world.statesOf('whe_1'), ['pending', 'pending']);
  t.deepEqual(world.statesOf('whe_2'), ['succeeded', 'succeeded']);
  t.deepEqual(
    [...world.problems],
    [['webhook endpoint whe_1', 'its signing secret: it is sealed to another key; its deliveries wait']],
  );
  is_known = true;
  t.true(await world.clock.until(world.isDone, MINUTE_MS));
  t.true([...world.store.documents.values()].every(({ attempts }) => attempts.length === 1));
  t.is(world.problems.size, 0);
});

test('both secrets sign during a rotation, and only the new one after a day', async (t) => {
  const day_ms = 24 * HOUR_MS;
  const world = await opened({ parts: { openSecret: async (_id, sealed) => E.right(`whsec_${sealed}`) } });
  const next_secret = { sealed: 'new', since: world.clock.now() };
  world.endpoints.set('whe_1', endpointNamed('whe_1', { secret: 'old', next_secret }));
  const signatures = () => (world.dialled.at(-1)?.headers['webhook-signature'] ?? '').split(' ').length;
  world.send('whe_1');
  await world.clock.until(world.isDone, MINUTE_MS);
  const before = world.dialled.at(-1)?.headers['X-Webhook-Signature'];
  t.is(signatures(), 2);
  await world.clock.until(() => false, day_ms);
  world.send('whe_1');
  await world.clock.until(world.isDone, MINUTE_MS);
  t.is(signatures(), 1);
  t.not(before, undefined);
});

test('an endpoint that answers 410 is disabled at once, and only once', async (t) => {
  const world = await opened({ answer: () => ({ status: 410, after_ms: 5 }) });
  world.send('whe_1', 30);
  t.true(await world.clock.until(world.isDone, MINUTE_MS));
  t.deepEqual(world.disabled, [{ endpoint_id: 'whe_1', reason: 'gone' }]);
  t.is(world.dialled.length, 1);
  t.deepEqual(world.statesOf('whe_1').toSorted().slice(0, 2), ['exhausted', 'skipped']);
});

test('an endpoint enabled again after 410 gets requests', async (t) => {
  let answer: Answer = { status: 410, after_ms: 5 };
  const world = await opened({ answer: () => answer });
  world.send('whe_1');
  await world.clock.until(world.isDone, MINUTE_MS);
  answer = { status: 200, after_ms: 5 };
  const period = { from: world.clock.now(), to: world.clock.now() + 1, reason: 'gone' };
  world.endpoints.set('whe_1', endpointNamed('whe_1', { disabled: [period] }));
  await world.clock.until(() => false, 1_000);
  world.send('whe_1');
  t.true(await world.clock.until(world.isDone, MINUTE_MS));
  t.deepEqual(world.statesOf('whe_1'), ['exhausted', 'succeeded']);
});

test('if the fold ignores the disabling, requests resume after a minute', async (t) => {
  let answer: Answer = { status: 410, after_ms: 5 };
  const world = await opened({ answer: () => answer });
  world.send('whe_1');
  await world.clock.until(world.isDone, MINUTE_MS);
  answer = { status: 200, after_ms: 5 };
  await world.clock.until(() => false, MINUTE_MS + 1_000);
  world.send('whe_1');
  t.true(await world.clock.until(world.isDone, MINUTE_MS));
  t.deepEqual(world.statesOf('whe_1'), ['exhausted', 'succeeded']);
});

const failFor = async (succeeds_elsewhere: boolean) => {
  const failing = queuesWorld().health;
  const world = await opened({
    settings: { disable_after_s: 3_600 },
    answer: () => ({ status: 500, after_ms: 5 }),
    parts: {
      health: {
        exhausted: async (id, at) => {
          const { failing_since = at, exhausted = 0 } = failing.get(id) ?? {};
          failing.set(id, { failing_since, exhausted: exhausted + 1 });
          return { _id: id, failing_since, exhausted: exhausted + 1 };
        },
        clear: async (id) => void failing.delete(id),
        hasSucceededSince: async () => succeeds_elsewhere,
      },
    },
  });
  world.send('whe_1', 30);
  await world.clock.until(world.isDone, 10 * MINUTE_MS);
  const before = [...world.disabled];
  await world.clock.until(() => false, HOUR_MS);
  world.send('whe_1');
  await world.clock.until(world.isDone, 10 * MINUTE_MS);
  await world.clock.until(() => false, 100);
  return { before, after: world.disabled, failing };
};

test('an endpoint that has failed for too long is disabled', async (t) => {
  const { before, after } = await failFor(false);
  t.deepEqual(before, []);
  t.deepEqual(after, [{ endpoint_id: 'whe_1', reason: 'failing' }]);
});

test('an endpoint that answers another relay is not disabled', async (t) => {
  const { after, failing } = await failFor(true);
  t.deepEqual(after, []);
  t.is(failing.size, 0);
});

test('failures before an endpoint was enabled again do not count', async (t) => {
  const world = await opened({ settings: { disable_after_s: 1 }, answer: () => ({ status: 500, after_ms: 5 }) });
  world.send('whe_1', 19);
  await world.clock.until(world.isDone, 10 * MINUTE_MS);
  const period = { from: START, to: world.clock.now(), reason: 'by_hand' };
  world.endpoints.set('whe_1', endpointNamed('whe_1', { disabled: [period] }));
  await world.clock.until(() => false, 1_000);
  world.send('whe_1', 5);
  await world.clock.until(world.isDone, 10 * MINUTE_MS);
  await world.clock.until(() => false, 100);
  t.deepEqual(world.disabled, []);
  t.is(world.health.get('whe_1')?.exhausted, 5);
});
