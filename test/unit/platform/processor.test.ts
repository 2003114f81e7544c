import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import { type LogRecord, type RecordBatch, StopPartition } from '../../../platform/event-log/event-log.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { AssignedPartition, PartitionTask, ProcessorOptions } from '../../../platform/processor/partition-task.ts';
import { partitionHandlers } from '../../../platform/processor/processor.ts';
import type { Decoded, RecordLog } from '../../../platform/records/record-log.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';

const TOPIC = 'catalogue-events';
const [SAMPLE] = CATALOGUE;

const recordAt = (offset: number, value = 'event'): LogRecord => ({
  ...{ topic: TOPIC, partition: 0, offset, append_time_ms: offset, key: null, headers: {} },
  value: Buffer.from(value),
});
const batchOf = (from: number, ...values: readonly string[]): RecordBatch => ({
  ...{ topic: TOPIC, partition: 0, high_watermark: 100 },
  records: values.map((value, i) => recordAt(from + i, value)),
});

/** Decodes the bytes of these tests by their text. */
const decode = async (value: Buffer | null): Promise<Decoded> => {
  const tag = value?.toString();
  if (tag === 'lacking') return { tag: 'unknown', may_pass: true, reason: 'its schema is lacking' };
  if (tag === 'poison' || tag === 'unknown') return { tag, reason: `${tag} it is` };
  if (SAMPLE === undefined) throw new Error('no sample');
  return { tag: 'record', record: SAMPLE };
};

type Task = PartitionTask<CatalogueEvent> & { readonly assigned: AssignedPartition };

type Options = Partial<ProcessorOptions<CatalogueEvent, Task>>;

/** Handlers of one topic; each task starts where the former one ended, and records the processed offsets. */
const world = (options: Options = {}) => {
  const processed: number[] = [];
  const steered: string[] = [];
  const stopped: number[] = [];
  let position = 0;
  const handlers = partitionHandlers<CatalogueEvent, Task>({
    records: { decode } as RecordLog,
    group: 'tested',
    topic: TOPIC,
    accept: (record) => E.right(record as CatalogueEvent),
    unknown: 'stop',
    open: async (assigned) => ({
      assigned,
      start: position,
      process: async (entries) => {
        for (const { record } of entries) {
          processed.push(record.offset);
          position = record.offset + 1;
        }
      },
    }),
    on_stopped: (partition) => stopped.push(partition),
    logger: createLogger('test', 'silent'),
    clock: { ...SYSTEM_CLOCK, sleep: (_ms, signal) => SYSTEM_CLOCK.sleep(1, signal) },
    ...options,
  });
  handlers.attach({
    pause: (_topic, partition) => steered.push(`pause ${partition}`),
    resume: (_topic, partition) => steered.push(`resume ${partition}`),
    seek: (_topic, partition, offset) => steered.push(`seek ${partition} to ${offset}`),
    stopPartition: (_topic, partition, reason) => steered.push(`stop ${partition}: ${reason}`),
    handOver: (_topic, partition) => steered.push(`hand over ${partition}`),
    restartPartition: (_topic, partition, offset) => steered.push(`restart ${partition} at ${offset}`),
  });
  const task = (): Task => {
    const open = handlers.tasks().get(0);
    if (open === undefined) throw new Error('the partition is not open');
    return open;
  };
  return { handlers, processed, steered, stopped, task };
};

test('a partition kept through a rebalance keeps its task and its position', async (t) => {
  const { handlers, processed, task } = world();
  t.is(await handlers.position(TOPIC, 0), 0);
  const before = task();
  await handlers.on_batch(batchOf(0, 'event', 'event'));
  t.is(await handlers.position(TOPIC, 0), 2);
  t.is(task(), before);
  t.deepEqual(processed, [0, 1]);
});

test('a rebalance waits for the current batch, so that no record is processed twice', async (t) => {
  const gate = Promise.withResolvers<void>();
  const { handlers } = world({
    open: async (assigned) => ({ assigned, start: 0, process: () => gate.promise }),
  });
  await handlers.position(TOPIC, 0);
  const working = handlers.on_batch(batchOf(0, 'event'));
  const position = handlers.position(TOPIC, 0);
  gate.resolve();
  t.is(await position, 1);
  await working;
});

test('a batch that starts at another offset is an error', async (t) => {
  const { handlers } = world();
  await handlers.position(TOPIC, 0);
  await t.throwsAsync(handlers.on_batch(batchOf(3, 'event')), { message: /begins at 3 instead of 0/ });
});

test('poison is skipped; a record for newer code stops the partition before it', async (t) => {
  const { handlers, processed, stopped } = world();
  await handlers.position(TOPIC, 0);
  const stop = await t.throwsAsync(handlers.on_batch(batchOf(0, 'event', 'poison', 'unknown', 'event')), {
    instanceOf: StopPartition,
  });
  t.is(stop?.message, `${TOPIC}/0/2: unknown it is`);
  t.deepEqual(processed, [0, 1]);
  t.deepEqual(stopped, [0]);
});

const untilRestored = (options: Options = {}) => {
  const registry = { restored: false };
  const restarted: number[] = [];
  const decodable = async (value: Buffer | null): Promise<Decoded> =>
    registry.restored && value?.toString() === 'lacking' ? await decode(Buffer.from('event')) : await decode(value);
  const made = world({
    records: { decode: decodable } as RecordLog,
    clock: { ...SYSTEM_CLOCK, every: (_ms, run) => SYSTEM_CLOCK.every(1, run) },
    on_restarted: (partition) => restarted.push(partition),
    ...options,
  });
  return { ...made, registry, restarted };
};

test('a partition stopped by a missing schema resumes once the registry has it', async (t) => {
  const { handlers, processed, steered, registry, restarted } = untilRestored();
  await handlers.position(TOPIC, 0);
  await t.throwsAsync(handlers.on_batch(batchOf(0, 'event', 'lacking', 'event')), { instanceOf: StopPartition });
  registry.restored = true;
  await pollUntil('the partition continues', async () => steered.length > 0);
  t.deepEqual(steered, ['restart 0 at 1']);
  t.deepEqual(restarted, [0]);
  await handlers.on_batch(batchOf(1, 'lacking', 'event'));
  t.deepEqual(processed, [0, 1, 2], 'each record once, in order');
});

test('a stopped partition is reported, retried on request, and forgotten on revocation', async (t) => {
  const told: unknown[] = [];
  const board = { asked: false, forgotten: 0 };
  const { handlers, steered } = untilRestored({
    stops: {
      report: async (stop) => {
        told.push(stop);
        return board.asked;
      },
      forget: async () => {
        board.forgotten += 1;
      },
    },
  });
  await handlers.position(TOPIC, 0);
  const stopped = { instanceOf: StopPartition };
  await t.throwsAsync(handlers.on_batch(batchOf(0, 'event', 'lacking')), stopped);
  const reason = `${TOPIC}/0/1: its schema is lacking`;
  t.deepEqual(told[0], { group: 'tested', topic: TOPIC, partition: 0, offset: 1, reason });
  t.deepEqual(steered, []);
  board.asked = true;
  await pollUntil('the open is retried', async () => steered.length > 0);
  t.deepEqual(steered, ['restart 0 at 1']);
  t.is(board.forgotten, 1);

  board.asked = false;
  await t.throwsAsync(handlers.on_batch(batchOf(1, 'lacking')), stopped);
  await handlers.release([0]);
  t.is(board.forgotten, 2);
});

test('a partition that needs newer code is handed over to a capable process', async (t) => {
  const { handlers, steered } = world();
  await handlers.position(TOPIC, 0);
  await t.throwsAsync(handlers.on_batch(batchOf(0, 'event', 'unknown')), { instanceOf: StopPartition });
  t.deepEqual(steered, ['hand over 0']);
});

test('unknown records count as poison where a processor skips them', async (t) => {
  const { handlers, processed } = world({ unknown: 'skip' });
  await handlers.position(TOPIC, 0);
  await handlers.on_batch(batchOf(0, 'unknown', 'event'));
  t.deepEqual(processed, [0, 1]);
});

test('a partition is opened again until it succeeds, unless it must stop', async (t) => {
  let tries = 0;
  const flaky = world({
    open: async (assigned) => {
      tries += 1;
      if (tries < 3) throw new Error('the store is away');
      return { assigned, start: 7, process: async () => undefined };
    },
  });
  t.is(await flaky.handlers.position(TOPIC, 0), 7);
  const closed = world({
    open: async () => {
      throw new StopPartition('records are missing');
    },
  });
  await t.throwsAsync(closed.handlers.position(TOPIC, 0), { instanceOf: StopPartition });
  t.deepEqual(closed.stopped, [0]);
});

test('a partition pauses above its limit of unfinished work and resumes at half', async (t) => {
  const { handlers, steered, task } = world({ most_unfinished: 4 });
  await handlers.position(TOPIC, 0);
  const { assigned } = task();
  assigned.begin(5);
  await handlers.on_batch(batchOf(0, 'event'));
  t.deepEqual(steered, ['pause 0']);
  assigned.finish(2);
  t.deepEqual(steered, ['pause 0']);
  assigned.finish(1);
  t.deepEqual(steered, ['pause 0', 'resume 0']);
});

test('a revoked partition aborts its task, waits for its batch and drops late ones', async (t) => {
  const [gate, begun] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { handlers, task } = world({
    open: async (assigned) => ({
      assigned,
      start: 0,
      process: async () => {
        begun.resolve();
        await gate.promise;
        assigned.signal.throwIfAborted();
      },
    }),
  });
  await handlers.position(TOPIC, 0);
  const { signal } = task().assigned;
  const working = handlers.on_batch(batchOf(0, 'event'));
  await begun.promise;
  let released = false;
  const releasing = handlers.release([0]).then(() => {
    released = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  t.true(signal.aborted);
  t.false(released);
  gate.resolve();
  await Promise.all([releasing, working]);
  await handlers.on_batch(batchOf(1, 'event'));
  t.is(handlers.tasks().size, 0);
});

test('a rejection ends the process, unless the partition is revoked', async (t) => {
  const { handlers } = world({
    open: async (assigned) => ({ assigned, start: 0, process: () => Promise.reject(new RangeError('a fault')) }),
  });
  await handlers.position(TOPIC, 0);
  await t.throwsAsync(handlers.on_batch(batchOf(0, 'event')), { instanceOf: RangeError });
});

test('a partition taken by another process reopens at the stored position', async (t) => {
  let start = 0;
  const { handlers, steered, task } = world({
    open: async (assigned) => ({ assigned, start, process: async () => undefined }),
  });
  await handlers.position(TOPIC, 0);
  const { assigned } = task();
  start = 40;
  assigned.lost();
  t.true(assigned.signal.aborted);
  assigned.lost();
  await handlers.on_batch(batchOf(0, 'event'));
  await pollUntil('the partition is open again', async () => steered.includes('resume 0'));
  t.deepEqual(steered, ['pause 0', 'seek 0 to 40', 'resume 0']);
  await handlers.on_batch(batchOf(40, 'event'));
  t.is(await handlers.position(TOPIC, 0), 41);
});

test('a lost partition that is then revoked is not opened again', async (t) => {
  let opened = 0;
  const { handlers, steered, task } = world({
    open: async (assigned) => {
      opened += 1;
      return { assigned, start: 0, process: async () => undefined };
    },
    clock: SYSTEM_CLOCK,
  });
  await handlers.position(TOPIC, 0);
  task().assigned.lost();
  await handlers.release([0]);
  t.is(await handlers.position(TOPIC, 0), 0);
  t.is(opened, 2);
  t.deepEqual(steered, ['pause 0']);
});

test('a rebalance that keeps a lost partition waits until it is open again', async (t) => {
  const { handlers, steered, task } = world();
  await handlers.position(TOPIC, 0);
  task().assigned.lost();
  t.is(await handlers.position(TOPIC, 0), 0);
  t.deepEqual(steered, ['pause 0', 'seek 0 to 0', 'resume 0']);
  await handlers.on_batch(batchOf(0, 'event'));
});

test('a lost partition that must stop is stopped', async (t) => {
  let opened = 0;
  const { handlers, steered, stopped, task } = world({
    open: async (assigned) => {
      opened += 1;
      if (opened > 1) throw new StopPartition('records are missing');
      return { assigned, start: 0, process: async () => undefined };
    },
  });
  await handlers.position(TOPIC, 0);
  task().assigned.lost();
  await pollUntil('the partition is stopped', async () => stopped.length > 0);
  t.deepEqual(steered, ['pause 0', 'stop 0: records are missing']);
});

test('a stopping processor reads no positions, and ends partitions that are opening', async (t) => {
  const { handlers } = world({ open: () => new Promise(() => undefined) });
  const position = handlers.position(TOPIC, 0);
  await handlers.end();
  t.is(await position, 0);
  t.is(await handlers.position(TOPIC, 1), 0);
});

test('a kept partition is verified, and stopped if the log differs', async (t) => {
  const faults = [new Error('Kafka is away'), null, new StopPartition('record 3 is not the one that was folded')];
  const { handlers, stopped } = world({
    open: async (assigned) => ({
      assigned,
      start: 0,
      process: async () => undefined,
      verify: async () => {
        const fault = faults.shift();
        if (fault != null) throw fault;
      },
    }),
  });
  await handlers.position(TOPIC, 0);
  t.is(await handlers.position(TOPIC, 0), 0);
  await t.throwsAsync(handlers.position(TOPIC, 0), { instanceOf: StopPartition });
  t.deepEqual(stopped, [0]);
});

test('a rebalance waits briefly for a kept partition, then reopens it', async (t) => {
  let opened = 0;
  const { handlers } = world({
    open: async (assigned) => {
      opened += 1;
      const aborted = new Promise<void>((resolve) => assigned.signal.addEventListener('abort', () => resolve()));
      return { assigned, start: 0, process: () => aborted };
    },
    clock: { ...SYSTEM_CLOCK, after: (_ms, run) => SYSTEM_CLOCK.after(1, run) },
  });
  await handlers.position(TOPIC, 0);
  const working = handlers.on_batch(batchOf(0, 'event'));
  t.is(await handlers.position(TOPIC, 0), 0);
  await working;
  t.is(opened, 2);
});

test('records may be missing only in a topic with limited retention', async (t) => {
  const { handlers, processed } = world({ topic: 'worker-heartbeats' });
  await handlers.position('worker-heartbeats', 0);
  await handlers.on_batch(batchOf(3, 'event'));
  t.deepEqual(processed, [3]);
  await t.throwsAsync(handlers.on_batch(batchOf(2, 'event')), { message: /begins at 2 instead of 4/ });
});

test('a partition that is revoked while its stop waits is not stopped here', async (t) => {
  const [idle, waits] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { handlers, stopped } = world({
    open: async (assigned) => ({
      assigned,
      start: 0,
      process: async () => undefined,
      idle: () => {
        waits.resolve();
        return idle.promise;
      },
    }),
  });
  await handlers.position(TOPIC, 0);
  const working = handlers.on_batch(batchOf(0, 'unknown'));
  await waits.promise;
  const releasing = handlers.release([0]);
  idle.resolve();
  await Promise.all([working, releasing]);
  t.deepEqual(stopped, []);
});

test('a new task opens once the former one is idle', async (t) => {
  const idle = Promise.withResolvers<void>();
  let opened = 0;
  const { handlers, task } = world({
    open: async (assigned) => {
      opened += 1;
      return { assigned, start: 0, process: async () => undefined, idle: () => idle.promise };
    },
  });
  await handlers.position(TOPIC, 0);
  task().assigned.lost();
  const opening = handlers.release([0]).then(() => handlers.position(TOPIC, 0));
  await new Promise((resolve) => setImmediate(resolve));
  t.is(opened, 1);
  idle.resolve();
  await opening;
  t.is(opened, 2);
});
