import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { MAX_BATCH_BYTES } from '../../../platform/appender/append-queue.ts';
import type { Appended, AppendFault, BatchRequest } from '../../../platform/event-log/event-log.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { type Clock, SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import type { BatchLog } from '../../../platform/records/append-first.ts';
import { createProjectionMetrics } from '../../../projectors/checkpoint/projection-metrics.ts';
import { foldBatch } from '../../../projectors/render/fold-batch.ts';
import { createStatusPublisher, type PublishStatus } from '../../../projectors/render/publish.ts';
import { createRenderMetrics } from '../../../projectors/render/render-metrics.ts';
import type { StatusToPublish } from '../../../projectors/render/status-record.ts';
import { batchEntries } from '../../helpers/batch-entries.ts';
import { sumOf } from '../../helpers/metrics.ts';
import { interleaved } from '../../helpers/render-log.ts';
import { runs } from '../../helpers/runs.ts';

const PARTITION = 2;
const NEVER = new AbortController().signal;
const STATUS: readonly StatusToPublish[] = foldBatch(
  new Map(),
  batchEntries(interleaved(Array.from({ length: 30 }, (_, i) => `rend_${i}`))),
).after.status;
const OFFSETS = STATUS.map(({ record }) => record.source_offset);

const CLOCK: Clock = { ...SYSTEM_CLOCK, sleep: async (_ms, signal) => signal?.throwIfAborted() };

type Outcome = E.Either<AppendFault, readonly Appended[]>;

const UNKNOWN: Outcome = E.left({ tag: 'outcome_unknown', message: 'no answer' });
const REFUSED: Outcome = E.left({ tag: 'not_appended', message: 'no broker' });
const TOO_LARGE: Outcome = E.left({ tag: 'not_appended', message: 'too large', too_large: true });

const placesOf = (batch: BatchRequest): Outcome =>
  E.right(batch.records.map((_, i) => ({ partition: batch.partition, offset: i, append_time_ms: 1 })));

const offsetsOf = ({ records }: BatchRequest): readonly number[] =>
  records.map(({ value }) => Number.parseInt(value.toString(), 10));

/** A publisher whose records consist of their `source_offset` and padding. */
const publisher = (appendBatch: BatchLog['log']['appendBatch'], clock = CLOCK, record_bytes = 100) => {
  const registry = createMetrics('test');
  const records: BatchLog = {
    encode: async (_topic, record) => {
      if (record.type !== 'RenderFactAccepted') throw new Error(`${record.type} is not published`);
      return E.right(Buffer.from(String(record.source_offset).padEnd(record_bytes)));
    },
    log: { appendBatch },
  };
  const metrics = { projection: createProjectionMetrics(registry)(1), renders: createRenderMetrics(registry) };
  const publish = createStatusPublisher(records, 'render-status', metrics, createLogger('test', 'silent'), clock);
  return { publish, figures: async () => await registry.metrics() };
};

/** Returns these outcomes and then successes, and records the requests. */
const answering = (...outcomes: readonly Outcome[]) => {
  const asked: BatchRequest[] = [];
  const rest = [...outcomes];
  const appendBatch = async (batch: BatchRequest): Promise<Outcome> => {
    asked.push(batch);
    return rest.shift() ?? placesOf(batch);
  };
  return { asked, appendBatch };
};

test('a run is one ordered record batch with keys and traces', async (t) => {
  const { asked, appendBatch } = answering();
  const { publish, figures } = publisher(appendBatch);
  const traced = STATUS.map((status, i) => ({ ...status, headers: { traceparent: `00-${i}` } }));
  await publish(PARTITION, traced, NEVER);
  t.is(asked.length, 1);
  t.like(asked[0], { topic: 'render-status', partition: PARTITION });
  t.deepEqual(asked.flatMap(offsetsOf), OFFSETS);
  t.deepEqual(
    asked[0]?.records.map(({ key, headers }) => ({ key, headers })),
    traced.map(({ record, headers }) => ({ key: record.render_id, headers })),
  );
  t.is(sumOf(await figures(), 'projection_published_total'), STATUS.length);
});

test('a single record is sent at once', async (t) => {
  const { asked, appendBatch } = answering();
  const still: Clock = { ...SYSTEM_CLOCK, sleep: async () => t.fail('it waited'), after: () => () => t.fail() };
  await publisher(appendBatch, still).publish(PARTITION, STATUS.slice(0, 1), NEVER);
  t.deepEqual(asked.map(offsetsOf), [OFFSETS.slice(0, 1)]);
  await publisher(appendBatch, still).publish(PARTITION, [], NEVER);
  t.is(asked.length, 1, 'an empty run sends nothing');
});

test('a failed batch is sent again from its first record, and counted once', async (t) => {
  const { asked, appendBatch } = answering(UNKNOWN, REFUSED);
  const { publish, figures } = publisher(appendBatch);
  await publish(PARTITION, STATUS, NEVER);
  t.deepEqual(asked.map(offsetsOf), [OFFSETS, OFFSETS, OFFSETS]);
  const counted = await figures();
  t.is(sumOf(counted, 'projection_publish_failures_total'), 2);
  t.is(sumOf(counted, 'projection_published_total'), STATUS.length);
  t.is(sumOf(counted, 'renders_total'), 30);
});

test('a large run is split, and each part waits for the one before', async (t) => {
  const { asked, appendBatch } = answering(UNKNOWN);
  await publisher(appendBatch, CLOCK, MAX_BATCH_BYTES / 4).publish(PARTITION, STATUS.slice(0, 8), NEVER);
  const parts = [OFFSETS.slice(0, 3), OFFSETS.slice(3, 6), OFFSETS.slice(6, 8)];
  t.deepEqual(asked.map(offsetsOf), [OFFSETS.slice(0, 3), ...parts]);
});

test('a record larger than a batch is sent alone', async (t) => {
  const { asked, appendBatch } = answering();
  await publisher(appendBatch, CLOCK, MAX_BATCH_BYTES + 1).publish(PARTITION, STATUS.slice(0, 3), NEVER);
  t.deepEqual(
    asked.map(offsetsOf),
    OFFSETS.slice(0, 3).map((offset) => [offset]),
  );
});

test('a batch that is too large is halved, and later ones stay that small', async (t) => {
  const { asked, appendBatch } = answering(TOO_LARGE, TOO_LARGE);
  const { publish } = publisher(appendBatch);
  const size = ({ records }: BatchRequest): number => records.length;
  await publish(PARTITION, STATUS.slice(0, 80), NEVER);
  t.deepEqual(asked.slice(0, 3).map(size), [80, 40, 20]);
  await publish(PARTITION, STATUS.slice(80, 120), NEVER);
  t.true(asked.slice(2).every((batch) => size(batch) <= 20));
  t.true(asked.length < 12, 'and no smaller than necessary');
  t.deepEqual(asked.slice(2).flatMap(offsetsOf), OFFSETS.slice(0, 120));
});

test('losing the partition stops before the next batch', async (t) => {
  const held = new AbortController();
  const { asked, appendBatch } = answering();
  const ending = async (batch: BatchRequest): Promise<Outcome> => {
    held.abort();
    return await appendBatch(batch);
  };
  const { publish, figures } = publisher(ending, CLOCK, MAX_BATCH_BYTES / 4);
  await t.throwsAsync(publish(PARTITION, STATUS.slice(0, 8), held.signal), { name: 'AbortError' });
  t.deepEqual(asked.map(offsetsOf), [OFFSETS.slice(0, 3)]);
  t.is(sumOf(await figures(), 'projection_published_total'), 3, 'records that are known to be written are counted');
});

/** The possible outcomes of a batch at a broker. `late`: it writes the batch when no process waits for the answer. */
const FATES = ['written', 'answer lost', 'refused', 'late', 'too large'] as const;

const fates = fc.array(fc.constantFrom(...FATES), { maxLength: 20 });
const holders = fc.array(
  fc.record({ waits: fc.nat({ max: 6 }), killed_after: fc.nat({ max: 8 }), run: fc.integer({ min: 1, max: 40 }) }),
  { minLength: 1, maxLength: 4 },
);

/** A partition of the status topic, as the `source_offset` of each record. */
const partition = (s: fc.Scheduler, given: readonly (typeof FATES)[number][]) => {
  const written: number[] = [];
  const rest = [...given];
  const appendBatch = async (batch: BatchRequest): Promise<Outcome> => {
    await s.schedule(Promise.resolve(), 'a batch arrives');
    const write = (): void => void written.push(...offsetsOf(batch));
    switch (rest.shift() ?? 'written') {
      case 'written':
        write();
        return placesOf(batch);
      case 'answer lost':
        write();
        return UNKNOWN;
      case 'late':
        void s.schedule(Promise.resolve(), 'a batch arrives late').then(write);
        return UNKNOWN;
      case 'too large':
        return TOO_LARGE;
      case 'refused':
        return REFUSED;
    }
  };
  return { written, appendBatch };
};

const publishRest = async (publish: PublishStatus, written: readonly number[], run: number, held: AbortSignal) => {
  const position = written.at(-1) ?? -1;
  const lacking = STATUS.filter(({ record }) => record.source_offset > position);
  for (let begin = 0; begin < lacking.length; begin += run) {
    await publish(PARTITION, lacking.slice(begin, begin + run), held);
  }
};

test('no record is published before all earlier ones, under any owner or failure', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fates, holders, async (s, given, taking) => {
      const { written, appendBatch } = partition(s, given);
      const hold = async ({ waits, killed_after, run }: (typeof taking)[number]): Promise<void> => {
        for (let i = 0; i < waits; i += 1) await s.schedule(Promise.resolve(), 'another waits');
        const held = new AbortController();
        let batches = 0;
        const killed = async (batch: BatchRequest): Promise<Outcome> => {
          batches += 1;
          if (batches > killed_after) held.abort();
          return await appendBatch(batch);
        };
        await publishRest(publisher(killed).publish, written, run, held.signal);
      };
      await s.waitFor(Promise.allSettled(taking.map(hold)));
      await s.waitFor(publishRest(publisher(appendBatch).publish, written, 200, NEVER));
      await s.waitIdle();

      const seen = new Set<number>();
      let complete = 0;
      for (const offset of written) {
        seen.add(offset);
        while (seen.has(OFFSETS[complete] ?? -1)) complete += 1;
        t.true(offset <= (OFFSETS[complete - 1] ?? -1), 'the last record covers all before it');
      }
      const kept = written.filter((offset, i) => offset > Math.max(-1, ...written.slice(0, i)));
      t.deepEqual(kept, OFFSETS, 'a reader that drops records up to its own position');
    }),
    { numRuns: runs(400) },
  );
});
