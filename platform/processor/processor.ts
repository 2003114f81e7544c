import {
  type LogRecord,
  type RecordBatch,
  StopPartition,
  type Subscription,
  type SubscriptionOptions,
} from '../event-log/event-log.ts';
import { isKeptForEver, type Topic } from '../event-log/topics.ts';
import type { Logger } from '../logging/logger.ts';
import { messageOf } from '../logging/message-of.ts';
import { sparingWarnings } from '../logging/sparing-warnings.ts';
import { abortable } from '../process/abortable.ts';
import type { Clock } from '../process/clock.ts';
import { retry } from '../process/retry.ts';
import { within } from '../process/within.ts';
import type { StoppedPartitions } from '../read-store/stopped-partitions.ts';
import type { RecordLog } from '../records/record-log.ts';
import { type Accept, type BatchEntry, type DecodedBatch, decodeBatch } from './decode-batch.ts';

/** A partition that is assigned to this process, for the task that works on it. */
export type AssignedPartition = {
  readonly partition: number;
  /** Aborts when the partition is revoked, when it is `lost`, and when the processor ends. */
  readonly signal: AbortSignal;
  /** Adds to the work that was taken and is not done: see `most_unfinished`. */
  readonly begin: (count: number) => void;
  readonly finish: (count: number) => void;
  /**
   * Another process has made the partition its own, and the group does not know. The task ends, and the partition is
   * opened anew after a second: by then the group may have revoked it, or the other one was mistaken.
   */
  readonly lost: () => void;
};

/** What works on one partition, from its assignment to its end. */
export type PartitionTask<Event> = {
  /** Offset of the first record to process. */
  readonly start: number;
  /**
   * Takes the next entries of the partition, none where the batch had nothing of concern; the next ones come once it has
   * resolved. A `StopPartition` stops this partition; any other rejection ends the process, unless `signal` has aborted.
   */
  readonly process: (entries: readonly BatchEntry<Event>[], batch: RecordBatch) => Promise<void>;
  /**
   * Asked when the partition is kept through a rebalance, as brokers may have changed: a `StopPartition` if the log is
   * not the one that was processed.
   */
  readonly verify?: () => Promise<void>;
  /** Resolves once nothing of what `process` began is under way, so that another task may follow; never rejects. */
  readonly idle?: () => Promise<void>;
};

export type ProcessorOptions<Event, Task extends PartitionTask<Event>> = {
  readonly records: RecordLog;
  readonly group: string;
  /** Every partition is read here, by no group: `group` is a name for people. */
  readonly reads_all?: boolean;
  readonly topic: Topic;
  /** Partitions that are worked on at once; 1 if left out. */
  readonly concurrency?: number;
  /** Records without it are passed over undecoded; all are decoded if left out. */
  readonly concerns?: (record: LogRecord) => boolean;
  readonly accept: Accept<Event>;
  /** At a record that only a newer version of this code can decode: `stop` the partition, or take it for poison. */
  readonly unknown: 'stop' | 'skip';
  /**
   * Opens a partition; called again until it succeeds. It may end by `StopPartition`. A partition that is kept through a
   * rebalance keeps its task.
   */
  readonly open: (assigned: AssignedPartition) => Promise<Task>;
  /** A partition with more unfinished work pauses, until no more than half is left; no limit if left out. */
  readonly most_unfinished?: number;
  readonly on_stopped?: (partition: number) => void;
  /** It goes on, or is another process's. */
  readonly on_restarted?: (partition: number) => void;
  /** Where operators see what is stopped, and ask to try again. */
  readonly stops?: StoppedPartitions;
  readonly logger: Logger;
  readonly clock: Clock;
};

export type Processor<Task> = {
  /** The tasks of the partitions that are open, by partition. */
  readonly tasks: () => ReadonlyMap<number, Task>;
  /** Records of the assigned partitions that were not taken yet. */
  readonly lag: () => Promise<number>;
  /** Ends all tasks. The process stays in the group until `stop`, so no other process has the partitions yet. */
  readonly end: () => Promise<void>;
  /** Ends all tasks, then leaves the group. */
  readonly stop: () => Promise<void>;
};

type Steering = Pick<Subscription, 'pause' | 'resume' | 'seek' | 'stopPartition' | 'restartPartition' | 'handOver'>;

/** A processor without its subscription. */
export type PartitionHandlers<Task> = Pick<SubscriptionOptions, 'position' | 'on_batch'> & {
  readonly release: (partitions: readonly number[]) => Promise<void>;
  /** Gives it what it pauses and resumes partitions with. */
  readonly attach: (subscription: Steering) => void;
} & Pick<Processor<Task>, 'tasks' | 'end'>;

/** One task of one partition. */
type Opened<Task> = {
  readonly task: Task;
  readonly ending: AbortController;
  /** The offset that the next batch begins with. */
  next: number;
  /** The batch that is being processed, or the last one. Never rejects. */
  work: Promise<void>;
};

/** One assignment of one partition. */
type Owned<Task> = {
  readonly partition: number;
  readonly revoked: AbortController;
  opened: Opened<Task> | null;
  /** While it was lost to another process and is not open again. Never rejects. */
  reopening: Promise<StopPartition | null> | null;
  /** Why it waits, until it goes on. */
  stop: StopPartition | null;
  unfinished: number;
  paused: boolean;
};

const REOPEN_MS = 1_000;
/** What a rebalance waits for a batch of a partition that is kept; then the partition is opened anew. */
const KEPT_BATCH_MS = 5_000;
const DONE: Promise<void> = Promise.resolve();
/** How often a partition that is stopped says so, and asks whether it is to try again. */
const ATTEND_MS = 2_000;
/** After how many of these, at last, it looks again at the record that it could not decode. */
const MOST_TICKS = 15;

/** A record that this code cannot decode: now, as its schema is missing, or at all, as it is of newer code. */
class UnreadableRecord extends StopPartition {
  readonly record: LogRecord;
  constructor(record: LogRecord, message: string, by_newer_code: boolean) {
    super(message, by_newer_code);
    this.record = record;
  }
}

export const partitionHandlers = <Event, Task extends PartitionTask<Event>>(
  options: Omit<ProcessorOptions<Event, Task>, 'concurrency'>,
): PartitionHandlers<Task> => {
  const {
    group,
    records,
    topic,
    concerns,
    accept,
    unknown,
    clock,
    most_unfinished = Number.POSITIVE_INFINITY,
  } = options;
  const logger = options.logger.child({ topic });
  const warn = sparingWarnings(logger);
  const owned = new Map<number, Owned<Task>>();
  const ending = new AbortController();
  let subscription: Steering | null = null;

  const pause = (its: Owned<Task>): void => {
    its.paused = true;
    subscription?.pause(topic, its.partition);
  };
  const resume = (its: Owned<Task>): void => {
    its.paused = false;
    subscription?.resume(topic, its.partition);
  };

  const close = async ({ ending, task, ...opened }: Opened<Task>): Promise<void> => {
    ending.abort();
    await opened.work;
    await task.idle?.();
  };

  const openOnce = async (its: Owned<Task>): Promise<Opened<Task>> => {
    const { partition } = its;
    const ending = new AbortController();
    const { signal } = ending;
    const endWithIt = (): void => ending.abort();
    its.revoked.signal.addEventListener('abort', endWithIt, { once: true, signal });
    try {
      const task = await abortable(
        its.revoked.signal,
        options.open({
          partition,
          signal,
          begin: (count) => {
            if (!signal.aborted) its.unfinished += count;
          },
          finish: (count) => {
            if (signal.aborted) return;
            its.unfinished -= count;
            if (its.paused && its.unfinished <= most_unfinished / 2) resume(its);
          },
          lost: () => {
            if (!signal.aborted) lose(its);
          },
        }),
      );
      return { task, ending, next: task.start, work: DONE };
    } catch (error) {
      ending.abort();
      throw error;
    }
  };

  /** Tries until it is done, the partition must stop, or it is revoked. */
  const retried = <A>({ partition, revoked }: Owned<Task>, work: () => Promise<A>, message: string): Promise<A> =>
    retry(work, {
      clock,
      signal: revoked.signal,
      isTransient: (error) => !(error instanceof StopPartition),
      onFailure: (error) => warn({ partition, error, reason: messageOf(error) }, message),
    });

  /** Rejects with `StopPartition`, or once the partition is revoked. */
  const open = async (its: Owned<Task>): Promise<Opened<Task>> => {
    const opened = await retried(its, () => openOnce(its), 'a partition is not opened yet');
    its.opened = opened;
    its.unfinished = 0;
    logger.info({ partition: its.partition, start: opened.next }, 'a partition is open');
    return opened;
  };

  /** @returns why it must stop; null if it is open again, or revoked */
  const reopen = async (
    its: Owned<Task>,
    former: Opened<Task> | null,
    pause_ms: number,
    goOn: (next: number) => void,
  ): Promise<StopPartition | null> => {
    const { partition, revoked } = its;
    try {
      if (former !== null) await close(former);
      if (pause_ms > 0) await clock.sleep(pause_ms, revoked.signal);
      const { next } = await open(its);
      goOn(next);
      return null;
    } catch (error) {
      if (revoked.signal.aborted) return null;
      const stop = error instanceof StopPartition ? error : new StopPartition(messageOf(error));
      subscription?.stopPartition(topic, partition, stop.message);
      hasStopped(its, stop);
      return stop;
    } finally {
      its.reopening = null;
    }
  };

  /** It is opened from its position again, which looks whether that fits. */
  const restart = (its: Owned<Task>): void => {
    const { partition, opened } = its;
    its.opened = null;
    its.stop = null;
    options.on_restarted?.(partition);
    its.reopening = reopen(its, opened, 0, (next) => {
      its.paused = false;
      subscription?.restartPartition(topic, partition, next);
    });
  };

  /**
   * What stopped it may pass: a schema that was lost is restored, an operator has mended the log. It says that it waits,
   * and looks now and then, and when it is asked to.
   */
  const attend = (its: Owned<Task>, stop: StopPartition): void => {
    const { partition, revoked } = its;
    const unread = stop instanceof UnreadableRecord ? stop.record : null;
    if (unread === null && options.stops === undefined) return;
    const told = { group, topic, partition, offset: unread?.offset ?? null, reason: stop.message };
    let looking = false;
    let ticks = 0;
    let next_look = 1;

    const decodesNow = async (): Promise<boolean> => {
      ticks += 1;
      if (unread === null || ticks < next_look) return false;
      next_look = ticks + Math.min(ticks, MOST_TICKS);
      return (await abortable(revoked.signal, records.decode(unread.value))).tag !== 'unknown';
    };
    const look = async (): Promise<void> => {
      const asked = (await options.stops?.tell(told)) === true;
      if (!(asked || (await decodesNow())) || its.reopening !== null) return;
      end();
      await options.stops?.forget(told);
      if (!revoked.signal.aborted && its.stop === stop) restart(its);
    };
    const lookOnce = async (): Promise<void> => {
      if (looking || revoked.signal.aborted) return;
      looking = true;
      try {
        await look();
      } catch (error) {
        if (!revoked.signal.aborted)
          warn({ partition, reason: messageOf(error) }, 'a stopped partition is looked at again');
      } finally {
        looking = false;
      }
    };
    const cancel = clock.every(ATTEND_MS, () => void lookOnce());
    const end = (): void => {
      cancel();
      revoked.signal.removeEventListener('abort', forget);
    };
    const forget = (): void => {
      end();
      void options.stops?.forget(told);
    };
    revoked.signal.addEventListener('abort', forget);
    void options.stops?.tell(told);
  };

  const hasStopped = (its: Owned<Task>, stop: StopPartition): void => {
    its.stop = stop;
    options.on_stopped?.(its.partition);
    attend(its, stop);
    if (stop.by_newer_code) subscription?.handOver(topic, its.partition);
  };

  const lose = (its: Owned<Task>): void => {
    const { opened, partition } = its;
    if (opened === null) return;
    its.opened = null;
    opened.ending.abort();
    warn({ partition }, 'another process has taken a partition; it is opened again unless the group revokes it');
    // Until then nothing is fetched that would have to be fetched once more.
    pause(its);
    its.reopening = reopen(its, opened, REOPEN_MS, (next) => {
      subscription?.seek(topic, partition, next);
      resume(its);
    });
  };

  const decode = async (batch: readonly LogRecord[], signal: AbortSignal): Promise<DecodedBatch<Event>> => {
    const decoding = batch.map(async ({ value }) => {
      const decoded = await records.decode(value);
      return decoded.tag === 'unknown' && unknown === 'skip' ? ({ ...decoded, tag: 'poison' } as const) : decoded;
    });
    return decodeBatch(batch, await abortable(signal, Promise.all(decoding)), accept);
  };

  const work = async (its: Owned<Task>, opened: Opened<Task>, batch: RecordBatch): Promise<void> => {
    const { task, ending } = opened;
    const [first, last] = [batch.records[0], batch.records.at(-1)];
    if (first === undefined || last === undefined) return;
    // Where the topic forgets records by design, some may have expired unread: the subscription has warned.
    if (first.offset < opened.next || (first.offset > opened.next && isKeptForEver(topic))) {
      throw new Error(`${topic}/${its.partition}: a batch begins at ${first.offset} instead of ${opened.next}`);
    }
    const concerned = concerns === undefined ? batch.records : batch.records.filter(concerns);
    const { entries, stop, may_pass } = await decode(concerned, ending.signal);
    await task.process(entries, batch);
    if (stop !== null) {
      const unread = concerned[entries.length];
      throw unread === undefined ? new StopPartition(stop) : new UnreadableRecord(unread, stop, !may_pass);
    }
    opened.next = last.offset + 1;
    if (!ending.signal.aborted && !its.paused && its.unfinished > most_unfinished) pause(its);
  };

  const onBatch = async (batch: RecordBatch): Promise<void> => {
    const its = owned.get(batch.partition);
    const opened = its?.opened ?? null;
    // Revoked or lost in the meantime: the process that opens the partition next reads the batch again.
    if (its === undefined || opened === null) return;
    const { partition } = batch;
    const working = work(its, opened, batch).catch(async (error: unknown) => {
      if (error instanceof StopPartition) await opened.task.idle?.();
      if (opened.ending.signal.aborted) {
        logger.info({ partition, reason: messageOf(error) }, 'a batch was given up with its partition');
        return;
      }
      if (error instanceof StopPartition) hasStopped(its, error);
      throw error;
    });
    opened.work = working.catch(() => undefined);
    await working;
  };

  const release = async (partitions: readonly number[]): Promise<void> => {
    await Promise.all(
      partitions.map(async (partition) => {
        const its = owned.get(partition);
        if (its === undefined) return;
        owned.delete(partition);
        its.revoked.abort();
        if (its.stop !== null) options.on_restarted?.(partition);
        if (its.opened !== null) await close(its.opened);
        await its.reopening;
      }),
    );
  };

  /** Where a partition that is kept goes on; null if it is to be opened anew. */
  const keptPosition = async (its: Owned<Task>): Promise<number | null> => {
    const stop = await its.reopening;
    if (stop !== null) throw stop;
    const { opened } = its;
    if (opened === null) return null;
    const ended = await within(
      KEPT_BATCH_MS,
      opened.work.then(() => true),
      () => false,
      clock,
    );
    if (!ended) return null;
    await retried(its, async () => await opened.task.verify?.(), 'a partition is not verified yet');
    return its.opened === opened ? opened.next : null;
  };

  const position = async (_topic: string, partition: number): Promise<number> => {
    const before = owned.get(partition);
    try {
      const kept = before === undefined ? null : await keptPosition(before);
      if (kept !== null) return kept;
      await release([partition]);
      // A process that ends needs no position.
      if (ending.signal.aborted) return 0;
      const its: Owned<Task> = {
        ...{ partition, revoked: new AbortController(), opened: null, reopening: null },
        ...{ stop: null, unfinished: 0, paused: false },
      };
      owned.set(partition, its);
      const { next } = await open(its);
      if (before?.paused === true) resume(its);
      // It was kept, and is stopped no more.
      if (before?.stop != null) subscription?.restartPartition(topic, partition, next);
      return next;
    } catch (error) {
      const its = owned.get(partition);
      if (its === undefined) return 0;
      if (error instanceof StopPartition && its.stop !== error) hasStopped(its, error);
      throw error;
    }
  };

  return {
    position,
    on_batch: onBatch,
    release,
    attach: (attached) => {
      subscription = attached;
      for (const its of owned.values()) if (its.paused) pause(its);
    },
    tasks: () =>
      new Map(
        [...owned.values()].flatMap(({ partition, opened }) =>
          opened === null ? [] : [[partition, opened.task] as const],
        ),
      ),
    end: async () => {
      ending.abort();
      await release([...owned.keys()]);
    },
  };
};

/** Joins the group and processes the partitions that it assigns, or all. Resolves once it has joined. */
export const startProcessor = async <Event, Task extends PartitionTask<Event>>(
  options: ProcessorOptions<Event, Task>,
): Promise<Processor<Task>> => {
  const { group, topic, concurrency = 1, reads_all = false } = options;
  const { log } = options.records;
  const handlers = partitionHandlers(options);
  const subscription = await (reads_all ? log.follow : log.subscribe)({
    group,
    topics: [topic],
    concurrency,
    on_subscription: handlers.attach,
    position: handlers.position,
    on_batch: handlers.on_batch,
    on_revoked: async (_topic, partitions) => await handlers.release(partitions),
  });
  return {
    tasks: handlers.tasks,
    lag: subscription.lag,
    end: handlers.end,
    stop: async () => {
      await handlers.end();
      await subscription.stop();
    },
  };
};
