import { type EventLog, type LogRecord, type RecordBatch, StopPartition } from '../../platform/event-log/event-log.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { abortable } from '../../platform/process/abortable.ts';
import { backOff } from '../../platform/process/back-off.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { ChainPosition } from './chain.ts';
import { faultOfCheckpoint, lastFolded, partitionBounds } from './checkpoint-fault.ts';
import { CheckpointMoved, CLOSED, createCheckpoint, isClosed, readCheckpoint } from './checkpoint-store.ts';
import {
  type Commit,
  type Committed,
  createCommitQueue,
  MOST_RECORDS_PER_TRANSACTION,
  ReadModelAhead,
} from './commit-queue.ts';
import { type BatchEntry, type DecodedBatch, decodeBatch, describe } from './decode-batch.ts';
import type { Projection } from './projection.ts';
import type { ProjectionMetrics } from './projection-metrics.ts';
import type { Quarantine } from './quarantine.ts';

export type ProcessorDeps = {
  readonly log: EventLog;
  readonly records: RecordLog;
  readonly store: ReadStore;
  readonly quarantine: Quarantine;
  readonly metrics: ProjectionMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
};

/** One assignment of one partition to this process. */
type OwnedPartition = {
  readonly partition: number;
  readonly abort: AbortController;
  checkpoint: ChainPosition;
  /** Offset that the next batch begins with; below the checkpoint while repeating. */
  expected: number;
  /** The batch that is being worked on, or the last one. Never rejects. */
  work: Promise<void>;
  /** What the last batch that was committed leads to outside of the store. */
  afterwards: Promise<void>;
};

const DONE: Promise<void> = Promise.resolve();

/** What an event log's subscription needs, and where each held partition stands. */
export type PartitionProcessor = {
  readonly position: (topic: string, partition: number) => Promise<number>;
  readonly onBatch: (batch: RecordBatch) => Promise<void>;
  readonly release: (partitions: readonly number[]) => Promise<void>;
  /** Checkpoint of each held partition: everything below is committed. */
  readonly held: () => ReadonlyMap<number, number>;
  /** Ends all work that waits; what is committed stays. */
  readonly stop: () => Promise<void>;
};

/**
 * Follows a topic with a projection. The checkpoint in the store is the only position: a batch's documents and
 * the move of its checkpoint are one transaction, which fails for a process that lost the partition unknowingly.
 */
export const processPartitions = <Event, After>(
  projection: Projection<Event, After>,
  deps: ProcessorDeps,
): PartitionProcessor => {
  const { log, records, store, quarantine, metrics, logger, clock } = deps;
  const { topic, checkpoints } = projection;
  const commits = createCommitQueue(projection, store, quarantine, clock);
  const owned = new Map<number, OwnedPartition>();
  const ending = new AbortController();

  const stopped = (partition: number, reason: string): StopPartition => {
    metrics.stopped(topic, partition);
    return new StopPartition(reason);
  };

  /** Lets go of a partition, and waits for the batch that is on its way. */
  const letGo = async (partition: number): Promise<void> => {
    const its = owned.get(partition);
    if (its === undefined) return;
    owned.delete(partition);
    its.abort.abort();
    await its.work;
    await its.afterwards.catch(() => undefined);
  };

  /** Takes a partition up where the store says, once the log confirms it. */
  const takeUp = async (partition: number): Promise<number> => {
    const checkpoint = await createCheckpoint(checkpoints, partition);
    if (await isClosed(checkpoints, partition)) throw new StopPartition(CLOSED);
    const begin = await projection.begin(partition, checkpoint.next);
    const bounds = await partitionBounds(log, topic, partition);
    const last = bounds.end < checkpoint.next ? null : await lastFolded(log, topic, partition, checkpoint.next, clock);
    const fault = faultOfCheckpoint(checkpoint, bounds, last);
    if (fault !== null) throw new StopPartition(fault);
    if (begin < bounds.start) throw new StopPartition(`the log begins at ${bounds.start}, after ${begin}`);
    const abort = new AbortController();
    owned.set(partition, { partition, abort, checkpoint, expected: begin, work: DONE, afterwards: DONE });
    logger.info({ topic, partition, next: checkpoint.next, begin, end: bounds.end }, 'following');
    return begin;
  };

  const position = async (_topic: string, partition: number): Promise<number> => {
    await letGo(partition);
    for (let failures = 0; ; failures++) {
      if (ending.signal.aborted) throw new StopPartition('the projector is stopping');
      try {
        return await takeUp(partition);
      } catch (error) {
        if (error instanceof StopPartition) throw stopped(partition, error.message);
        logger.warn({ topic, partition, error }, 'the position could not be read; it is tried again');
        await backOff(failures, ending.signal, clock).catch(() => undefined);
      }
    }
  };

  /** Retries faults of the store for ever; a commit whose answer was lost is recognised by its checkpoint. */
  const commit = async (its: OwnedPartition, entries: readonly BatchEntry<Event>[]): Promise<Committed<After>> => {
    const { partition, checkpoint: from, abort } = its;
    const run: Commit<Event, After> = { partition, from, entries, outcome: null };
    for (let failures = 0; ; failures++) {
      try {
        if (failures === 0 || !(await wasCommitted(run))) await commits.commit(run);
        if (run.outcome === null) throw new Error('a transaction ended without an outcome');
        return run.outcome;
      } catch (error) {
        if (abort.signal.aborted) throw error;
        if (error instanceof ReadModelAhead) throw stopped(partition, error.message);
        if (error instanceof CheckpointMoved) {
          // Of a generation that was closed this is an end, else a sign that another process holds the partition.
          if (await isClosed(checkpoints, partition)) throw stopped(partition, CLOSED);
          throw error;
        }
        metrics.storeFailed(topic);
        logger.warn({ topic, partition, next: from.next, error }, 'the store failed; the batch is tried again');
        await backOff(failures, abort.signal, clock);
      }
    }
  };

  const wasCommitted = async ({ partition, from, outcome }: Commit<Event, After>): Promise<boolean> => {
    if (outcome === null || outcome.to.next === from.next) return false;
    const now = await readCheckpoint(checkpoints, partition);
    return now.next === outcome.to.next && now.chain === outcome.to.chain;
  };

  /** Decoding waits for the registry as long as it takes, or until the partition is let go of. */
  const read = async (its: OwnedPartition, run: readonly LogRecord[]): Promise<DecodedBatch<Event>> => {
    const decoding = Promise.all(run.map(async (record) => await records.decode(record.value)));
    return decodeBatch(run, await abortable(its.abort.signal, decoding), projection.accept);
  };

  /** Begins what the batch leads to once that of the one before has ended, so that the next one can be folded. */
  const afterwards = async (its: OwnedPartition, after: After): Promise<void> => {
    const { partition, abort } = its;
    await its.afterwards;
    its.afterwards = projection.committed(partition, after, abort.signal);
    its.afterwards.catch((error: unknown) => {
      // It may have no caller that waits, and fails for no other reason: this ends the process.
      if (!abort.signal.aborted) throw error;
    });
  };

  const stopAt = async (its: OwnedPartition, reason: string): Promise<never> => {
    await its.afterwards;
    throw stopped(its.partition, reason);
  };

  const fold = async (its: OwnedPartition, run: readonly LogRecord[]): Promise<void> => {
    const { partition } = its;
    const { entries, stop } = await read(its, run);
    if (entries.length > 0) {
      const { folded, to } = await commit(its, entries);
      its.checkpoint = to;
      const passed = entries.slice(0, folded.passed);
      metrics.committed(topic, partition, passed, clock.now());
      for (const entry of passed) {
        if (entry.tag === 'event') continue;
        logger.warn({ record: describe(entry.record), reason: entry.reason }, 'a record went to the quarantine');
      }
      await afterwards(its, folded.after);
      if (folded.stop !== null) await stopAt(its, folded.stop);
    }
    if (stop !== null) await stopAt(its, stop);
  };

  const repeat = async (its: OwnedPartition, run: readonly LogRecord[]): Promise<void> => {
    const { entries, stop } = await read(its, run);
    await projection.repeat(its.partition, entries, its.abort.signal);
    if (stop !== null) await stopAt(its, stop);
  };

  const work = async (its: OwnedPartition, batch: RecordBatch): Promise<void> => {
    for (let begin = 0; begin < batch.records.length; ) {
      if (its.abort.signal.aborted) return;
      const rest = batch.records.slice(begin, begin + MOST_RECORDS_PER_TRANSACTION);
      const { next } = its.checkpoint;
      const folded = rest.filter((record) => record.offset < next);
      const run = folded.length > 0 ? folded : rest;
      if (run.some((record, i) => record.offset !== its.expected + i)) {
        throw new Error(`${topic}/${batch.partition}: a batch does not continue at ${its.expected}`);
      }
      await (folded.length > 0 ? repeat(its, run) : fold(its, run));
      its.expected += run.length;
      begin += run.length;
    }
    metrics.lag(topic, batch.partition, batch.high_watermark - its.expected);
  };

  const onBatch = async (batch: RecordBatch): Promise<void> => {
    const its = owned.get(batch.partition);
    if (its === undefined) return; // Released in the meantime; its owner reads the batch.
    const working = work(its, batch).catch((error: unknown) => {
      if (!its.abort.signal.aborted) throw error;
      logger.info({ topic, partition: batch.partition, error }, 'a batch was given up with its partition');
    });
    its.work = working.catch(() => undefined);
    await working;
  };

  const release = async (partitions: readonly number[]): Promise<void> => {
    await Promise.all(partitions.map(letGo));
  };

  return {
    position,
    onBatch,
    release,
    held: () => new Map([...owned].map(([partition, { checkpoint }]) => [partition, checkpoint.next])),
    stop: async () => {
      ending.abort();
      await release([...owned.keys()]);
      metrics.ended(topic);
    },
  };
};
