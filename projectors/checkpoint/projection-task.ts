import type { Collection } from 'mongodb';
import { type EventLog, StopPartition } from '../../platform/event-log/event-log.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { retry } from '../../platform/process/retry.ts';
import { type BatchEntry, describeRecord } from '../../platform/processor/decode-batch.ts';
import type { AssignedPartition, PartitionTask } from '../../platform/processor/partition-task.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';
import type { Quarantine } from '../../read-models/quarantine.ts';
import { NO_THROTTLE, type Throttle } from '../generations/throttle.ts';
import type { ChainPosition } from './chain.ts';
import { checkpointChainFault, lastFoldedRecord, partitionBounds } from './checkpoint-fault.ts';
import {
  CHECKPOINT_CLOSED_REASON,
  CheckpointMoved,
  createCheckpoint,
  isCheckpointClosed,
  raiseTarget,
} from './checkpoint-store.ts';
import {
  type CommitQueue,
  type CommitResult,
  createCommitQueue,
  MAX_RECORDS_PER_TRANSACTION,
  ReadModelAhead,
} from './commit-queue.ts';
import type { Projection } from './projection.ts';
import type { ProjectionMetrics } from './projection-metrics.ts';

export type ProjectionTaskDependencies = {
  readonly records: RecordLog;
  readonly store: ReadStore;
  readonly quarantine: Quarantine;
  readonly metrics: ProjectionMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
};

export type ProjectionTask<Event> = PartitionTask<Event> & {
  readonly committed: () => number;
  readonly reopen: () => void;
};

const DONE: Promise<void> = Promise.resolve();

/**
 * Checks the last folded record against the log.
 *
 * @param checkpoint must be read before the call, which reads the end of the log: another process may be folding
 */
const faultIn = async (
  log: EventLog,
  topic: string,
  partition: number,
  checkpoint: ChainPosition,
  clock: Clock,
): Promise<string | null> => {
  const bounds = await partitionBounds(log, topic, partition);
  const is_short = bounds.end < checkpoint.next;
  const last = is_short ? null : await lastFoldedRecord(log, topic, partition, checkpoint.next, clock);
  return checkpointChainFault(checkpoint, bounds, last);
};

/**
 * Gives up a partition whose checkpoint has moved. A rebalance moves it before `signal` aborts in two ways, which the
 * process cannot distinguish:
 *
 * - The group has assigned the partition to another process. That process commits before the transaction of this one.
 * - This process is the new owner. It read the checkpoint, and then a transaction of the former owner committed.
 *
 * So the partition is opened again at the stored checkpoint, unless the group revokes it first (ADR 134). A restored
 * backup has an older checkpoint. Readers then wait until the records up to `next` are folded again.
 *
 * @param next of this process
 */
const giveUp = async (
  checkpoints: Collection<CheckpointDocument>,
  { partition, signal, lost }: AssignedPartition,
  next: number,
  { logger, clock }: Pick<ProjectionTaskDependencies, 'logger' | 'clock'>,
): Promise<void> => {
  const onFailure = (error: unknown): void =>
    logger.warn({ partition, error }, 'the moved checkpoint of a partition cannot be read yet');
  const retried = <A>(work: () => Promise<A>): Promise<A> => retry(work, { clock, signal, onFailure });
  const found = await retried(() => checkpoints.findOne({ _id: partition }));
  // The store lost its data. Only a restart of the process creates collections and indexes again.
  if (found === null) return;
  if (found.closed !== undefined) throw new StopPartition(CHECKPOINT_CLOSED_REASON);
  if (found.next < next) await retried(() => raiseTarget(checkpoints, partition, next));
  lost();
};

const foldPartition = <Event, After>(
  projection: Projection<Event, After>,
  { records, metrics, logger, clock }: ProjectionTaskDependencies,
  commits: CommitQueue<Event, After>,
  assigned: AssignedPartition,
  throttle: Throttle,
  from: { readonly begin: number; readonly checkpoint: ChainPosition },
): ProjectionTask<Event> => {
  const { topic, checkpoints } = projection;
  const { partition, signal, lost } = assigned;
  let { checkpoint } = from;
  let consequences = DONE;

  const commit = async (entries: readonly BatchEntry<Event>[]): Promise<CommitResult<After>> => {
    const run = { partition, from: checkpoint, entries, outcome: null };
    try {
      return await commits.put(run, { documents: entries.length, bytes: 0 }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof ReadModelAhead) throw new StopPartition(error.message);
      if (error instanceof CheckpointMoved) await giveUp(checkpoints, assigned, checkpoint.next, { logger, clock });
      throw error;
    }
  };

  /** @returns how many entries were prepared and folded */
  const fold = async (entries: readonly BatchEntry<Event>[]): Promise<number> => {
    const run = (await projection.prepare?.(entries, signal)) ?? entries;
    await throttle.wait(signal);
    const { folded, to } = await commit(run);
    checkpoint = to;
    const passed = run.slice(0, folded.passed);
    metrics.committed(topic, partition, passed, clock.now());
    for (const entry of passed) {
      if (entry.tag === 'event') continue;
      logger.warn({ record: describeRecord(entry.record), reason: entry.reason }, 'a record was quarantined');
    }
    // The next batch is folded while this one is published. Batches are published one after the other.
    await consequences;
    consequences = projection.committed(partition, folded.after, signal);
    consequences.catch((error: unknown) => {
      // Only an abort may end the publishing. Any other error is unhandled and ends the process.
      if (!signal.aborted) throw error;
    });
    if (folded.stop !== null) throw new StopPartition(folded.stop, folded.by_newer_code);
    return run.length;
  };

  return {
    start: from.begin,
    process: async (entries, { records, high_watermark }) => {
      for (let begin = 0; begin < entries.length; ) {
        signal.throwIfAborted();
        const rest = entries.slice(begin, begin + MAX_RECORDS_PER_TRANSACTION);
        const folded = rest.filter(({ record }) => record.offset < checkpoint.next);
        if (folded.length > 0) await projection.repeat(partition, folded, signal);
        begin += folded.length > 0 ? folded.length : await fold(rest);
      }
      const passed = records[entries.length - 1];
      if (passed !== undefined) metrics.lag(topic, partition, high_watermark - (passed.offset + 1));
    },
    verify: async () => {
      const fault = await faultIn(records.log, topic, partition, checkpoint, clock);
      if (fault !== null) throw new StopPartition(fault);
    },
    idle: async () => {
      await commits.idle();
      await consequences.catch(() => undefined);
    },
    committed: () => checkpoint.next,
    reopen: lost,
  };
};

/**
 * The checkpoint in the store is the only position. One transaction writes the documents of a batch and moves the
 * checkpoint. It fails in a process that lost the partition without noticing, and the task then gives the partition up.
 */
export const projectionTasks = <Event, After>(
  projection: Projection<Event, After>,
  deps: ProjectionTaskDependencies,
  group: string,
  throttle: Throttle = NO_THROTTLE,
): ((assigned: AssignedPartition) => Promise<ProjectionTask<Event>>) => {
  const { records, store, quarantine, metrics, logger, clock } = deps;
  const { topic, checkpoints } = projection;
  const commits = createCommitQueue(projection, store, quarantine, clock, (error, runs) => {
    metrics.storeFailed(topic);
    const at = runs.map(({ partition, from }) => `${partition}/${from.next}`);
    logger.warn({ topic, at, error }, 'the store failed; retrying the batches');
  });

  return async (assigned) => {
    const { partition } = assigned;
    const bounds = await partitionBounds(records.log, topic, partition);
    const checkpoint = await createCheckpoint(checkpoints, partition, bounds.end);
    if (await isCheckpointClosed(checkpoints, partition)) throw new StopPartition(CHECKPOINT_CLOSED_REASON);
    const { begin, publishedUntil } = await projection.begin(partition, checkpoint.next);
    const committed = (await records.log.committed(group, topic)).get(partition) ?? 0;
    const target = Math.min(bounds.end, Math.max(publishedUntil, committed));
    if (target > checkpoint.next) await raiseTarget(checkpoints, partition, target);
    const fault = await faultIn(records.log, topic, partition, checkpoint, clock);
    if (fault !== null) throw new StopPartition(fault);
    if (begin < bounds.start) throw new StopPartition(`the log begins at ${bounds.start}, after ${begin}`);
    return foldPartition(projection, deps, commits, assigned, throttle, { begin, checkpoint });
  };
};
