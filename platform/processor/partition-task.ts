import type { LogRecord, RecordBatch } from '../event-log/event-log.ts';
import type { Topic } from '../event-log/topics.ts';
import type { Logger } from '../logging/logger.ts';
import type { Clock } from '../process/clock.ts';
import type { StoppedPartitions } from '../read-store/stopped-partitions.ts';
import type { RecordLog } from '../records/record-log.ts';
import type { AcceptRecord, BatchEntry } from './decode-batch.ts';

export type AssignedPartition = {
  readonly partition: number;
  /** Aborts when the partition is revoked, when it is `lost`, and when the processor ends. */
  readonly signal: AbortSignal;
  readonly begin: (count: number) => void;
  readonly finish: (count: number) => void;
  /**
   * Call this if another process has taken the partition, but the group has not revoked it yet. The task is replaced
   * after a second.
   */
  readonly lost: () => void;
};

export type PartitionTask<Event> = {
  readonly start: number;
  /**
   * Calls do not overlap. A `StopPartition` stops this partition. Any other rejection ends the process, unless `signal`
   * has aborted. `entries` is empty if the batch has no record of concern.
   */
  readonly process: (entries: readonly BatchEntry<Event>[], batch: RecordBatch) => Promise<void>;
  /** Called if a rebalance keeps the partition. Throws `StopPartition` if the log is not the one that was processed. */
  readonly verify?: () => Promise<void>;
  /** Resolves when all work that `process` began has ended, so that another task may follow. Never rejects. */
  readonly idle?: () => Promise<void>;
};

export type ProcessorOptions<Event, Task extends PartitionTask<Event>> = {
  readonly records: RecordLog;
  readonly group: string;
  /** Reads every partition, without a consumer group. `group` is only a name in logs and readiness. */
  readonly reads_all?: boolean;
  readonly topic: Topic;
  /** Partitions that are processed concurrently; 1 by default. */
  readonly concurrency?: number;
  /** Other records are skipped undecoded. By default, all records are decoded. */
  readonly concerns?: (record: LogRecord) => boolean;
  readonly accept: AcceptRecord<Event>;
  /** `stop` stops the partition at a record that only newer code can decode. `skip` treats the record as poison. */
  readonly unknown: 'stop' | 'skip';
  /** Retried until it succeeds or throws `StopPartition`. A partition that a rebalance keeps also keeps its task. */
  readonly open: (assigned: AssignedPartition) => Promise<Task>;
  /** A partition with more unfinished work pauses until at most half is left; no limit by default. */
  readonly most_unfinished?: number;
  readonly on_stopped?: (partition: number) => void;
  readonly on_restarted?: (partition: number) => void;
  /** Where operators see stopped partitions, and request a retry. */
  readonly stops?: StoppedPartitions;
  readonly logger: Logger;
  readonly clock: Clock;
};
