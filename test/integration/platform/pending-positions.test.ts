import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { isLeft, right } from 'fp-ts/lib/Either.js';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { DEPLOYMENT, EVENT_LOG } from '../../../platform/configuration/parts.ts';
import { deployTopics } from '../../../platform/event-log/deploy-topics.ts';
import type { EventLog, LogRecord, SubscriptionOptions } from '../../../platform/event-log/event-log.ts';
import { openEventLog } from '../../../platform/event-log/kafka-event-log.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { startProcessor } from '../../../platform/processor/processor.ts';
import type { RecordLog } from '../../../platform/records/record-log.ts';
import type { Stack } from '../../../stack/launcher.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { startTestStack } from '../../helpers/test-stack.ts';

// Partitions with slow positions on a real broker: the others are read, and the group rebalances without waiting.
type World = { readonly folder: string; readonly stack: Stack; readonly log: EventLog };

const test = anyTest as TestFn<World>;
const TOPIC = 'render-events';
const PARTITIONS = 16;
/** Longer than the session timeout of a member (6 s). */
const LONGER_THAN_A_SESSION_MS = 8_000;
const logger = createLogger('test', 'silent');

test.before(async (t) => {
  t.timeout(360_000);
  const folder = await mkdtemp(join(tmpdir(), 'pending positions '));
  const stack = await startTestStack({ dataDir: folder, components: [] });
  const decoded = decodeConfiguration(
    { ...stack.env, KAFKA_TOPIC_PREFIX: `${stack.env.KAFKA_TOPIC_PREFIX ?? ''}pending.` },
    { log: EVENT_LOG, deployment: DEPLOYMENT },
  );
  if (isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  const { log: settings, deployment } = decoded.right;
  await deployTopics(settings, { ...deployment, render_partitions: PARTITIONS }, logger);
  const log = openEventLog({ settings, client_id: 'test', logger, on_crash: (error) => t.fail(String(error)) });
  t.context = { folder, stack, log };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.log?.close();
  await t.context.stack?.stop();
  if (t.context.folder !== undefined) await rm(t.context.folder, { recursive: true, force: true });
});

const textOf = ({ value }: LogRecord): string => value?.toString() ?? '';

const append = async (log: EventLog, partition: number, text: string): Promise<number> => {
  const result = await log.append({ topic: TOPIC, partition, key: 'key', value: Buffer.from(text) });
  if (isLeft(result)) throw new Error(result.left.message);
  return result.right.offset;
};

const endsOf = async (log: EventLog): Promise<readonly number[]> => (await log.bounds(TOPIC)).map(({ end }) => end);

type Options = Pick<SubscriptionOptions, 'position'> & Partial<SubscriptionOptions>;

const memberOf = async (t: ExecutionContext<World>, group: string, options: Options) => {
  const owned = new Set<number>();
  const revoked: number[] = [];
  const seen: LogRecord[] = [];
  const asking = new Map<number, number>();
  const asked: number[] = [];
  const subscription = await t.context.log.subscribe({
    group,
    topics: [TOPIC],
    on_batch: async ({ records }) => void seen.push(...records),
    ...options,
    position: async (topic, partition) => {
      asked.push(partition);
      asking.set(partition, (asking.get(partition) ?? 0) + 1);
      // Asserts only on failure: a stopping member may still ask after the end of the test, when AVA refuses
      // assertions.
      if (asking.get(partition) !== 1) t.fail(`the position of partition ${partition} is asked for twice at a time`);
      try {
        return await options.position(topic, partition);
      } finally {
        asking.set(partition, (asking.get(partition) ?? 0) - 1);
      }
    },
    on_assigned: async (_topic, partitions) => {
      for (const partition of partitions) owned.add(partition);
    },
    on_revoked: async (_topic, partitions) => {
      revoked.push(...partitions);
      for (const partition of partitions) owned.delete(partition);
    },
  });
  t.teardown(() => subscription.stop());
  return { owned, revoked, seen, asked, subscription };
};

const OTHER = 5;

test.serial('a slow position delays no other partition, no rebalance and no heartbeat', async (t) => {
  t.timeout(240_000);
  const { log } = t.context;
  for (let partition = 0; partition < PARTITIONS; partition += 1) await append(log, partition, 'before');
  const starts = await endsOf(log);
  const known = Promise.withResolvers<void>();
  const first = await memberOf(t, 'one-waits', {
    position: async (_topic, partition) => {
      if (partition !== OTHER) await known.promise;
      return starts[partition] ?? 0;
    },
  });
  const pending = Array.from(starts.keys()).filter((partition) => partition !== OTHER);
  for (const partition of pending) await append(log, partition, `first of ${partition}`);

  const began = performance.now();
  let flowed = 0;
  const flow = async (who: readonly { readonly seen: readonly LogRecord[] }[]): Promise<void> => {
    const text = `flows ${flowed}`;
    await append(log, OTHER, text);
    await pollUntil('the other partition is read', async () =>
      who.some(({ seen }) => seen.some((one) => textOf(one) === text)),
    );
    flowed += 1;
  };
  while (performance.now() - began < LONGER_THAN_A_SESSION_MS) await flow([first]);
  t.deepEqual(first.revoked, [], 'the member was not expelled');
  t.is(first.asked.length, PARTITIONS, 'each position was read once');

  const second = await memberOf(t, 'one-waits', { position: async (_topic, partition) => starts[partition] ?? 0 });
  await pollUntil('both members have half', async () => first.owned.size === 8 && second.owned.size === 8);
  const moved = pending.filter((partition) => second.owned.has(partition));
  await pollUntil('moved partitions continue at their positions at once', async () =>
    moved.every((partition) => second.seen.some((one) => textOf(one) === `first of ${partition}`)),
  );
  for (let n = 0; n < 5; n += 1) await flow([first, second]);
  t.deepEqual(
    first.seen.filter(({ partition }) => partition !== OTHER),
    [],
    'no record is read before the position is known',
  );

  known.resolve();
  const kept = pending.filter((partition) => first.owned.has(partition));
  await pollUntil('records of kept partitions are read', async () =>
    kept.every((partition) => first.seen.some((one) => textOf(one) === `first of ${partition}`)),
  );
  for (const partition of pending) await append(log, partition, `second of ${partition}`);
  const all = () => [...first.seen, ...second.seen];
  await pollUntil('all partitions continue', async () =>
    pending.every((partition) => all().some((one) => textOf(one) === `second of ${partition}`)),
  );
  for (const partition of pending)
    t.deepEqual(
      all()
        .filter((one) => one.partition === partition)
        .map(({ offset }) => offset - (starts[partition] ?? 0)),
      [0, 1],
      `partition ${partition} is read once, by one member`,
    );
  t.true(moved.length > 0 && kept.length > 0);
});

test.serial('a partition lost while its position is pending is reopened when it returns', async (t) => {
  t.timeout(240_000);
  const { log } = t.context;
  const starts = await endsOf(log);
  const gates: PromiseWithResolvers<void>[] = [];
  const first = await memberOf(t, 'comes-back', {
    position: async (_topic, partition) => {
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      await gate.promise;
      return starts[partition] ?? 0;
    },
  });
  const second = await memberOf(t, 'comes-back', { position: async (_topic, partition) => starts[partition] ?? 0 });
  await pollUntil('both members have half', async () => first.owned.size === 8 && second.owned.size === 8);
  const moved = [...second.owned];
  for (const partition of starts.keys()) await append(log, partition, 'new');
  await pollUntil('the second member reads', async () =>
    moved.every((one) => second.seen.some((it) => it.partition === one)),
  );
  // The first member gets the positions of partitions that now belong to the second one.
  for (const gate of gates.splice(0)) gate.resolve();
  await pollUntil('the member reads the positions of kept partitions again', async () => gates.length === 8);
  t.deepEqual(first.seen, []);
  await second.subscription.stop();
  await pollUntil('the first member has all partitions again', async () => first.owned.size === PARTITIONS);
  await pollUntil('all positions are read', async () => {
    for (const gate of gates.splice(0)) gate.resolve();
    return first.seen.length === PARTITIONS;
  });
  t.deepEqual(
    first.seen.map(({ partition, offset }) => [partition, offset]).toSorted(([a = 0], [b = 0]) => a - b),
    starts.map((start, partition) => [partition, start]),
  );
});

test.serial('a failed read of a position is retried with growing delays', async (t) => {
  t.timeout(180_000);
  const { log } = t.context;
  const starts = await endsOf(log);
  const tries: number[] = [];
  const { seen } = await memberOf(t, 'fails', {
    position: async (_topic, partition) => {
      if (partition !== 0) return starts[partition] ?? 0;
      tries.push(performance.now());
      if (tries.length <= 5) throw new Error('the store is away');
      return starts[0] ?? 0;
    },
  });
  await append(log, 0, 'after all');
  await pollUntil('the partition is read', async () => seen.some((one) => textOf(one) === 'after all'));
  const pauses = tries.slice(1).map((at, n) => at - (tries[n] ?? 0));
  t.is(pauses.length, 5);
  for (const [n, pause_ms] of pauses.entries()) t.true(pause_ms > 45 * 2 ** n, `${pauses}`);
});

test.serial('a rebalance does not wait for slow batches, one after the other', async (t) => {
  t.timeout(240_000);
  const { log } = t.context;
  const starts = await endsOf(log);
  const over = Promise.withResolvers<void>();
  let begun = 0;
  for (const partition of starts.keys()) await append(log, partition, 'slow');
  await memberOf(t, 'slow', {
    position: async (_topic, partition) => starts[partition] ?? 0,
    on_batch: async () => {
      begun += 1;
      await over.promise;
    },
  });
  await pollUntil('the read succeeds', async () => begun > 0);
  const second = memberOf(t, 'slow', { position: async (_topic, partition) => starts[partition] ?? 0 });
  const at_join = begun;
  const { owned } = await second;
  await pollUntil('the second member has its half', async () => owned.size === 8);
  over.resolve();
  t.true(begun - at_join < 8, `it began ${begun - at_join} batches while the group rebalanced`);
});

test.serial('a reopened partition continues while another one is not open yet', async (t) => {
  t.timeout(180_000);
  const { log } = t.context;
  const starts = await endsOf(log);
  const opened = Promise.withResolvers<void>();
  const seen: number[] = [];
  let opens = 0;
  const records = { log, decode: async () => ({ tag: 'record', record: null }) } as unknown as RecordLog;
  const starting = startProcessor<null, { readonly start: number; readonly process: () => Promise<void> }>({
    ...{ records, logger, clock: SYSTEM_CLOCK, group: 'reopens', topic: TOPIC, unknown: 'stop', concurrency: 2 },
    accept: () => right(null),
    open: async ({ partition, lost }) => {
      if (partition !== OTHER) {
        await opened.promise;
        return { start: starts[partition] ?? 0, process: async () => undefined };
      }
      opens += 1;
      const is_first = opens === 1;
      return {
        start: starts[OTHER] ?? 0,
        process: async (_entries?: unknown, batch?: { readonly records: readonly LogRecord[] }) => {
          if (is_first) return lost();
          seen.push(...(batch?.records ?? []).map(({ offset }) => offset));
        },
      };
    },
  });
  await append(log, OTHER, 'taken by another process');
  await pollUntil('the partition is open again', async () => opens === 2);
  await pollUntil('the partition is read again', async () => seen.length > 0);
  await append(log, OTHER, 'goes on');
  await pollUntil('the reader continues', async () => seen.length === 2);
  t.deepEqual(seen, [starts[OTHER] ?? 0, (starts[OTHER] ?? 0) + 1]);
  opened.resolve();
  await (await starting).stop();
});
