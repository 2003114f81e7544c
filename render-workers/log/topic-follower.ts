import * as E from 'fp-ts/lib/Either.js';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { type Processor, startProcessor } from '../../platform/processor/processor.ts';
import type { StoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { AnyRecord } from '../../schemas/any-record.ts';

export type DecodedRecord = { readonly record: AnyRecord; readonly source: LogRecord };

type FollowOptions = {
  readonly records: RecordLog;
  readonly group: string;
  readonly topic: Topic;
  readonly from: ReadonlyMap<number, number>;
  /** Looks up the start offset of a partition that `from` lacks, and retries until it succeeds; 0 if omitted. */
  readonly startOf?: (partition: number) => Promise<number>;
  readonly concerns?: (source: LogRecord) => boolean;
  readonly on_records: (records: readonly DecodedRecord[]) => void;
  readonly unknown: 'stop' | 'skip';
  readonly stops?: StoppedPartitions;
  readonly logger: Logger;
  readonly clock: Clock;
};

const PARTITIONS_AT_ONCE = 4;

export const endOffsets = async (records: RecordLog, topic: Topic): Promise<ReadonlyMap<number, number>> =>
  new Map((await records.log.bounds(topic)).map(({ partition, end }) => [partition, end]));

/** Reads without a consumer group. Poison is skipped, because the projector quarantines it. */
export const followTopicFrom = async (options: FollowOptions): Promise<Pick<Processor<unknown>, 'stop'>> => {
  const next = new Map(options.from);
  return await startProcessor({
    ...options,
    reads_all: true,
    concurrency: PARTITIONS_AT_ONCE,
    accept: (record) => E.right(record),
    open: async ({ partition }) => {
      const start = next.get(partition) ?? (await options.startOf?.(partition)) ?? 0;
      next.set(partition, start);
      return {
        start,
        process: async (entries, { records: batch }) => {
          options.on_records(
            entries.flatMap((entry) => (entry.tag === 'event' ? { record: entry.event, source: entry.record } : [])),
          );
          const last = batch.at(-1);
          if (last !== undefined) next.set(partition, last.offset + 1);
        },
      };
    },
  });
};
