import { type LogRecord, type RecordBatch, StopPartition, type Subscription } from '../event-log/event-log.ts';
import { isRetainedForever } from '../event-log/topics.ts';
import type { Logger } from '../logging/logger.ts';
import { messageOf } from '../logging/message-of.ts';
import { rejectOnAbort } from '../process/abortable.ts';
import { retry } from '../process/retry.ts';
import { withTimeout } from '../process/within.ts';
import { type DecodedBatch, decodeBatch } from './decode-batch.ts';
import {
  type AssignmentAction,
  type AssignmentEvent,
  type AssignmentState,
  applyAssignmentEvent,
  newAssignment,
} from './owned-state.ts';
import type { PartitionTask, ProcessorOptions } from './partition-task.ts';
import { UnreadableRecord, watchStoppedPartition } from './stop-watch.ts';

export type SubscriptionControl = Pick<
  Subscription,
  'pause' | 'resume' | 'seek' | 'stopPartition' | 'restartPartition' | 'handOver'
>;

export type PartitionOwnerDependencies = {
  readonly partition: number;
  /** The assignment that a rebalance kept, if its task could not continue. */
  readonly before: AssignmentState | null;
  readonly steering: () => SubscriptionControl | null;
  readonly logger: Logger;
  readonly warn: (fields: Record<string, unknown>, message: string) => void;
};

type Opened<Task> = {
  readonly id: number;
  readonly task: Task;
  readonly ending: AbortController;
  /** Resolves when the current batch, or the last one, has ended. Never rejects. */
  work: Promise<void>;
};

/**
 * How long a rebalance waits for the current batch of a partition that stays assigned. After that, the partition is
 * opened again.
 */
const KEPT_BATCH_MS = 5_000;

const close = async ({ ending, task, ...opened }: Opened<PartitionTask<never>>): Promise<void> => {
  ending.abort();
  await opened.work;
  await task.idle?.();
};

/** Sends the events of the partition's tasks to `applyAssignmentEvent`, and carries out the actions that it returns. */
export class PartitionOwner<Event, Task extends PartitionTask<Event>> {
  readonly #options: Omit<ProcessorOptions<Event, Task>, 'concurrency'>;
  readonly #deps: PartitionOwnerDependencies;
  readonly #revoked = new AbortController();
  #state: AssignmentState;
  #opened: Opened<Task> | null = null;
  #tasks = 0;
  /** Resolves with why the partition must stop; null if it is open again, or revoked. Never rejects. */
  #reopening: Promise<StopPartition | null> | null = null;
  #endWatch: (() => void) | null = null;

  constructor(options: Omit<ProcessorOptions<Event, Task>, 'concurrency'>, deps: PartitionOwnerDependencies) {
    this.#options = options;
    this.#deps = deps;
    this.#state = newAssignment(deps.before);
  }

  get state(): AssignmentState {
    return this.#state;
  }

  get task(): Task | null {
    return this.#opened?.task ?? null;
  }

  #apply(event: AssignmentEvent): void {
    const [state, actions] = applyAssignmentEvent(
      this.#state,
      event,
      this.#options.most_unfinished ?? Number.POSITIVE_INFINITY,
    );
    this.#state = state;
    for (const action of actions) this.#carryOut(action);
  }

  #carryOut(action: AssignmentAction): void {
    const { topic, on_stopped, on_restarted } = this.#options;
    const { partition, warn } = this.#deps;
    const steering = this.#deps.steering();
    switch (action.tag) {
      case 'pause':
        steering?.pause(topic, partition);
        return;
      case 'resume':
        steering?.resume(topic, partition);
        return;
      case 'seek':
        steering?.seek(topic, partition, action.offset);
        return;
      case 'restart':
        steering?.restartPartition(topic, partition, action.offset);
        return;
      case 'stop':
        steering?.stopPartition(topic, partition, action.reason);
        return;
      case 'hand_over':
        steering?.handOver(topic, partition);
        return;
      case 'reopen':
        this.#reopen(action.after_ms);
        return;
      case 'watch':
        this.#watch(action.stop);
        return;
      case 'end_watch':
        this.#endWatch?.();
        return;
      case 'report_lost':
        warn({ partition }, 'another process has taken a partition; it is opened again unless the group revokes it');
        return;
      case 'report_stopped':
        on_stopped?.(partition);
        return;
      case 'report_restarted':
        on_restarted?.(partition);
    }
  }

  #watch(stop: StopPartition): void {
    const { records, stops, clock, group, topic } = this.#options;
    const { partition, warn } = this.#deps;
    this.#endWatch = watchStoppedPartition(
      stop,
      { group, topic, partition },
      {
        ...{ records, stops, clock, warn },
        isOpening: () => this.#state.opening !== null,
        onRetry: () => this.#apply({ tag: 'retry_asked' }),
      },
    );
  }

  async #openOnce(): Promise<Opened<Task>> {
    this.#tasks += 1;
    const id = this.#tasks;
    const ending = new AbortController();
    const { signal } = ending;
    this.#revoked.signal.addEventListener('abort', () => ending.abort(), { once: true, signal });
    try {
      const task = await rejectOnAbort(
        this.#revoked.signal,
        this.#options.open({
          ...{ partition: this.#deps.partition, signal },
          begin: (count) => this.#apply({ tag: 'work_begun', task: id, count }),
          finish: (count) => this.#apply({ tag: 'work_finished', task: id, count }),
          lost: () => this.#apply({ tag: 'lost', task: id }),
        }),
      );
      return { id, task, ending, work: Promise.resolve() };
    } catch (error) {
      ending.abort();
      throw error;
    }
  }

  /** Retries until the work succeeds, the partition must stop, or it is revoked. */
  #retried<A>(work: () => Promise<A>, message: string): Promise<A> {
    const { partition, warn } = this.#deps;
    return retry(work, {
      ...{ clock: this.#options.clock, signal: this.#revoked.signal },
      isTransient: (error) => !(error instanceof StopPartition),
      onFailure: (error) => warn({ partition, error, reason: messageOf(error) }, message),
    });
  }

  /** The offset of the first record to process. Rejects with `StopPartition`, and after a revocation. */
  async open(): Promise<number> {
    const opened = await this.#retried(() => this.#openOnce(), 'a partition is not opened yet');
    const { start } = opened.task;
    this.#opened = opened;
    this.#deps.logger.info({ partition: this.#deps.partition, start }, 'a partition is open');
    this.#apply({ tag: 'opened', task: opened.id, start });
    return start;
  }

  #reopen(after_ms: number): void {
    const former = this.#opened;
    this.#opened = null;
    former?.ending.abort();
    this.#reopening = this.#openAgain(former, after_ms).finally(() => {
      this.#reopening = null;
    });
  }

  async #openAgain(former: Opened<Task> | null, after_ms: number): Promise<StopPartition | null> {
    const { signal } = this.#revoked;
    try {
      if (former !== null) await close(former);
      if (after_ms > 0) await this.#options.clock.sleep(after_ms, signal);
      await this.open();
      return null;
    } catch (error) {
      if (signal.aborted) return null;
      const stop = error instanceof StopPartition ? error : new StopPartition(messageOf(error));
      this.#apply({ tag: 'not_opened', stop });
      return stop;
    }
  }

  /** The position of a partition that a rebalance keeps; null if it must be opened again. */
  async keptPosition(): Promise<number | null> {
    const stop = await this.#reopening;
    if (stop !== null) throw stop;
    const opened = this.#opened;
    if (opened === null) return null;
    const has_ended = await withTimeout(
      KEPT_BATCH_MS,
      opened.work.then(() => true),
      () => false,
      this.#options.clock,
    );
    if (!has_ended) return null;
    await this.#retried(async () => await opened.task.verify?.(), 'a partition is not verified yet');
    const { task } = this.#state;
    return task?.id === opened.id ? task.next : null;
  }

  stop(stop: StopPartition): void {
    const { opening, task } = this.#state;
    if (opening !== null) this.#apply({ tag: 'not_opened', stop });
    else if (task !== null) this.#apply({ tag: 'stopped', task: task.id, stop });
  }

  async #decode(batch: readonly LogRecord[], signal: AbortSignal): Promise<DecodedBatch<Event>> {
    const { records, unknown, accept } = this.#options;
    const decoding = batch.map(async ({ value }) => {
      const decoded = await records.decode(value);
      return decoded.tag === 'unknown' && unknown === 'skip' ? ({ ...decoded, tag: 'poison' } as const) : decoded;
    });
    return decodeBatch(batch, await rejectOnAbort(signal, Promise.all(decoding)), accept);
  }

  async #work({ id, task, ending }: Opened<Task>, batch: RecordBatch): Promise<void> {
    const { topic, concerns } = this.#options;
    const next = this.#state.task?.next ?? task.start;
    const [first, last] = [batch.records[0], batch.records.at(-1)];
    if (first === undefined || last === undefined) return;
    // A temporary topic may have a gap: its retention may have deleted records unread. The subscription has logged a
    // warning.
    if (first.offset < next || (first.offset > next && isRetainedForever(topic)))
      throw new Error(`${topic}/${this.#deps.partition}: a batch begins at ${first.offset} instead of ${next}`);
    const concerned = concerns === undefined ? batch.records : batch.records.filter(concerns);
    const { entries, stop, may_pass } = await this.#decode(concerned, ending.signal);
    await task.process(entries, batch);
    if (stop !== null) {
      const unread = concerned[entries.length];
      throw unread === undefined ? new StopPartition(stop) : new UnreadableRecord(unread, stop, !may_pass);
    }
    this.#apply({ tag: 'processed', task: id, next: last.offset + 1 });
  }

  async process(batch: RecordBatch): Promise<void> {
    const opened = this.#opened;
    // The partition was lost in the meantime. The batch is read again when the partition is open again.
    if (opened === null) return;
    const working = this.#work(opened, batch).catch(async (error: unknown) => {
      if (error instanceof StopPartition) await opened.task.idle?.();
      if (opened.ending.signal.aborted) {
        const { partition, logger } = this.#deps;
        logger.info({ partition, reason: messageOf(error) }, 'a batch was dropped, because its partition was lost');
        return;
      }
      if (error instanceof StopPartition) this.#apply({ tag: 'stopped', task: opened.id, stop: error });
      throw error;
    });
    opened.work = working.catch(() => undefined);
    await working;
  }

  async release(): Promise<void> {
    this.#revoked.abort();
    this.#apply({ tag: 'revoked' });
    if (this.#opened !== null) await close(this.#opened);
    await this.#reopening;
  }
}
