import { setTimeout as wait } from 'node:timers/promises';
import { type Progress, progressFrom } from '../../platform/consumer-position/progress.ts';
import type { RecordBatch, Subscription } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { ConsumerPositions } from '../../platform/read-store/consumer-positions.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { decodeRecords, type ReadRecord } from './follow-from-end.ts';

const SAVE_EVERY_MS = 1_000;
const POSITION_PAUSE_MS = 1_000;
/** Records of one partition that may wait: above the first number its consumer pauses, below the second it goes on. */
const PAUSE_ABOVE = 2_000;
const RESUME_BELOW = 1_000;

/** What a record asks for. Until `run` has resolved its offset is unfinished; what it rejects with is a crash. */
export type Job = {
  readonly account_id: string;
  readonly run: (signal: AbortSignal) => Promise<void>;
};

export type HandOverOptions = {
  readonly records: RecordLog;
  readonly group: string;
  readonly topic: Topic;
  readonly positions: ConsumerPositions;
  /** Calls `run`, which never rejects, at some time. */
  readonly queue: {
    readonly add: (queued: { readonly account_id: string; readonly run: () => Promise<void> }) => void;
  };
  /** Null where the record asks for nothing. */
  readonly jobOf: (read: ReadRecord) => Job | null;
  readonly logger: Logger;
  readonly crash: (error: unknown) => void;
};

export type HandOver = {
  readonly stop: () => Promise<void>;
  readonly lag: () => Promise<number>;
  /** The partitions that are ours now; each signal aborts when its partition is lost. */
  readonly held: () => ReadonlyMap<number, AbortSignal>;
};

/** One partition while it is ours. */
type Held = {
  readonly partition: number;
  readonly progress: Progress;
  readonly life: AbortController;
  saved: number;
  paused: boolean;
};

/**
 * Follows a topic and hands over what its records ask for, without waiting for it. The position is the lowest offset
 * that is unfinished, kept in the store: whatever was under way when a process ended is done again by the next.
 */
export const handOver = async (options: HandOverOptions): Promise<HandOver> => {
  const { records, topic, positions, queue, logger } = options;
  const warn = sparingWarnings(logger);
  const held = new Map<number, Held>();
  const life = new AbortController();
  let subscription: Subscription | null = null;

  const finish = (one: Held, offset: number): void => {
    one.progress.finish(offset);
    if (!one.paused || one.progress.unfinished() > RESUME_BELOW) return;
    one.paused = false;
    subscription?.resume(topic, one.partition);
  };

  const begin = (one: Held, { account_id, run }: Job, offset: number): void => {
    const { signal } = one.life;
    queue.add({
      account_id,
      run: async () => {
        // A partition that was lost is another process's now.
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
    const one = held.get(partition);
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

  const save = async (one: Held): Promise<void> => {
    const next = one.progress.next();
    if (next <= one.saved) return;
    await positions.save(topic, one.partition, next);
    one.saved = next;
  };
  let saving: Promise<void> = Promise.resolve();
  const saveAll = (): Promise<void> => {
    saving = saving
      .then(async () => {
        for (const one of held.values()) await save(one);
      })
      // It is written later; a restart only repeats some work.
      .catch((error: unknown) => warn({ error }, 'the position could not be kept'));
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
      const kept = held.get(partition);
      if (kept !== undefined) return kept.progress.end();
      const from = await loadPosition(partition);
      const own = new AbortController();
      held.set(partition, { partition, progress: progressFrom(from), life: own, saved: from, paused: false });
      return from;
    },
    on_batch: onBatch,
    on_revoked: async (_topic, partitions) => {
      for (const partition of partitions) {
        held.get(partition)?.life.abort();
        held.delete(partition);
      }
    },
  });
  const ticking = setInterval(() => void saveAll(), SAVE_EVERY_MS);

  return {
    lag: async () => (await subscription?.lag()) ?? 0,
    held: () => new Map(Array.from(held, ([partition, { life: own }]) => [partition, own.signal])),
    stop: async () => {
      clearInterval(ticking);
      life.abort();
      await saveAll();
      for (const one of held.values()) one.life.abort();
      await subscription?.stop();
    },
  };
};
