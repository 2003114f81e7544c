import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { ClientSession, Collection } from 'mongodb';
import type { CatalogueEvent } from '../../../domain/catalogue/events.ts';
import { type EventLog, type LogRecord, StopPartition } from '../../../platform/event-log/event-log.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { partitionHandlers } from '../../../platform/processor/processor.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../../platform/records/record-log.ts';
import { CheckpointMoved } from '../../../projectors/checkpoint/checkpoint-store.ts';
import type { Projection } from '../../../projectors/checkpoint/projection.ts';
import { createProjectionMetrics } from '../../../projectors/checkpoint/projection-metrics.ts';
import { projectionTasks } from '../../../projectors/checkpoint/projection-task.ts';
import type { CheckpointDocument } from '../../../read-models/checkpoint.ts';
import type { Quarantine } from '../../../read-models/quarantine.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { CATALOGUE } from '../../helpers/record-samples.ts';

const TOPIC = 'catalogue-events';
const [SAMPLE] = CATALOGUE;

const LOG: readonly LogRecord[] = Array.from({ length: 10 }, (_, offset) => ({
  ...{ topic: TOPIC, partition: 0, offset, append_time_ms: offset, key: null, headers: {} },
  value: Buffer.from(String(offset)),
}));

const batchOf = (from: number, to: number) => ({
  ...{ topic: TOPIC, partition: 0, high_watermark: LOG.length },
  records: LOG.slice(from, to),
});

const records = {
  decode: async () => ({ tag: 'record', record: SAMPLE }),
  log: {
    reachableBounds: async () => [{ partition: 0, start: 0, end: LOG.length }],
    read: async (positions: readonly { readonly offset: number }[]) => positions.map(({ offset }) => LOG[offset]),
    committed: async () => new Map(),
  } as unknown as EventLog,
} as unknown as RecordLog;

type Move = {
  readonly updateOne: {
    readonly filter: Pick<CheckpointDocument, '_id' | 'next' | 'chain'>;
    readonly update: { readonly $set: Partial<CheckpointDocument> };
  };
};
type Update = { readonly $setOnInsert?: Omit<CheckpointDocument, '_id'>; readonly $max?: { readonly target: number } };

/** One store of several processes, with only checkpoints. It runs one transaction at a time. */
const sharedStore = () => {
  const documents = new Map<number, CheckpointDocument>();
  const faults = { reads: 0 };
  const checkpoints = {
    findOne: async ({ _id }: { readonly _id: number }) => {
      if (faults.reads > 0) {
        faults.reads -= 1;
        throw new Error('the store does not answer');
      }
      return documents.get(_id) ?? null;
    },
    updateOne: async ({ _id }: { readonly _id: number }, { $setOnInsert, $max }: Update) => {
      const found = documents.get(_id);
      if (found === undefined && $setOnInsert !== undefined) documents.set(_id, { _id, ...$setOnInsert });
      if (found !== undefined && $max !== undefined)
        documents.set(_id, { ...found, target: Math.max(found.target ?? 0, $max.target) });
    },
    bulkWrite: async (moves: readonly Move[]) => {
      let matchedCount = 0;
      for (const { updateOne } of moves) {
        const { _id, next, chain } = updateOne.filter;
        const found = documents.get(_id);
        if (found === undefined || found.next !== next || found.chain !== chain) continue;
        documents.set(_id, { ...found, ...updateOne.update.$set });
        matchedCount += 1;
      }
      return { matchedCount };
    },
  } as unknown as Collection<CheckpointDocument>;
  return { documents, faults, checkpoints };
};

/** One projector. It does not learn that the group assigned its partition to another one. */
const projectorOn = ({ checkpoints }: ReturnType<typeof sharedStore>) => {
  const steered: string[] = [];
  const folded: number[] = [];
  const projection: Projection<CatalogueEvent, null> = {
    ...{ topic: TOPIC, checkpoints },
    accept: (record) => E.right(record as CatalogueEvent),
    begin: async (_partition, next) => ({ begin: next, publishedUntil: next }),
    repeat: async () => undefined,
    load: async () => (run) => ({ after: null, passed: run.entries.length, stop: null }),
    writes: () => [],
    committed: async () => undefined,
  };
  const deps = {
    records,
    store: {
      transaction: async <A>(work: (session: ClientSession) => Promise<A>) => await work({} as ClientSession),
    } as ReadStore,
    quarantine: { collectionName: 'quarantine' } as Quarantine,
    metrics: {
      ...createProjectionMetrics(createMetrics('test'))(1),
      committed: (_topic: string, _partition: number, passed: readonly { readonly record: LogRecord }[]) =>
        void folded.push(...passed.map(({ record }) => record.offset)),
    },
    logger: createLogger('test', 'silent'),
    clock: {
      ...SYSTEM_CLOCK,
      sleep: (_ms: number, signal?: AbortSignal) => SYSTEM_CLOCK.sleep(1, signal),
    },
  };
  const handlers = partitionHandlers({
    ...{ ...deps, group: 'projectors', topic: TOPIC, accept: projection.accept, unknown: 'stop' },
    open: projectionTasks(projection, deps, 'projectors'),
  });
  handlers.attach({
    pause: (_topic, partition) => steered.push(`pause ${partition}`),
    resume: (_topic, partition) => steered.push(`resume ${partition}`),
    seek: (_topic, partition, offset) => steered.push(`seek ${partition} to ${offset}`),
    stopPartition: (_topic, partition, reason) => steered.push(`stop ${partition}: ${reason}`),
    handOver: (_topic, partition) => steered.push(`hand over ${partition}`),
    restartPartition: (_topic, partition, offset) => steered.push(`restart ${partition} at ${offset}`),
  });
  return { handlers, steered, folded };
};

/** Two projectors that both own the partition for a moment, as during a rebalance. */
const overlap = async () => {
  const store = sharedStore();
  const [first, second] = [projectorOn(store), projectorOn(store)];
  for (const { handlers } of [first, second]) await handlers.position(TOPIC, 0);
  return { store, first, second };
};

const untilSought = (steered: readonly string[]) =>
  pollUntil('the partition is open again', async () => steered.some((line) => line.startsWith('resume')));

test('an owner whose checkpoint moved continues at the moved checkpoint', async (t) => {
  const { store, first, second } = await overlap();
  await first.handlers.on_batch(batchOf(0, 4));
  await second.handlers.on_batch(batchOf(0, 3));
  t.deepEqual(second.folded, [], 'the second projector commits nothing');
  await untilSought(second.steered);
  t.deepEqual(second.steered, ['pause 0', 'seek 0 to 4', 'resume 0']);
  await second.handlers.on_batch(batchOf(4, 6));
  t.deepEqual(
    [first.folded, second.folded],
    [
      [0, 1, 2, 3],
      [4, 5],
    ],
  );
  t.is(store.documents.get(0)?.next, 6);
});

test('a former owner whose partition is revoked in time does not open it again', async (t) => {
  const { first, second } = await overlap();
  await first.handlers.on_batch(batchOf(0, 4));
  await second.handlers.on_batch(batchOf(0, 3));
  await second.handlers.release([0]);
  t.deepEqual(second.steered, ['pause 0']);
  t.is(second.handlers.tasks().size, 0);
});

test('an outage of the store delays only the reopening of a moved partition', async (t) => {
  const { store, first, second } = await overlap();
  await first.handlers.on_batch(batchOf(0, 4));
  store.faults.reads = 3;
  await second.handlers.on_batch(batchOf(0, 3));
  await untilSought(second.steered);
  t.true(second.steered.includes('seek 0 to 4'));
});

test('a partition whose generation was closed stops with the reason', async (t) => {
  const { store, second } = await overlap();
  const { next = 0, chain = '', ...rest } = store.documents.get(0) ?? { _id: 0, chain_before: '' };
  store.documents.set(0, { ...rest, next: -1, chain: 'closed', closed: { next, chain } });
  const stop = await t.throwsAsync(second.handlers.on_batch(batchOf(0, 3)), { instanceOf: StopPartition });
  t.is(stop?.message, 'another generation of this read model serves now');
});

test('readers wait for a restored partition until it is folded again', async (t) => {
  const { store, first } = await overlap();
  const backup = store.documents.get(0);
  await first.handlers.on_batch(batchOf(0, 4));
  if (backup !== undefined) store.documents.set(0, { ...backup, target: 1 });
  await first.handlers.on_batch(batchOf(4, 6));
  await untilSought(first.steered);
  t.deepEqual(first.steered, ['pause 0', 'seek 0 to 0', 'resume 0']);
  t.is(store.documents.get(0)?.target, 4);
});

test('a projector ends if the store lost its checkpoint', async (t) => {
  const { store, first } = await overlap();
  store.documents.clear();
  await t.throwsAsync(first.handlers.on_batch(batchOf(0, 4)), { instanceOf: CheckpointMoved });
});
