import * as E from 'fp-ts/lib/Either.js';
import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { PartitionTask } from '../../platform/processor/partition-task.ts';
import { startProcessor } from '../../platform/processor/processor.ts';
import { createOffsetTracker, type OffsetTracker } from '../../platform/processor/progress.ts';
import type { ConsumerPositions } from '../../platform/read-store/consumer-positions.ts';
import type { StoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { AnyRecord } from '../../schemas/any-record.ts';

const SAVE_EVERY_MS = 1_000;
const PARTITIONS_AT_ONCE = 4;
/** Waiting and running jobs of one partition. Above this limit the partition pauses. */
const MAX_UNFINISHED = 2_000;

/**
 * The record's offset is unfinished until `run` resolves. A rejection crashes the process unless its signal has
 * aborted.
 */
export type Job = {
  readonly account_id: string;
  readonly run: (signal: AbortSignal) => Promise<void>;
};

export type JobConsumerOptions = {
  readonly records: RecordLog;
  readonly group: string;
  readonly topic: Topic;
  readonly positions: ConsumerPositions;
  readonly stops?: StoppedPartitions;
  readonly queue: {
    readonly add: (queued: { readonly account_id: string; readonly run: () => Promise<void> }) => void;
  };
  readonly jobOf: (record: AnyRecord, source: LogRecord) => Job | null;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly crash: (error: unknown) => void;
};

export type JobConsumer = {
  readonly stop: () => Promise<void>;
  readonly lag: () => Promise<number>;
  readonly owned: () => ReadonlyMap<number, AbortSignal>;
};

type JobTask = PartitionTask<AnyRecord> & {
  readonly partition: number;
  readonly progress: OffsetTracker;
  readonly signal: AbortSignal;
  saved: number;
};

/**
 * Does not wait for jobs: the stored position is the lowest unfinished offset, so the next owner repeats running jobs.
 */
export const startJobConsumer = async (options: JobConsumerOptions): Promise<JobConsumer> => {
  const { topic, positions, queue, logger, clock } = options;
  const warn = throttledWarn(logger);

  const processor = await startProcessor<AnyRecord, JobTask>({
    ...options,
    concurrency: PARTITIONS_AT_ONCE,
    accept: (record) => E.right(record),
    unknown: 'stop',
    most_unfinished: MAX_UNFINISHED,
    open: async ({ partition, signal, begin, finish }) => {
      const start = await positions.load(topic, partition);
      const progress = createOffsetTracker(start);

      const add = (offset: number, { account_id, run }: Job): void => {
        begin(1);
        queue.add({
          account_id,
          run: async () => {
            // The partition was revoked: its new owner runs the job.
            if (signal.aborted) return;
            try {
              await run(signal);
              progress.finish(offset);
              finish(1);
            } catch (error) {
              if (!signal.aborted) options.crash(error);
            }
          },
        });
      };

      const jobIn = (record: AnyRecord, source: LogRecord): Job | null => {
        try {
          return options.jobOf(record, source);
        } catch (error) {
          const { offset } = source;
          logger.error({ topic, partition, offset, error }, 'skipped a record because of an exception');
          return null;
        }
      };

      return {
        ...{ partition, start, progress, signal, saved: start },
        process: async (entries) => {
          for (const entry of entries) {
            const { offset } = entry.record;
            progress.begin(offset);
            const job = entry.tag === 'event' ? jobIn(entry.event, entry.record) : null;
            if (job === null) progress.finish(offset);
            else add(offset, job);
          }
        },
      };
    },
  });

  const save = async (task: JobTask): Promise<void> => {
    const next = task.progress.next();
    if (next <= task.saved) return;
    await positions.save(topic, task.partition, next);
    task.saved = next;
  };
  let saving: Promise<void> = Promise.resolve();
  const saveAll = (): Promise<void> => {
    saving = saving
      .then(async () => {
        for (const task of processor.tasks().values()) await save(task);
      })
      // The next save includes this position. Until then a restart only repeats some jobs.
      .catch((error: unknown) => warn({ error }, 'the position could not be saved'));
    return saving;
  };
  const endSaving = clock.every(SAVE_EVERY_MS, () => void saveAll());

  return {
    lag: processor.lag,
    owned: () => new Map(Array.from(processor.tasks(), ([partition, { signal }]) => [partition, signal])),
    stop: async () => {
      endSaving();
      await saveAll();
      await processor.stop();
    },
  };
};
