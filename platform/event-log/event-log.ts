import type { Either } from 'fp-ts/lib/Either.js';

/** One record as the log holds it. `offset` counts from 0 in each partition; `append_time_ms` is the broker's clock. */
export type LogRecord = {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly append_time_ms: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: Readonly<Record<string, string>>;
};

/** Without `partition`, the key decides (murmur2, as the Java client does). */
export type AppendRequest = {
  readonly topic: string;
  readonly partition?: number | undefined;
  readonly key: string;
  readonly value: Buffer;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

/** Records for one partition that are written together. */
export type BatchRequest = {
  readonly topic: string;
  readonly partition: number;
  /** One that may be larger, or several of `MAX_BATCH_BYTES` together at most. */
  readonly records: readonly Pick<AppendRequest, 'key' | 'value' | 'headers'>[];
};

export type Appended = { readonly partition: number; readonly offset: number; readonly append_time_ms: number };

/**
 * `not_appended`: nothing was written, and nothing will be. `outcome_unknown`: it may have been written; whoever
 * appends again must live with finding it twice.
 */
export type AppendFault = {
  readonly tag: 'not_appended' | 'outcome_unknown';
  readonly message: string;
  /** A broker takes no record batch of this size. */
  readonly too_large?: boolean;
};

/** Consecutive records of one partition. `high_watermark` is the next offset to be written when they were fetched. */
export type RecordBatch = {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly LogRecord[];
  readonly high_watermark: number;
};

export type PartitionBounds = {
  readonly partition: number;
  /** Offset of the first record that is still kept. */
  readonly start: number;
  /** The next offset to be written. */
  readonly end: number;
};

export type SubscriptionOptions = {
  readonly group: string;
  readonly topics: readonly string[];
  /** Called once, before the group is joined: `position` and `on_batch` may steer. */
  readonly on_subscription?: (subscription: Subscription) => void;
  /**
   * The offset to begin at. Asked for every assigned partition at every assignment, after `on_assigned`, and again, ever
   * later, where it rejects; `StopPartition` stops the partition. It may take as long as it takes: nothing is read of the
   * partition meanwhile, and no other partition waits. Of one partition it is asked once at a time, so that it must
   * settle when the partition is revoked. The group's committed offsets decide nothing: they are written only so that
   * Kafka's own tools show the lag.
   */
  readonly position: (topic: string, partition: number) => Promise<number>;
  /**
   * Takes the records of one partition, in order: each batch begins exactly where the one before ended. Heartbeats go
   * on while it runs. Throwing `StopPartition` pauses that partition for good and turns readiness red with the
   * reason; anything else thrown ends the process.
   */
  readonly on_batch: (batch: RecordBatch) => Promise<void>;
  /** Partitions that were gained; those kept through a rebalance are not named again. */
  readonly on_assigned?: (topic: string, partitions: readonly number[]) => void;
  /**
   * Partitions that were lost, by a rebalance, an expired session, or `stop`. Where one comes back its position is asked
   * for once this has resolved.
   */
  readonly on_revoked?: (topic: string, partitions: readonly number[]) => Promise<void>;
  /** How many partitions are worked on at once; 1 if left out. */
  readonly concurrency?: number;
};

export type Subscription = {
  /** Waits for the batches under way, then leaves the group. */
  readonly stop: () => Promise<void>;
  /** Records of the assigned partitions that were not yet taken. */
  readonly lag: () => Promise<number>;
  /** No batch of this partition until `resume`; forgotten when the partition is lost. Nothing happens if it is not assigned. */
  readonly pause: (topic: string, partition: number) => void;
  readonly resume: (topic: string, partition: number) => void;
  /** The next batch of this partition begins there. Nothing happens if it is not assigned. */
  readonly seek: (topic: string, partition: number, offset: number) => void;
  /** As if `on_batch` had thrown `StopPartition`. */
  readonly stopPartition: (topic: string, partition: number, reason: string) => void;
  /**
   * This process cannot read on in a partition, and another may: the group is told, and assigns it to such a one, now or
   * when one joins. Said of a partition for the first time it costs the group a rebalance.
   */
  readonly handOver: (topic: string, partition: number) => void;
  /** A stopped partition goes on there. Nothing happens if it is not assigned, or not stopped. */
  readonly restartPartition: (topic: string, partition: number, offset: number) => void;
};

export type EventLog = {
  /** Concurrent appends travel together. Order of records of one partition = order of calls. Never rejects. */
  readonly append: (request: AppendRequest) => Promise<Either<AppendFault, Appended>>;
  /** In this order and in one record batch, so all of them are written or none. Never rejects. */
  readonly appendBatch: (request: BatchRequest) => Promise<Either<AppendFault, readonly Appended[]>>;
  /** Resolves once the group was joined for the first time; waits for Kafka as long as it takes. */
  readonly subscribe: (options: SubscriptionOptions) => Promise<Subscription>;
  /**
   * The same for every partition of the topics, without a consumer group: no other process takes a partition, nothing is
   * committed, and nothing is left behind on the brokers. `group` is then a name for people.
   */
  readonly follow: (options: SubscriptionOptions) => Promise<Subscription>;
  /** Single records, by position, without a consumer group; null where there is none. */
  readonly read: (
    positions: readonly { readonly topic: string; readonly partition: number; readonly offset: number }[],
  ) => Promise<readonly (LogRecord | null)[]>;
  /** Of the brokers' cluster: another one has another log, whatever its topics are called. */
  readonly clusterId: () => Promise<string>;
  /** How many the topic has. */
  readonly partitions: (topic: string) => Promise<number>;
  /** Every partition of the topic, in order of their numbers. Rejects if one of them has no leader for 15 s. */
  readonly bounds: (topic: string) => Promise<readonly PartitionBounds[]>;
  /** The same, without partitions that have no leader now. */
  readonly reachableBounds: (topic: string) => Promise<readonly PartitionBounds[]>;
  /** What a group has committed, by partition; without those of which it has committed nothing. */
  readonly committed: (group: string, topic: string) => Promise<ReadonlyMap<number, number>>;
  /**
   * The offset of the first record that was appended at or after a time, by partition, as the broker's index has it;
   * without partitions that have none.
   */
  readonly offsetsAt: (topic: string, at_ms: number) => Promise<ReadonlyMap<number, number>>;
  /**
   * Records of one partition with from <= offset < to. Throws if some of them are no longer kept.
   *
   * @param fetch_bytes about how many are asked for at once; a megabyte if left out
   */
  readonly replay: (
    topic: string,
    partition: number,
    from: number,
    to: number,
    fetch_bytes?: number,
  ) => AsyncIterable<LogRecord>;
  /** A broker answers, within two seconds. */
  readonly healthy: () => Promise<boolean>;
  readonly close: () => Promise<void>;
};

/** Thrown by `on_batch` or `position`: this partition stops until an operator has looked at it; the others go on. */
export class StopPartition extends Error {
  override readonly name = 'StopPartition';
  /** Another process may go on: what stopped it is of newer code. */
  readonly by_newer_code: boolean;
  constructor(message: string, by_newer_code = false) {
    super(message);
    this.by_newer_code = by_newer_code;
  }
}
