import { type EventLog, type LogRecord, type RecordBatch, StopPartition } from '../../platform/event-log/event-log.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { backOff } from '../../platform/process/back-off.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { unlessGivenUp } from '../../platform/process/given-up.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { ChainPosition } from './chain.ts';
import { CheckpointMoved, CLOSED, createCheckpoint, isClosed, readCheckpoint } from './checkpoint-store.ts';
import {
  type Commit,
  type Committed,
  createCommitQueue,
  MOST_RECORDS_PER_TRANSACTION,
  ReadModelAhead,
} from './commit-queue.ts';
import { faultOfCheckpoint, lastFolded, partitionBounds } from './holding.ts';
import { describe, type Judged, type Judgement, judge } from './judge.ts';
import type { Projection } from './projection.ts';
import type { ProjectionMetrics } from './projection-metrics.ts';
import type { Quarantine } from './quarantine.ts';

export type FollowerDeps = {
  readonly log: EventLog;
  readonly records: RecordLog;
  readonly store: ReadStore;
  readonly quarantine: Quarantine;
  readonly metrics: ProjectionMetrics;
  readonly logger: Logger;
  readonly clock: Clock;
};

/** One assignment of one partition to this process. */
type Holding = {
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
export type Follower = {
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
export const followPartitions = <Event, After>(projection: Projection<Event, After>, deps: FollowerDeps): Follower => {
  const { log, records, store, quarantine, metrics, logger, clock } = deps;
  const { topic, checkpoints } = projection;
  const commits = createCommitQueue(projection, store, quarantine, clock);
  const holdings = new Map<number, Holding>();
  const ending = new AbortController();

  const stopped = (partition: number, reason: string): StopPartition => {
    metrics.stopped(topic, partition);
    return new StopPartition(reason);
  };

  /** Lets go of a partition, and waits for the batch that is on its way. */
  const letGo = async (partition: number): Promise<void> => {
    const holding = holdings.get(partition);
    if (holding === undefined) return;
    holdings.delete(partition);
    holding.abort.abort();
    await holding.work;
    await holding.afterwards.catch(() => undefined);
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
    holdings.set(partition, { partition, abort, checkpoint, expected: begin, work: DONE, afterwards: DONE });
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
  const commit = async (holding: Holding, entries: readonly Judged<Event>[]): Promise<Committed<After>> => {
    const { partition, checkpoint: from, abort } = holding;
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
  const read = async (holding: Holding, run: readonly LogRecord[]): Promise<Judgement<Event>> => {
    const decoding = Promise.all(run.map(async (record) => await records.decode(record.value)));
    return judge(run, await unlessGivenUp(holding.abort.signal, decoding), projection.accept);
  };

  /** Begins what the batch leads to once that of the one before has ended, so that the next one can be folded. */
  const afterwards = async (holding: Holding, after: After): Promise<void> => {
    const { partition, abort } = holding;
    await holding.afterwards;
    holding.afterwards = projection.committed(partition, after, abort.signal);
    holding.afterwards.catch((error: unknown) => {
      // Nobody may wait for it, and it gives up for no other reason: so this ends the process.
      if (!abort.signal.aborted) throw error;
    });
  };

  const stopAt = async (holding: Holding, reason: string): Promise<never> => {
    await holding.afterwards;
    throw stopped(holding.partition, reason);
  };

  const fold = async (holding: Holding, run: readonly LogRecord[]): Promise<void> => {
    const { partition } = holding;
    const { entries, stop } = await read(holding, run);
    if (entries.length > 0) {
      const { folded, to } = await commit(holding, entries);
      holding.checkpoint = to;
      const passed = entries.slice(0, folded.passed);
      metrics.committed(topic, partition, passed, clock.now());
      for (const entry of passed) {
        if (entry.tag === 'event') continue;
        logger.warn({ record: describe(entry.record), reason: entry.reason }, 'a record went to the quarantine');
      }
      await afterwards(holding, folded.after);
      if (folded.stop !== null) await stopAt(holding, folded.stop);
    }
    if (stop !== null) await stopAt(holding, stop);
  };

  const repeat = async (holding: Holding, run: readonly LogRecord[]): Promise<void> => {
    const { entries, stop } = await read(holding, run);
    await projection.repeat(holding.partition, entries, holding.abort.signal);
    if (stop !== null) await stopAt(holding, stop);
  };

  const work = async (holding: Holding, batch: RecordBatch): Promise<void> => {
    for (let begin = 0; begin < batch.records.length; ) {
      if (holding.abort.signal.aborted) return;
      const rest = batch.records.slice(begin, begin + MOST_RECORDS_PER_TRANSACTION);
      const { next } = holding.checkpoint;
      const folded = rest.filter((record) => record.offset < next);
      const run = folded.length > 0 ? folded : rest;
      if (run.some((record, i) => record.offset !== holding.expected + i)) {
        throw new Error(`${topic}/${batch.partition}: a batch does not continue at ${holding.expected}`);
      }
      await (folded.length > 0 ? repeat(holding, run) : fold(holding, run));
      holding.expected += run.length;
      begin += run.length;
    }
    metrics.lag(topic, batch.partition, batch.high_watermark - holding.expected);
  };

  const onBatch = async (batch: RecordBatch): Promise<void> => {
    const holding = holdings.get(batch.partition);
    if (holding === undefined) return; // Let go of in the meantime; whoever holds it now reads the batch.
    const working = work(holding, batch).catch((error: unknown) => {
      if (!holding.abort.signal.aborted) throw error;
      logger.info({ topic, partition: batch.partition, error }, 'a batch was given up with its partition');
    });
    holding.work = working.catch(() => undefined);
    await working;
  };

  const release = async (partitions: readonly number[]): Promise<void> => {
    await Promise.all(partitions.map(letGo));
  };

  return {
    position,
    onBatch,
    release,
    held: () => new Map([...holdings].map(([partition, { checkpoint }]) => [partition, checkpoint.next])),
    stop: async () => {
      ending.abort();
      await release([...holdings.keys()]);
      metrics.ended(topic);
    },
  };
};
