import type { Either } from 'fp-ts/lib/Either.js';

/** `offset` counts from 0 in each partition. `append_time_ms` is from the broker's clock. */
export type LogRecord = {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly append_time_ms: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
};

/** Without `partition`, the key determines it (murmur2, as in the Java client). */
export type AppendRequest = {
  readonly topic: string;
  readonly partition?: number | undefined;
  readonly key: string;
  readonly value: Buffer;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

export type BatchRequest = {
  readonly topic: string;
  readonly partition: number;
  /** One record of any size, or several records of at most `MAX_BATCH_BYTES` together. */
  readonly records: readonly Pick<AppendRequest, 'key' | 'value' | 'headers'>[];
};

export type Appended = { readonly partition: number; readonly offset: number; readonly append_time_ms: number };

/** `outcome_unknown`: the record may have been written, so a repeated append may write it twice. */
export type AppendFault = {
  readonly tag: 'not_appended' | 'outcome_unknown';
  readonly message: string;
  /** The brokers accept no record batch of this size. */
  readonly too_large?: boolean;
};

/** Consecutive records of one partition. `high_watermark` was the next offset to be written when they were fetched. */
export type RecordBatch = {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly LogRecord[];
  readonly high_watermark: number;
};

export type PartitionBounds = {
  readonly partition: number;
  /** Offset of the first record that retention has not deleted. */
  readonly start: number;
  readonly end: number;
};

export type SubscriptionOptions = {
  readonly group: string;
  readonly topics: readonly string[];
  /** Called once, before the join, so that `position` and `on_batch` can use the subscription. */
  readonly on_subscription?: (subscription: Subscription) => void;
  /**
   * The offset to begin at. Called for each assigned partition at each assignment, after `on_assigned`. A rejected call
   * is retried with a backoff; `StopPartition` stops the partition. A call must settle when its partition is revoked,
   * because calls for one partition never overlap. Committed offsets only serve Kafka's own tools.
   */
  readonly position: (topic: string, partition: number) => Promise<number>;
  /**
   * Takes the records of one partition in order. Each batch begins exactly where the previous one ended.
   * `StopPartition` stops the partition and fails readiness with the reason. Any other error ends the process.
   */
  readonly on_batch: (batch: RecordBatch) => Promise<void>;
  /** Gained partitions, without those that a rebalance kept. */
  readonly on_assigned?: (topic: string, partitions: readonly number[]) => void;
  /** Lost partitions. If a partition returns, `position` is called after this promise resolves. */
  readonly on_revoked?: (topic: string, partitions: readonly number[]) => Promise<void>;
  /** Partitions that are processed concurrently; 1 by default. */
  readonly concurrency?: number;
};

export type Subscription = {
  /** Waits for batches in process, then leaves the group. */
  readonly stop: () => Promise<void>;
  /** Records of the assigned partitions that `on_batch` has not processed yet. */
  readonly lag: () => Promise<number>;
  /** Delivers no batch of this partition until `resume`, a restart or its loss. No effect if it is not assigned. */
  readonly pause: (topic: string, partition: number) => void;
  readonly resume: (topic: string, partition: number) => void;
  /** The next batch of this partition begins at the offset. No effect if it is not assigned. */
  readonly seek: (topic: string, partition: number, offset: number) => void;
  /** Same effect as `StopPartition` from `on_batch`. */
  readonly stopPartition: (topic: string, partition: number, reason: string) => void;
  /**
   * Reports that this process cannot read the partition. The group assigns it to a member that can, now or when one
   * joins.
   */
  readonly handOver: (topic: string, partition: number) => void;
  /** Restarts a stopped partition at the offset, and ends its pause. No effect if it is not assigned or not stopped. */
  readonly restartPartition: (topic: string, partition: number, offset: number) => void;
};

export type EventLog = {
  /** Concurrent appends share requests. Records of one partition are in the order of the calls. Never rejects. */
  readonly append: (request: AppendRequest) => Promise<Either<AppendFault, Appended>>;
  /** Appends in this order and in one record batch, so either all are written or none. Never rejects. */
  readonly appendBatch: (request: BatchRequest) => Promise<Either<AppendFault, readonly Appended[]>>;
  /** Resolves after the first join. Waits for Kafka without a limit. */
  readonly subscribe: (options: SubscriptionOptions) => Promise<Subscription>;
  /** Subscribes to every partition without a consumer group. `group` is only a name in logs and readiness. */
  readonly follow: (options: SubscriptionOptions) => Promise<Subscription>;
  /** Single records by position, without a consumer group; null for a missing record. */
  readonly read: (
    positions: readonly { readonly topic: string; readonly partition: number; readonly offset: number }[],
  ) => Promise<readonly (LogRecord | null)[]>;
  /** Id of the brokers' cluster. Another cluster has another log, even if its topics have the same names. */
  readonly clusterId: () => Promise<string>;
  readonly partitions: (topic: string) => Promise<number>;
  /** Every partition of the topic, in order. Rejects if one of them has no leader for 15 s. */
  readonly bounds: (topic: string) => Promise<readonly PartitionBounds[]>;
  /** Like `bounds`, without partitions that have no leader now. */
  readonly reachableBounds: (topic: string) => Promise<readonly PartitionBounds[]>;
  /** Committed offsets by partition. Partitions without one are left out. */
  readonly committed: (group: string, topic: string) => Promise<ReadonlyMap<number, number>>;
  /** Looks the offsets up in the broker's index. Partitions without a record at or after the time are left out. */
  readonly offsetsAt: (topic: string, at_ms: number) => Promise<ReadonlyMap<number, number>>;
  /**
   * Records of one partition with from <= offset < to. Throws if retention has deleted some of them.
   * @param fetch_bytes approximate bytes of one fetch; 1 MiB by default
   */
  readonly replay: (
    topic: string,
    partition: number,
    from: number,
    to: number,
    fetch_bytes?: number,
  ) => AsyncIterable<LogRecord>;
  /** Whether a broker answers in time: within 2,000 ms if left out. False at once if all brokers refuse a connection. */
  readonly healthy: (within_ms?: number) => Promise<boolean>;
  readonly close: () => Promise<void>;
};

/** Thrown by `on_batch` or `position`. The partition stops until an operator restarts it; other partitions continue. */
export class StopPartition extends Error {
  override readonly name = 'StopPartition';
  /** Newer code wrote the record, so another process may be able to continue. */
  readonly by_newer_code: boolean;
  constructor(message: string, by_newer_code = false) {
    super(message);
    this.by_newer_code = by_newer_code;
  }
}
