import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { decodeConfiguration } from '../../platform/configuration/configuration.ts';
import { DEPLOYMENT, EVENT_LOG } from '../../platform/configuration/parts.ts';
import { deployTopics } from '../../platform/event-log/deploy-topics.ts';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { openEventLog } from '../../platform/event-log/kafka-event-log.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { startThreeBrokers, type ThreeBrokers } from './_three-brokers.ts';

// One partition is broken in a healthy cluster, and the others keep working.
type World = { readonly folder: string; readonly brokers: ThreeBrokers; readonly open: (name: string) => EventLog };

const test = anyTest as TestFn<World>;
const TOPIC = 'render-events';
const PARTITIONS = 6;
/** LEADERLESS has its only replica on one broker. TOO_FEW needs two in-sync replicas and has one. */
const [LEADERLESS, TOO_FEW] = [0, 1];
const logger = createLogger('test', 'silent');

test.before(async (t) => {
  t.timeout(180_000);
  const folder = await mkdtemp(join(tmpdir(), 'three brokers '));
  const brokers = await startThreeBrokers(folder);
  const decoded = decodeConfiguration(brokers.env, { log: EVENT_LOG, deployment: DEPLOYMENT });
  if (isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  const { log: settings, deployment } = decoded.right;
  await deployTopics(settings, deployment, logger);
  await brokers.move(TOPIC, LEADERLESS, [3]);
  await brokers.move(TOPIC, TOO_FEW, [1, 3]);
  const open = (client_id: string): EventLog =>
    openEventLog({ settings, client_id, logger, on_crash: (error) => t.fail(String(error)) });
  t.context = { folder, brokers, open };
});

test.after.always(async (t) => {
  t.timeout(60_000);
  await t.context.brokers?.stop();
  if (t.context.folder !== undefined) await rm(t.context.folder, { recursive: true, force: true });
});

const append = async (log: EventLog, partition: number, text: string) => {
  const began = performance.now();
  const result = await log.append({ topic: TOPIC, partition, key: 'key', value: Buffer.from(text) });
  return { partition, text, result, took_ms: performance.now() - began };
};

const reading = async (log: EventLog, group: string, how: 'subscribe' | 'follow') => {
  const seen = new Map<number, string[]>();
  const subscription = await log[how]({
    group,
    topics: [TOPIC],
    concurrency: 2,
    position: async (_topic, partition) => seen.get(partition)?.length ?? 0,
    on_batch: async ({ partition, records }) => {
      seen.set(partition, [...(seen.get(partition) ?? []), ...records.map(({ value }) => value?.toString() ?? '')]);
    },
  });
  return { seen, subscription };
};

test.serial('partitions without a leader or with too few replicas do not affect other partitions', async (t) => {
  t.timeout(180_000);
  const { brokers, open } = t.context;
  const log = open('before');
  t.teardown(() => log.close());
  const written: string[][] = Array.from({ length: PARTITIONS }, () => []);
  const keep = ({ partition, text, result }: Awaited<ReturnType<typeof append>>): void => {
    if (isRight(result)) written[partition]?.push(text);
  };
  for (let n = 0; n < PARTITIONS; n += 1) keep(await append(log, n, `first ${n}`));
  t.deepEqual(
    written.map(({ length }) => length),
    [1, 1, 1, 1, 1, 1],
  );
  const readers = [await reading(log, 'before', 'subscribe'), await reading(log, 'followed before', 'follow')];
  await pollUntil('all records are read', async () => readers.every(({ seen }) => seen.size === PARTITIONS));

  // After SIGKILL Kafka would not elect the broker again, because it cannot know which records are lost.
  await brokers.kill(3, 'SIGTERM');
  await pollUntil('the other partitions have leaders, and the broken one has none', async () => {
    const leaders = await Promise.all(Array.from({ length: PARTITIONS }, (_, n) => brokers.leader(TOPIC, n)));
    return leaders.every((leader, partition) => (partition === LEADERLESS ? leader === -1 : leader > 0 && leader < 3));
  });

  // Requests to the broken partitions continue all the time and delay no other partition.
  const others = [2, 3, 4, 5];
  await pollUntil('the other partitions accept records again', async () => {
    const all = await Promise.all(others.map((partition) => append(log, partition, 'settling')));
    for (const one of all) keep(one);
    return all.every(({ result }) => isRight(result));
  });
  const sick: ReturnType<typeof append>[] = [];
  for (let round = 0; round < 20; round += 1) {
    for (const partition of [LEADERLESS, TOO_FEW]) sick.push(append(log, partition, `sick ${round}`));
    for (const one of await Promise.all(others.map((partition) => append(log, partition, `round ${round}`)))) {
      t.true(isRight(one.result), `partition ${one.partition}: ${JSON.stringify(one.result)}`);
      t.true(one.took_ms < 1_500, `partition ${one.partition} took ${one.took_ms} ms`);
      keep(one);
    }
  }
  for (const { partition, result } of await Promise.all(sick))
    t.like(result, { left: { tag: 'not_appended' } }, `nothing is written to partition ${partition}`);
  t.deepEqual(
    (await log.reachableBounds(TOPIC)).map(({ partition }) => partition),
    [TOO_FEW, ...others],
  );

  // A client that starts now joins, appends and reads, and so does a client that was connected before.
  const fresh = open('after');
  t.teardown(() => fresh.close());
  readers.push(await reading(fresh, 'after', 'subscribe'), await reading(fresh, 'followed after', 'follow'));
  for (const partition of others) {
    const one = await append(fresh, partition, 'of the one that started');
    t.true(isRight(one.result), JSON.stringify(one.result));
    keep(one);
  }
  for (const { seen } of readers)
    await pollUntil('all records of the other partitions are read', async () =>
      others.every((partition) => seen.get(partition)?.length === written[partition]?.length),
    );

  await brokers.start(3);
  for (const partition of [LEADERLESS, TOO_FEW])
    await pollUntil(`partition ${partition} takes records again`, async () => {
      const one = await append(log, partition, 'well again');
      keep(one);
      return isRight(one.result);
    });
  for (const { seen, subscription } of readers) {
    await pollUntil('all records are read', async () =>
      written.every((texts, partition) => seen.get(partition)?.length === texts.length),
    );
    for (const [partition, texts] of written.entries())
      t.deepEqual(seen.get(partition), texts, `partition ${partition}`);
    await subscription.stop();
  }
});
