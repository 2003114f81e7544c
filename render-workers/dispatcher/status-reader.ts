import type { Observation } from '../../domain/dispatch/dispatch.ts';
import { traceHeaders } from '../../platform/event-log/trace.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { Processor } from '../../platform/processor/processor.ts';
import type { StoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { lastSourceOffset } from '../../platform/records/render-status.ts';
import type { Headers } from '../log/record-author.ts';
import { type DecodedRecord, followTopicFrom } from '../log/topic-follower.ts';

const TOPIC = 'render-status';

export type RenderObservation = Extract<Observation, { tag: 'render_seen' }>;

export type ObservedStatus = { readonly seen: RenderObservation; readonly trace: Headers };

type StatusReaderDependencies = {
  readonly records: RecordLog;
  readonly stops?: StoppedPartitions;
  readonly logger: Logger;
  readonly clock: Clock;
};

/**
 * Notes the current ends of `render-status`; `start` reads from there. Drops repeated and late records by their
 * `source_offset`.
 * @param onLate called when a partition without a leader gets one: its renders must be read again
 */
export const statusReader = async (
  deps: StatusReaderDependencies,
  group: string,
  onStatus: (read: readonly ObservedStatus[]) => void,
  onLate: (partition: number) => Promise<void>,
): Promise<{
  readonly start: () => Promise<Pick<Processor<unknown>, 'stop'>>;
  /** Last offset of `render-events` that is published, by partition; -1 without one. */
  readonly published: () => ReadonlyMap<number, number>;
}> => {
  const ends = async () =>
    new Map((await deps.records.log.reachableBounds(TOPIC)).map(({ partition, end }) => [partition, end]));
  const from = await ends();
  /** `source_offset` of the last record, by partition. Records at or below it are repeats. */
  const above = new Map<number, number>();
  const note = async (partition: number, end: number): Promise<void> => {
    above.set(partition, await lastSourceOffset(deps.records, partition, end));
  };
  for (const [partition, end] of from) await note(partition, end);

  const startOf = async (partition: number): Promise<number> => {
    const end = (await ends()).get(partition);
    if (end === undefined) throw new Error(`partition ${partition} of ${TOPIC} has no leader`);
    await note(partition, end);
    await onLate(partition);
    return end;
  };

  const fresh = ({ record, source }: DecodedRecord): readonly ObservedStatus[] => {
    if (record.type !== 'RenderFactAccepted') return [];
    if (record.source_offset <= (above.get(source.partition) ?? -1)) return [];
    above.set(source.partition, record.source_offset);
    const { render, source_offset, meta, fact_type, appended_at } = record;
    const event_id = meta.causation_id;
    const lost = fact_type === 'AttemptLost' ? (render.attempts.at(-1)?.id ?? null) : null;
    const seen: RenderObservation = {
      ...{ tag: 'render_seen', render, offset: source_offset, event_id, actor: meta.actor },
      ...(lost === null ? {} : { lost_ago: new Map([[lost, Math.max(0, deps.clock.now() - appended_at)]]) }),
    };
    return [{ seen, trace: traceHeaders(source.headers) }];
  };
  return {
    published: () => new Map(above),
    start: async () =>
      await followTopicFrom({
        ...deps,
        group,
        topic: TOPIC,
        from,
        startOf,
        unknown: 'stop',
        on_records: (batch) => onStatus(batch.flatMap(fresh)),
      }),
  };
};
