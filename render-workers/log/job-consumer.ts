import { setTimeout as wait } from 'node:timers/promises';
import { type Progress, progressFrom } from '../../platform/consumer-position/progress.ts';
import type { RecordBatch, Subscription } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { ConsumerPositions } from '../../platform/read-store/consumer-positions.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { decodeRecords, type ReadRecord } from './topic-follower.ts';

const SAVE_EVERY_MS = 1_000;
const POSITION_PAUSE_MS = 1_000;
/** Unfinished records of one partition: the consumer pauses above the first number and resumes below the second. */
const PAUSE_ABOVE = 2_000;
const RESUME_BELOW = 1_000;

/** The work that a record asks for. Its offset is unfinished until `run` resolves; a rejection is a crash. */
export type Job = {
  readonly account_id: string;
  readonly run: (signal: AbortSignal) => Promise<void>;
};

export type JobConsumerOptions = {
  readonly records: RecordLog;
  readonly group: string;
  readonly topic: Topic;
  readonly positions: ConsumerPositions;
  /** Calls `run`, which never rejects, later. */
  readonly queue: {
    readonly add: (queued: { readonly account_id: string; readonly run: () => Promise<void> }) => void;
  };
  /** Null if the record asks for no work. */
  readonly jobOf: (read: ReadRecord) => Job | null;
  readonly logger: Logger;
  readonly crash: (error: unknown) => void;
};

export type JobConsumer = {
  readonly stop: () => Promise<void>;
  readonly lag: () => Promise<number>;
  /** The assigned partitions; each signal aborts when its partition is revoked. */
  readonly owned: () => ReadonlyMap<number, AbortSignal>;
};

/** One assigned partition. */
type OwnedPartition = {
  readonly partition: number;
  readonly progress: Progress;
  readonly life: AbortController;
  saved: number;
  paused: boolean;
};

/**
 * Consumes a topic and queues the job of each record without waiting for it. The position saved in the store is the lowest
 * unfinished offset: jobs that were in progress when a process ended are run again by the next owner.
 */
export const startJobConsumer = async (options: JobConsumerOptions): Promise<JobConsumer> => {
  const { records, topic, positions, queue, logger } = options;
  const warn = sparingWarnings(logger);
  const owned = new Map<number, OwnedPartition>();
  const life = new AbortController();
  let subscription: Subscription | null = null;

  const finish = (one: OwnedPartition, offset: number): void => {
    one.progress.finish(offset);
    if (!one.paused || one.progress.unfinished() > RESUME_BELOW) return;
    one.paused = false;
    subscription?.resume(topic, one.partition);
  };

  const begin = (one: OwnedPartition, { account_id, run }: Job, offset: number): void => {
    const { signal } = one.life;
    queue.add({
      account_id,
      run: async () => {
        // A revoked partition belongs to another process.
        if (signal.aborted) return;
        try {
          await run(signal);
          finish(one, offset);
        } catch (error) {
          if (!signal.aborted) options.crash(error);
        }
      },
    });
  };

  const onBatch = async ({ partition, records: batch }: RecordBatch): Promise<void> => {
    const one = owned.get(partition);
    if (one === undefined) return;
    for (const source of batch) {
      const [read] = await decodeRecords(records, [source], 'stop');
      one.progress.begin(source.offset);
      const job = read === undefined ? null : options.jobOf(read);
      if (job === null) finish(one, source.offset);
      else begin(one, job, source.offset);
    }
    if (one.paused || one.progress.unfinished() <= PAUSE_ABOVE) return;
    one.paused = true;
    subscription?.pause(topic, partition);
  };

  const save = async (one: OwnedPartition): Promise<void> => {
    const next = one.progress.next();
    if (next <= one.saved) return;
    await positions.save(topic, one.partition, next);
    one.saved = next;
  };
  let saving: Promise<void> = Promise.resolve();
  const saveAll = (): Promise<void> => {
    saving = saving
      .then(async () => {
        for (const one of owned.values()) await save(one);
      })
      // Saved later; a restart only repeats some jobs.
      .catch((error: unknown) => warn({ error }, 'the position could not be saved'));
    return saving;
  };

  const loadPosition = async (partition: number): Promise<number> => {
    for (;;) {
      try {
        return await positions.load(topic, partition);
      } catch (error) {
        warn({ error, partition }, 'the position could not be read; trying again');
        await wait(POSITION_PAUSE_MS, undefined, { signal: life.signal });
      }
    }
  };

  subscription = await records.log.subscribe({
    group: options.group,
    topics: [topic],
    concurrency: 4,
    position: async (_topic, partition) => {
      const kept = owned.get(partition);
      if (kept !== undefined) return kept.progress.end();
      const from = await loadPosition(partition);
      const own = new AbortController();
      owned.set(partition, { partition, progress: progressFrom(from), life: own, saved: from, paused: false });
      return from;
    },
    on_batch: onBatch,
    on_revoked: async (_topic, partitions) => {
      for (const partition of partitions) {
        owned.get(partition)?.life.abort();
        owned.delete(partition);
      }
    },
  });
  const ticking = setInterval(() => void saveAll(), SAVE_EVERY_MS);

  return {
    lag: async () => (await subscription?.lag()) ?? 0,
    owned: () => new Map(Array.from(owned, ([partition, { life: own }]) => [partition, own.signal])),
    stop: async () => {
      clearInterval(ticking);
      life.abort();
      await saveAll();
      for (const one of owned.values()) one.life.abort();
      await subscription?.stop();
    },
  };
};
