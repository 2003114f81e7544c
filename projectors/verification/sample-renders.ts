import { Counter } from 'prom-client';
import type { RenderEvent } from '../../domain/render/events.ts';
import { isFinal } from '../../domain/render/render.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { EventLog, LogRecord } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Metrics } from '../../platform/metrics/metrics.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { runRepeatedly } from '../../platform/process/repeatedly.ts';
import { type AcceptRecord, decodeBatch } from '../../platform/processor/decode-batch.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { SealOpener } from '../../platform/seals/opener.ts';
import type { DocumentForm } from '../../read-models/embedded/document-form.ts';
import type { RenderDocument } from '../../read-models/renders/documents.ts';
import type { RenderCollections } from '../../read-models/renders/model.ts';
import { lacksName } from '../../read-models/renders/pending-names.ts';
import type { Difference } from './difference.ts';
import { renderDifference } from './render-difference.ts';
import { createRenderFold } from './render-fold.ts';

const EVENTS: Topic = 'render-events';

const EVERY_MS = 10_000;
/** The number of records that a sample draws. Usually only one of them belongs to a render that has ended. */
const DRAWN_AT_ONCE = 4;
/**
 * The maximum number of records that are read in sequence, about a megabyte of the log. If the events of a render span
 * more, they are read one by one by their offsets in the document.
 */
const MAX_SPAN = 1_000;

export type RenderSampleDependencies = {
  readonly records: RecordLog;
  readonly renders: RenderCollections['renders'];
  readonly generation: number;
  readonly form: DocumentForm;
  readonly accept: AcceptRecord<RenderEvent>;
  readonly blobs: Pick<BlobStore, 'getPayload'>;
  readonly seals: SealOpener;
};

/** The render's records in the log. Null if they span too many records and the document does not list all of them. */
const recordsOf = async (log: EventLog, document: RenderDocument): Promise<readonly LogRecord[] | null> => {
  const { _id, partition, offset, facts, ignored_count } = document;
  const key = Buffer.from(_id);
  const first = facts[0]?.offset ?? offset;
  const own: LogRecord[] = [];
  if (first <= offset && offset - first <= MAX_SPAN) {
    for await (const record of log.replay(EVENTS, partition, first, offset + 1))
      if (record.key?.equals(key)) own.push(record);
    return own;
  }
  if (facts.filter(({ verdict }) => verdict === 'ignored').length !== ignored_count) return null;
  const places = facts.map((stored) => ({ topic: EVENTS, partition, offset: stored.offset }));
  for (const record of await log.read(places)) if (record?.key?.equals(key)) own.push(record);
  return own;
};

export type SampleResult = { readonly render_id: string; readonly difference: Difference | null };

export const sampleRenderAt = async (
  { records, renders, generation, form, accept, blobs, seals }: RenderSampleDependencies,
  record: LogRecord,
): Promise<SampleResult | null> => {
  const { partition } = record;
  const render_id = record.key?.toString('utf8');
  if (render_id === undefined) return null;
  const found = await renders.findOne({ _id: render_id }, queryTimeout());
  // A render that is not in the store may be in the quarantine. "renderctl verify" checks that.
  if (found?.render == null || !isFinal(found.render.status)) return null;
  // A render without a name is skipped: the name is filled in later, or was lost with its payload.
  if (lacksName(found)) return null;
  const own = await recordsOf(records.log, { ...found, partition });
  if (own === null) return null;
  const decoded = await Promise.all(own.map(async ({ value }) => await records.decode(value)));
  const { entries, stop } = decodeBatch(own, decoded, accept);
  if (stop !== null) return null;
  const fold = createRenderFold(partition, form);
  fold.add(entries);
  const where = `renders@${generation}/${partition}, render ${render_id}`;
  const [folded] = fold.documents();
  if (folded !== undefined) {
    const difference = await renderDifference(where, folded, found, form, { blobs, seals });
    return { render_id, difference };
  }
  const nothing: Difference = { where, member: null, log: 'nothing', holder: 'store', found: 'that it is there' };
  return { render_id, difference: nothing };
};

export type SampleMetrics = { readonly sampled: (result: 'same' | 'different') => void };

export const createSampleMetrics = (metrics: Metrics): SampleMetrics => {
  const samples = new Counter({
    name: 'read_model_samples_total',
    help: 'Finished renders, picked at random, that were folded again and compared with the store',
    labelNames: ['result'],
    registers: [metrics],
  });
  for (const result of ['same', 'different']) samples.inc({ result }, 0);
  return { sampled: (result) => samples.inc({ result }) };
};

export type SampleRendersDependencies = RenderSampleDependencies & {
  readonly committed: () => ReadonlyMap<number, number>;
  readonly metrics: SampleMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly random: () => number;
};

export const sampleRenders = (parts: SampleRendersDependencies): { readonly stop: () => Promise<void> } => {
  const { records, committed, metrics, logger, clock, random } = parts;
  const warn = throttledWarn(logger);

  const sample = async (): Promise<void> => {
    const partitions = [...committed()].filter(([, next]) => next > 0);
    const [partition, next] = partitions[Math.floor(random() * partitions.length)] ?? [0, 0];
    if (next === 0) return;
    const drawn = Array.from({ length: DRAWN_AT_ONCE }, () => Math.floor(random() * next));
    const places = drawn.map((offset) => ({ topic: EVENTS, partition, offset }));
    for (const record of await records.log.read(places)) {
      const compared = record === null ? null : await sampleRenderAt(parts, record);
      if (compared === null) continue;
      const { render_id, difference } = compared;
      metrics.sampled(difference === null ? 'same' : 'different');
      if (difference !== null)
        logger.error({ render_id, partition, member: difference.member }, 'a render differs from the log');
      return;
    }
  };

  return runRepeatedly(clock, EVERY_MS, sample, (error) => warn({ error }, 'cannot compare a render with the log'));
};
