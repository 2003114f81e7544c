import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { isLeft, isRight } from 'fp-ts/lib/Either.js';
import { decodeConfiguration } from '../../platform/configuration/configuration.ts';
import { DEPLOYMENT, EVENT_LOG } from '../../platform/configuration/parts.ts';
import { deployTopics } from '../../platform/event-log/deploy-topics.ts';
import {
  type Appended,
  type AppendFault,
  type EventLog,
  type LogRecord,
  type RecordBatch,
  StopPartition,
} from '../../platform/event-log/event-log.ts';
import { kafkaClient } from '../../platform/event-log/kafka-client.ts';
import { openEventLog } from '../../platform/event-log/kafka-event-log.ts';
import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import { openSockets } from '../../platform/event-log/sockets.ts';
import { settingsOf as topicSettings } from '../../platform/event-log/topic-settings.ts';
import { createLogger } from '../../platform/logging/logger.ts';
import { createReadiness, type Readiness } from '../../platform/process/readiness.ts';
import type { Stack } from '../../stack/launcher.ts';
import { pollUntil } from '../../stack/testing/until.ts';
import { startTestStack } from '../helpers/test-stack.ts';

// The event log against a real broker. The tests share it one after the other and start at its current end.
type World = {
  readonly folder: string;
  readonly stack: Stack;
  readonly log: EventLog;
  readonly readiness: Readiness;
  readonly crashes: unknown[];
};

const test = anyTest as TestFn<World>;
const TOPIC = 'render-events';
const logger = createLogger('test', 'error');

const settingsOf = (env: Readonly<Record<string, string>>) => {
  const decoded = decodeConfiguration(env, { log: EVENT_LOG, deployment: DEPLOYMENT });
  if (isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  return decoded.right;
};

test.before(async (t) => {
  t.timeout(180_000);
  const folder = await mkdtemp(join(tmpdir(), 'event log '));
  const stack = await startTestStack({ own_servers: ['kafka'], dataDir: folder, components: [] });
  const { log: settings, deployment } = settingsOf(stack.env);
  await deployTopics(settings, deployment, logger);
  const readiness = createReadiness();
  const crashes: unknown[] = [];
  const log = openEventLog({
    settings,
    client_id: 'test',
    logger,
    readiness,
    on_crash: (error) => crashes.push(error),
  });
  t.context = { folder, stack, log, readiness, crashes };
});

test.after.always(async (t) => {
  t.timeout(60_000);
  await t.context.log?.close();
  await t.context.stack?.stop();
  if (t.context.folder !== undefined) await rm(t.context.folder, { recursive: true, force: true });
});

const append = async (log: EventLog, key: string, text: string, partition?: number): Promise<Appended> => {
  const result = await log.append({ topic: TOPIC, key, value: Buffer.from(text), partition, headers: { about: text } });
  if (isLeft(result)) throw new Error(`${result.left.tag}: ${result.left.message}`);
  return result.right;
};

const ends = async (log: EventLog): Promise<readonly number[]> => (await log.bounds(TOPIC)).map(({ end }) => end);

const textOf = ({ value }: LogRecord): string => value?.toString() ?? '';

/** A subscriber that starts at the current end of the log (or at `from`) and keeps its records. */
const following = async (
  t: ExecutionContext<World>,
  group: string,
  from: readonly number[],
  on_batch: (batch: RecordBatch) => void = () => undefined,
  how: 'subscribe' | 'follow' = 'subscribe',
) => {
  const seen: LogRecord[] = [];
  const batches: RecordBatch[] = [];
  const next = [...from];
  const subscription = await t.context.log[how]({
    group,
    topics: [TOPIC],
    concurrency: 2,
    position: async (_topic, partition) => next[partition] ?? 0,
    on_batch: async (batch) => {
      on_batch(batch);
      batches.push(batch);
      seen.push(...batch.records);
      next[batch.partition] = (batch.records.at(-1)?.offset ?? 0) + 1;
    },
  });
  return { seen, batches, subscription };
};

test.serial('a topic prefix applies to topics and groups, and records show plain names', async (t) => {
  const { stack, log } = t.context;
  const { log: settings, deployment } = settingsOf({ ...stack.env, KAFKA_TOPIC_PREFIX: 'other.' });
  const deployed = await deployTopics(settings, deployment, logger);
  t.true(deployed.created.includes('other.render-events'));
  t.deepEqual(deployed.differences, []);
  const other = openEventLog({ settings, client_id: 'other', logger, on_crash: (error) => t.fail(String(error)) });
  t.teardown(() => other.close());

  const before = await ends(log);
  const { partition, offset } = await append(other, 'key', 'of the other');
  t.deepEqual(await ends(log), before);
  t.is((await ends(other))[partition], offset + 1);
  const [read] = await other.read([{ topic: TOPIC, partition, offset }]);
  t.like(read, { topic: TOPIC, partition, offset });
  for await (const record of other.replay(TOPIC, partition, offset, offset + 1)) t.deepEqual(record, read);

  const batches: RecordBatch[] = [];
  const assigned: string[] = [];
  const subscription = await other.subscribe({
    group: 'prefixed',
    topics: [TOPIC],
    position: async (topic) => (topic === TOPIC ? 0 : 1),
    on_assigned: async (topic) => void assigned.push(topic),
    on_batch: async (batch) => void batches.push(batch),
  });
  await pollUntil('the record is read', async () => batches.length > 0);
  t.deepEqual([batches[0]?.topic, assigned[0], batches[0]?.records], [TOPIC, TOPIC, [read]]);
  subscription.pause(TOPIC, partition);
  await append(other, 'key', 'while it is paused', partition);
  subscription.resume(TOPIC, partition);
  await pollUntil('the reader continues', async () => batches.length > 1);
  await subscription.stop();
});

test.serial("appends share batches, and each gets its own offset and the broker's time", async (t) => {
  const { log } = t.context;
  const before = await ends(log);
  const keys = Array.from({ length: 3_000 }, (_, n) => `key-${n % 50}`);
  const places = await Promise.all(keys.map((key, n) => append(log, key, `${n}`)));
  const after = await ends(log);
  t.is(
    after.reduce((sum, end, p) => sum + end - (before[p] ?? 0), 0),
    keys.length,
  );

  for (const [partition, end] of after.entries()) {
    const from = before[partition] ?? 0;
    const expected = places.flatMap((place, n) => (place.partition === partition ? [{ ...place, n }] : []));
    t.true(expected.every(({ n }) => partitionOfKey(keys[n] ?? '', after.length) === partition));
    const found: LogRecord[] = [];
    for await (const record of log.replay(TOPIC, partition, from, end)) found.push(record);
    t.deepEqual(
      found.map((record) => ({ offset: record.offset, at: record.append_time_ms, text: textOf(record) })),
      expected.map(({ offset, append_time_ms, n }) => ({ offset, at: append_time_ms, text: `${n}` })),
    );
  }
});

test.serial('a topic first used while a producer connects keeps its key partitioning', async (t) => {
  const { log: settings } = settingsOf(t.context.stack.env);
  const fresh = openEventLog({
    settings,
    client_id: 'fresh',
    logger,
    readiness: createReadiness(),
    on_crash: () => t.fail(),
  });
  t.teardown(() => fresh.close());
  const { length: partitions } = await fresh.bounds(TOPIC);
  t.true(partitions > 1);
  let connected = false;
  // This append connects the producer, which does not yet know the topic of the next appends.
  const first = fresh.append({ topic: 'worker-heartbeats', key: 'worker', value: Buffer.from('beat') });
  void first.then(() => {
    connected = true;
  });
  const others: { readonly key: string; readonly place: Promise<Appended> }[] = [];
  for (let n = 0; !connected && n < 5_000; n += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    const key = `early ${n}`;
    if (n > 0) others.push({ key, place: append(fresh, key, key) });
  }
  for (const { key, place } of others) t.is((await place).partition, partitionOfKey(key, partitions), key);
});

test.serial('a batch is written whole and in order, next to concurrent appends', async (t) => {
  const { log } = t.context;
  const texts = Array.from({ length: 500 }, (_, n) => `batch ${n}`);
  const records = texts.map((text) => ({ key: 'key', value: Buffer.from(text), headers: { about: text } }));
  // The batch does not fit into a send with these appends, so it waits for the next send.
  const others = () => Promise.all(Array.from({ length: 120 }, () => append(log, 'other', 'x'.repeat(2_000), 2)));
  const [, batch] = await Promise.all([
    others(),
    log.appendBatch({ topic: TOPIC, partition: 2, records }),
    others(),
    append(log, 'key', 'elsewhere', 1),
  ]);
  if (isLeft(batch)) throw new Error(batch.left.message);
  const [first] = batch.right;
  t.deepEqual(
    batch.right,
    texts.map((_, n) => ({ partition: 2, offset: (first?.offset ?? 0) + n, append_time_ms: first?.append_time_ms })),
  );
  const found: LogRecord[] = [];
  const from = first?.offset ?? 0;
  for await (const record of log.replay(TOPIC, 2, from, from + texts.length)) found.push(record);
  t.deepEqual(
    found.map((record) => [textOf(record), record.headers.about]),
    texts.map((text) => [text, text]),
  );
});

test.serial('a batch above the size of a record batch is refused whole', async (t) => {
  const { log } = t.context;
  const before = await ends(log);
  const records = Array.from({ length: 6 }, () => ({ key: 'a', value: Buffer.alloc(100_000) }));
  const large = await log.appendBatch({ topic: TOPIC, partition: 0, records });
  t.like(large, { left: { tag: 'not_appended' } });
  t.deepEqual(await ends(log), before);
  t.true(isRight(await log.appendBatch({ topic: TOPIC, partition: 0, records: records.slice(0, 5) })));
});

test.serial('a single record is read by its position, and a missing one is null', async (t) => {
  const { log } = t.context;
  const place = await append(log, 'one', 'read me');
  const next = { topic: TOPIC, partition: place.partition, offset: place.offset + 1 };
  const [found, ahead, before] = await log.read([{ topic: TOPIC, ...place }, next, { ...next, offset: -1 }]);
  t.like(found, { offset: place.offset, append_time_ms: place.append_time_ms, headers: { about: 'read me' } });
  t.is(found?.key?.toString(), 'one');
  t.is(ahead, null);
  t.is(before, null);
});

test.serial('a record that is too large or has an unknown topic is refused', async (t) => {
  const { log } = t.context;
  const large = await log.append({ topic: TOPIC, key: 'a', value: Buffer.alloc(1_100_000) });
  t.like(large, { left: { tag: 'not_appended' } });
  const nowhere = await log.append({ topic: 'no-such-topic', key: 'a', value: Buffer.alloc(1) });
  t.like(nowhere, { left: { tag: 'not_appended', message: 'there is no topic no-such-topic: run the deploy step' } });
  t.true(isRight(await log.append({ topic: TOPIC, key: 'a', value: Buffer.alloc(900_000) })));
});

test.serial("a subscriber starts at its own position, not at the group's committed offset", async (t) => {
  const { log } = t.context;
  const from = await ends(log);
  const places = await Promise.all(Array.from({ length: 20 }, (_, n) => append(log, 'same', `${n}`, 1)));
  const first = await following(t, 'begins', from);
  await pollUntil('all records are read', async () => first.seen.length >= 20);
  await first.subscription.stop();

  const middle = places[7]?.offset ?? 0;
  const again = await following(t, 'begins', from.with(1, middle));
  await pollUntil('the remaining records are read again', async () => again.seen.length >= 13);
  t.is(again.batches[0]?.records[0]?.offset, middle);
  t.is(await again.subscription.lag(), 0);
  await again.subscription.stop();
});

test.serial('StopPartition stops one partition, readiness reports it, and the others continue', async (t) => {
  const { log, readiness } = t.context;
  const from = await ends(log);
  const { seen, subscription } = await following(t, 'stops', from, ({ partition }) => {
    if (partition === 0) throw new StopPartition('a record of tomorrow');
  });
  await append(log, 'a', 'bad', 0);
  await append(log, 'a', 'good', 2);
  await pollUntil('the other partitions are read', async () => seen.length > 0);
  await pollUntil('readiness is red', async () => readiness.has(`stops ${TOPIC}/0`));
  t.is((await readiness.problems())[`stops ${TOPIC}/0`], 'stopped: a record of tomorrow');
  await append(log, 'a', 'also good', 2);
  await pollUntil('the other partitions continue', async () => seen.length === 2);
  t.true(seen.every(({ partition }) => partition === 2));
  t.is(await subscription.lag(), 1);
  await subscription.stop();
  readiness.set(`stops ${TOPIC}/0`, null);
});

test.serial('a position after the end of the log raises an alarm', async (t) => {
  const { log, readiness } = t.context;
  const from = await ends(log);
  const { seen, subscription } = await following(t, 'lost', from.with(3, (from[3] ?? 0) + 10));
  await pollUntil('the partition is stopped', async () => readiness.has(`lost ${TOPIC}/3`));
  await append(log, 'a', 'unseen', 3);
  await append(log, 'a', 'seen', 1);
  await pollUntil('the other partitions are read', async () => seen.length > 0);
  t.deepEqual(seen.map(textOf), ['seen']);
  await subscription.stop();
  readiness.set(`lost ${TOPIC}/3`, null);
});

test.serial('a paused partition waits and loses no record', async (t) => {
  const { log } = t.context;
  const { seen, subscription } = await following(t, 'pauses', await ends(log));
  subscription.pause(TOPIC, 0);
  await append(log, 'a', 'later', 0);
  await append(log, 'a', 'now', 1);
  await pollUntil('the other partition is read', async () => seen.length > 0);
  t.deepEqual(seen.map(textOf), ['now']);
  subscription.resume(TOPIC, 0);
  await pollUntil('the paused partition is read', async () => seen.length > 1);
  t.deepEqual(seen.map(textOf), ['now', 'later']);
  await subscription.stop();
});

test.serial('two members share the partitions, and a leaving member releases its own', async (t) => {
  t.timeout(60_000);
  const { log } = t.context;
  const from = await ends(log);
  const owned = [new Set<number>(), new Set<number>()];
  const read: number[] = [];
  const member = (n: number) =>
    log.subscribe({
      group: 'shares',
      topics: [TOPIC],
      position: async (_topic, partition) => from[partition] ?? 0,
      on_batch: async ({ partition }) => {
        if (n === 0) read.push(partition);
      },
      on_assigned: async (_topic, partitions) => {
        for (const partition of partitions) owned[n]?.add(partition);
      },
      on_revoked: async (_topic, partitions) => {
        for (const partition of partitions) owned[n]?.delete(partition);
      },
    });
  const first = await member(0);
  t.is(owned[0]?.size, 4);
  for (const partition of from.keys()) first.pause(TOPIC, partition);
  const second = await member(1);
  await pollUntil('both members have two partitions', async () => owned[0]?.size === 2 && owned[1]?.size === 2);
  t.is(new Set([...(owned[0] ?? []), ...(owned[1] ?? [])]).size, 4);
  const [kept, lent] = owned.map((partitions) => [...partitions].toSorted());
  await second.stop();
  t.is(owned[1]?.size, 0);
  await pollUntil('the first member has all partitions again', async () => owned[0]?.size === 4);
  for (const partition of from.keys()) await append(log, 'a', 'after all that', partition);
  await pollUntil('records of the returned partitions are read', async () => read.length === 2);
  t.deepEqual(read.toSorted(), lent, 'the pause of a lent partition is forgotten');
  for (const partition of kept ?? []) first.resume(TOPIC, partition);
  await pollUntil('the other partitions are read', async () => read.length === 4);
  await first.stop();
});

test.serial('a partition stopped by newer code moves to a capable member, and later returns', async (t) => {
  t.timeout(60_000);
  const { log, readiness } = t.context;
  const from = await ends(log);
  /** A member whose code can or cannot read a record of a newer type. */
  const joined = async (reads: boolean) => {
    const seen: string[] = [];
    const taken: number[] = [];
    const revoked: number[] = [];
    const next = [...from];
    const subscription = await log.subscribe({
      group: 'versions',
      topics: [TOPIC],
      position: async (_topic, partition) => next[partition] ?? 0,
      on_assigned: async (_topic, partitions) => void taken.push(...partitions),
      on_revoked: async (_topic, partitions) => void revoked.push(...partitions),
      on_batch: async ({ partition, records }) => {
        if (!reads && records.some((record) => textOf(record) === 'of tomorrow')) {
          subscription.handOver(TOPIC, partition);
          throw new StopPartition('a record of tomorrow');
        }
        seen.push(...records.map(textOf));
        next[partition] = (records.at(-1)?.offset ?? 0) + 1;
      },
    });
    return { seen, taken, revoked, subscription };
  };
  const older = await joined(false);
  const newer = await joined(true);
  await pollUntil('both members have partitions', async () => newer.taken.length === 2 && older.revoked.length === 2);
  const [mine = 0, kept = 0] = [0, 1, 2, 3].filter((partition) => !newer.taken.includes(partition));
  await append(log, 'a', 'of tomorrow', mine);
  await append(log, 'a', 'after it', mine);
  await pollUntil('the newer member reads it', async () => newer.seen.includes('after it'));
  t.deepEqual(newer.seen.slice(0, 2), ['of tomorrow', 'after it']);
  await pollUntil('no partition is stopped', async () => Object.keys(await readiness.problems()).length === 0);
  await append(log, 'a', 'of today', kept);
  await pollUntil('the other partitions continue', async () => [...older.seen, ...newer.seen].includes('of today'));

  await newer.subscription.stop();
  const stopped = `versions ${TOPIC}/${mine}`;
  await pollUntil('the older member stops at it', async () => stopped in (await readiness.problems()));
  const before = older.taken.length;
  await append(log, 'a', 'and tomorrow', kept);
  await pollUntil('the older member continues with the others', async () => older.seen.includes('and tomorrow'));
  t.is(older.taken.length, before, 'no member was asked to rebalance again');
  const latest = await joined(true);
  await pollUntil('the next newer member takes the partition', async () => latest.seen.includes('after it'));
  await older.subscription.stop();
  await latest.subscription.stop();
  t.deepEqual(await readiness.problems(), {});
});

test.serial('after a broker is killed, readers and writers continue, and acknowledged records survive', async (t) => {
  t.timeout(150_000);
  const { log, stack, readiness, crashes } = t.context;
  const kafka = stack.server('kafka');
  const from = await ends(log);
  const readers = [
    await following(t, 'survives', from),
    await following(t, 'follows', from, () => undefined, 'follow'),
  ];
  const acknowledged: string[] = [];
  const faults = new Set<string>();
  let writing = true;
  t.teardown(() => {
    writing = false;
  });
  const writer = (async () => {
    for (let n = 0; writing; n += 1) {
      const result = await log.append({ topic: TOPIC, key: `k${n % 7}`, value: Buffer.from(`life ${n}`) });
      if (isRight(result)) acknowledged.push(`life ${n}`);
      else faults.add(result.left.tag);
    }
  })();
  const BATCH = 200;
  const batches: ('written' | AppendFault['tag'])[] = [];
  const batchWriter = (async () => {
    for (let n = 0; writing; n += 1) {
      const records = Array.from({ length: BATCH }, (_, i) => ({ key: 'b', value: Buffer.from(`batch ${n} ${i}`) }));
      const result = await log.appendBatch({ topic: TOPIC, partition: 1, records });
      batches.push(isRight(result) ? 'written' : result.left.tag);
    }
  })();
  await pollUntil('some records are written', async () => acknowledged.length > 50);
  const restarts = kafka.restarts();
  kafka.kill('SIGKILL');
  await pollUntil('the client noticed the kill', async () => kafka.restarts() > restarts, 60_000);
  await kafka.untilReady();
  const at = acknowledged.length;
  await pollUntil('appends continue', async () => acknowledged.length > at + 50, 60_000);
  writing = false;
  await writer;
  await batchWriter;
  for (const { seen } of readers) {
    const allRead = () => {
      const texts = new Set(seen.map(textOf));
      return acknowledged.every((text) => texts.has(text));
    };
    await pollUntil('all acknowledged records are read', async () => allRead(), 60_000);
    for (const partition of from.keys()) {
      const offsets = seen.filter((record) => record.partition === partition).map(({ offset }) => offset);
      t.deepEqual(
        offsets,
        offsets.map((_, n) => (from[partition] ?? 0) + n),
        'every record once, in order',
      );
    }
    const [, end = 0] = await ends(log);
    await pollUntil('all batches are read', async () =>
      seen.some((one) => one.partition === 1 && one.offset === end - 1),
    );
    const ofBatch = Map.groupBy(
      seen.map(textOf).filter((text) => text.startsWith('batch ')),
      (text) => Number(text.split(' ')[1]),
    );
    for (const [n, outcome] of batches.entries()) {
      const whole = Array.from({ length: BATCH }, (_, i) => `batch ${n} ${i}`);
      const found = ofBatch.get(n) ?? [];
      if (outcome === 'not_appended' || (outcome === 'outcome_unknown' && found.length === 0)) t.deepEqual(found, []);
      else t.deepEqual(found, whole, `batch ${n}, ${outcome}: all of it, in order`);
    }
  }
  t.deepEqual(crashes, []);
  t.deepEqual(await readiness.problems(), {});
  t.log(`faults while it was away: ${[...faults].join(', ') || 'none'}`);
  for (const { subscription } of readers) await subscription.stop();
});

const groupsOf = async ({ stack }: World): Promise<readonly string[]> => {
  const admin = kafkaClient(settingsOf(stack.env).log, 'groups', logger, openSockets()).admin();
  await admin.connect();
  try {
    return (await admin.listGroups()).groups.map(({ groupId }) => groupId).toSorted();
  } finally {
    await admin.disconnect();
  }
};

test.serial('each follower reads every partition, pauses, seeks and leaves no group', async (t) => {
  const { log, readiness, crashes } = t.context;
  const groups = await groupsOf(t.context);
  const from = await ends(log);
  const nothing = () => undefined;
  const [one, other] = [
    await following(t, 'one', from, nothing, 'follow'),
    await following(t, 'other', from, nothing, 'follow'),
  ];
  for (const partition of [0, 1, 2]) await append(log, 'key', `first ${partition}`, partition);
  for (const { seen } of [one, other])
    await pollUntil(
      'each follower has all records',
      async () => seen.map(textOf).toSorted().join() === 'first 0,first 1,first 2',
    );
  one.subscription.pause(TOPIC, 0);
  // Requests in flight can still arrive.
  await append(log, 'key', 'on the way', 0);
  await pollUntil('the other follower has the record', async () => other.seen.map(textOf).includes('on the way'));
  await append(log, 'key', 'while it is paused', 0);
  await append(log, 'key', 'of another', 1);
  await pollUntil('the others continue', async () => one.seen.map(textOf).includes('of another'));
  t.false(one.seen.map(textOf).includes('while it is paused'));
  one.subscription.resume(TOPIC, 0);
  await pollUntil('the partition continues', async () => one.seen.map(textOf).includes('while it is paused'));
  one.subscription.seek(TOPIC, 0, from[0] ?? 0);
  const firsts = () => one.seen.map(textOf).filter((text) => text === 'first 0').length;
  await pollUntil('the record is read again', async () => firsts() === 2);
  t.is(await other.subscription.lag(), 0);
  t.deepEqual(await groupsOf(t.context), groups);
  for (const { subscription } of [one, other]) await subscription.stop();
  t.deepEqual([await readiness.problems(), crashes], [{}, []]);
});

test.serial('a follower stops one partition and resumes it on command', async (t) => {
  const { log, readiness } = t.context;
  const from = await ends(log);
  const { seen, subscription } = await following(
    t,
    'stopping',
    from,
    ({ records }) => {
      if (records.some((record) => textOf(record) === 'bad')) throw new StopPartition('a bad one');
    },
    'follow',
  );
  const bad = await append(log, 'key', 'bad', 0);
  await pollUntil('the partition is stopped', async () => 'stopping render-events/0' in (await readiness.problems()));
  await append(log, 'key', 'good', 1);
  await append(log, 'key', 'behind it', 0);
  await pollUntil('the other partitions continue', async () => seen.map(textOf).includes('good'));
  t.false(seen.map(textOf).includes('behind it'));
  subscription.restartPartition(TOPIC, 0, bad.offset + 1);
  await pollUntil('the partition continues', async () => seen.map(textOf).includes('behind it'));
  t.deepEqual(await readiness.problems(), {});
  await subscription.stop();
});

test.serial('after truncation a follower restarts if retention is limited, else it raises an alarm', async (t) => {
  const { log, stack, readiness } = t.context;
  const forgetful = 'worker-heartbeats';
  const beat = async (text: string) => {
    const appended = await log.append({ topic: forgetful, partition: 0, key: 'key', value: Buffer.from(text) });
    if (isLeft(appended)) throw new Error(appended.left.message);
    return appended.right.offset;
  };
  const forgetBefore = async (offset: number) => {
    const admin = kafkaClient(settingsOf(stack.env).log, 'forgets', logger, openSockets()).admin();
    await admin.connect();
    // The broker ignores deletions in a topic that it has not loaded yet.
    await admin.fetchTopicOffsets(forgetful);
    await admin.deleteTopicRecords({ topic: forgetful, partitions: [{ partition: 0, offset: String(offset) }] });
    await admin.disconnect();
  };
  await beat('forgotten');
  await forgetBefore(await beat('kept'));
  const seen: string[] = [];
  const subscription = await log.follow({
    group: 'forgetful',
    topics: [forgetful],
    position: async () => 0,
    on_batch: async ({ records }) => void seen.push(...records.map(textOf)),
  });
  await pollUntil('the remaining record is read', async () => seen.join() === 'kept');
  subscription.pause(forgetful, 0);
  await beat('forgotten meanwhile');
  await forgetBefore(await beat('kept again'));
  subscription.resume(forgetful, 0);
  await pollUntil('the follower continues', async () => seen.at(-1) === 'kept again');
  await subscription.stop();

  const after_end = (await ends(log)).map((end) => end + 1);
  const lost = await following(t, 'lost', after_end, () => undefined, 'follow');
  t.regex((await readiness.problems())['lost render-events/0'] ?? '', /records were lost/);
  await lost.subscription.stop();
  t.deepEqual(await readiness.problems(), {});
});

test.serial('an unexpected error of a subscriber crashes its process', async (t) => {
  const { log, crashes } = t.context;
  const { subscription } = await following(t, 'crashes', await ends(log), () => {
    throw new Error('a mistake');
  });
  await append(log, 'a', 'x', 0);
  await pollUntil('the subscriber crashed', async () => crashes.length > 0);
  t.like(crashes, [{ message: 'a mistake' }]);
  await subscription.stop();
});

test.serial('a repeated deployment changes nothing and refuses another partition count', async (t) => {
  const { log, deployment } = settingsOf(t.context.stack.env);
  const unchanged = { created: [], differences: [], render_partitions: 4 };
  t.deepEqual(await deployTopics(log, deployment, logger), unchanged);
  t.deepEqual(
    await deployTopics(log, { ...deployment, new_log_partitions: 64 }, logger),
    unchanged,
    'the existing count',
  );
  const { differences } = await deployTopics(log, { ...deployment, render_partitions: 5 }, logger);
  t.deepEqual(differences, [
    'RENDER_PARTITIONS is 5, but this log has 4 partitions, which can never be changed: unset it, or set it to 4',
  ]);
});

/** Kafka's code for topics in requests about configuration. */
const TOPIC_RESOURCE = 2;

test.serial('a changed partition count stops producers, and changed settings are reported', async (t) => {
  const { log: settings, deployment } = settingsOf({ ...t.context.stack.env, KAFKA_TOPIC_PREFIX: 'changed.' });
  t.is((await deployTopics(settings, { ...deployment, render_partitions: 2 }, logger)).render_partitions, 2);
  const sockets = openSockets();
  const admin = kafkaClient(settings, 'test', logger, sockets).admin();
  await admin.connect();
  t.teardown(async () => {
    await admin.disconnect();
    sockets.destroyAll();
  });
  const startLog = () => {
    const readiness = createReadiness();
    const on_crash = (error: unknown) => t.fail(String(error));
    const silent = createLogger('test', 'silent');
    const log = openEventLog({ settings, client_id: 'c', logger: silent, readiness, on_crash, watches_topics: true });
    t.teardown(() => log.close());
    return { log, readiness };
  };
  const event = { topic: TOPIC, key: 'a', value: Buffer.from('x') };

  const before = startLog();
  t.true(isRight(await before.log.append(event)));
  t.like(await before.readiness.problems(), { partitions: undefined });

  await admin.createPartitions({ topicPartitions: [{ topic: 'changed.render-status', count: 3 }] });
  const kept = { ...topicSettings({ retention_ms: null }, 1), 'retention.ms': '1000000' };
  await admin.alterConfigs({
    validateOnly: false,
    resources: [
      {
        type: TOPIC_RESOURCE,
        name: 'changed.catalogue-events',
        configEntries: Object.entries(kept).map(([name, value]) => ({ name, value })),
      },
    ],
  });
  const after = startLog();
  const problem = 'render-status has 3 partitions instead of 2: appends have stopped';
  await pollUntil('the process is not ready', async () => (await after.readiness.problems()).partitions === problem);
  const refused = await after.log.append(event);
  t.like(refused, { left: { tag: 'not_appended' } });
  t.regex(JSON.stringify(refused), /number of partitions has changed/);
  t.true(isRight(await after.log.append({ ...event, topic: 'catalogue-events' })), 'other topics continue');
  await pollUntil('the retention is reported', async () =>
    /changed.catalogue-events: retention.ms is 1000000, must be -1/.test(after.readiness.states().topics ?? ''),
  );
  t.deepEqual((await deployTopics(settings, deployment, logger)).differences, [
    'render-status: has 3 partitions, must have 2 as render-events has: restore it with that count (docs/operations.md, "Partitions")',
  ]);
});
