import { setTimeout as pause } from 'node:timers/promises';
import type { Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import { StopPartition, type Subscription, type SubscriptionOptions } from '../event-log/event-log.ts';
import { isMissingTopic, kafkaFault } from '../event-log/kafka-faults.ts';
import { logRecord } from '../event-log/log-record.ts';
import type { Logger } from '../logging/logger.ts';
import { messageOf } from '../logging/message-of.ts';
import { throttledWarn } from '../logging/throttled-warn.ts';
import { SYSTEM_CLOCK } from '../process/clock.ts';
import { retry } from '../process/retry.ts';
import { withTimeout } from '../process/within.ts';
import { ConditionWaiters } from './conditions.ts';
import { createConsumer, TRANSIENT_ERRORS } from './consumer-settings.ts';
import { HandOver } from './hand-over.ts';
import { LATE_POSITION_MS } from './late-positions.ts';
import { applyConsumerEvent } from './partition.ts';
import type { ConsumerAction, ConsumerEvent } from './partition-events.ts';
import { PartitionReports } from './partition-reports.ts';
import { hasPending, NO_ASSIGNMENT, offsetsToCommit, ownedPartition, ownedPartitions } from './partition-state.ts';
import { findPosition } from './position-search.ts';
import type { ReaderDependencies } from './reader-dependencies.ts';
import { resolveStartOffset } from './starting-point.ts';
import { groupByTopic, parseTopicPartitionKey, type TopicPartition, topicPartitionKey } from './topic-partition.ts';

export type GroupDependencies = ReaderDependencies & { readonly kafka: Kafka };

type Action<Tag extends ConsumerAction['tag']> = Extract<ConsumerAction, { readonly tag: Tag }>;
type Work = { readonly key: string; readonly generation: number };

const COMMIT_MS = 5_000;
const STOP_MS = 6_000;
const RETRY_MS = 1_000;
/**
 * A batch that takes longer continues in the background, because kafkajs fetches from a broker only after all batches
 * of its last response are done.
 */
const SLOW_BATCH_MS = 1_000;
/**
 * If a partition were paused until its position is known, kafkajs would fetch it 0.5 s after the resume. So batches
 * wait instead, for this long after a join.
 */
const GRACE_MS = 500;
/** Interval at which kafkajs is asked, during a batch, to send a heartbeat if one is due. */
const HEARTBEAT_CHECK_MS = 500;
const JOIN_AGAIN: ReadonlySet<unknown> = new Set([
  'REBALANCE_IN_PROGRESS',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
  'NOT_COORDINATOR_FOR_GROUP',
]);

const mustJoinAgain = (error: unknown): boolean =>
  error instanceof Error && 'type' in error && JOIN_AGAIN.has(error.type);

/** Sends the events of kafkajs and the subscriber to `applyConsumerEvent`, and carries out the actions that it returns. */
class GroupMember {
  readonly #options: SubscriptionOptions;
  readonly #deps: GroupDependencies;
  readonly #logger: Logger;
  readonly #warn: ReturnType<typeof throttledWarn>;
  readonly #reports: PartitionReports;
  readonly #consumer: Consumer;
  readonly #handOver = new HandOver();
  readonly #conditions = new ConditionWaiters();
  readonly #joined = Promise.withResolvers<void>();
  readonly #revoking = new Set<Promise<void>>();
  #state = NO_ASSIGNMENT;
  #assigned_at = 0;
  /** Aborts when the next generation replaces this one. */
  #replaced = new AbortController();
  #has_left = false;
  #commit_timer: NodeJS.Timeout | undefined;

  constructor(options: SubscriptionOptions, deps: GroupDependencies) {
    this.#options = options;
    this.#deps = deps;
    this.#logger = deps.logger.child({ group: options.group });
    this.#warn = throttledWarn(this.#logger);
    this.#reports = new PartitionReports(deps.readiness, this.#logger, options.group);
    this.#consumer = createConsumer(deps.kafka, options.group, () => this.#handOver.unreadable());
    this.#listen();
  }

  #listen(): void {
    const { events } = this.#consumer;
    this.#consumer.on(events.GROUP_JOIN, ({ payload: { memberId, memberAssignment } }) => {
      const partitions = Object.entries(memberAssignment).flatMap(([topic, numbers]) =>
        numbers.map((partition) => ({ topic, partition })),
      );
      this.#assigned_at = performance.now();
      this.#apply({ tag: 'assigned', member_id: memberId, partitions });
      const positioned = this.#conditions.until(() => !hasPending(this.#state));
      // After `LATE_POSITION_MS`, the start continues without all positions, because a partition may have no leader.
      // Readiness reports such a partition.
      void withTimeout(LATE_POSITION_MS, positioned.met, () => positioned.cancel()).then(this.#joined.resolve);
    });
    this.#consumer.on(events.HEARTBEAT, () => {
      if (this.#state.is_rebalancing) this.#apply({ tag: 'heartbeat_answered' });
    });
    this.#consumer.on(events.FETCH_START, () => this.#handOver.failFetchIfDue());
    this.#consumer.on(events.CRASH, ({ payload: { error, restart } }) => {
      if (restart) this.#warn({ reason: error.message }, 'the consumer restarts');
      else if (TRANSIENT_ERRORS.has(error.name)) {
        this.#warn({ reason: error.message }, 'restarting the consumer');
        // Rejects only when the subscription ends.
        this.#startAgain().catch(() => undefined);
      } else this.#crash(error);
    });
  }

  /** Returns the promises that the fetched batch waits for. */
  #apply(event: ConsumerEvent): readonly Promise<void>[] {
    const [state, actions] = applyConsumerEvent(this.#state, event);
    this.#state = state;
    const work = actions.flatMap((action) => this.#carryOut(action) ?? []);
    this.#conditions.check();
    return work;
  }

  #carryOut(action: ConsumerAction): Promise<void> | undefined {
    switch (action.tag) {
      case 'process':
        return this.#awaitWork(action, this.#process(action));
      case 'realign':
        return this.#awaitWork(action, this.#realign(action));
      case 'replace_generation':
        this.#replaced.abort();
        this.#replaced = new AbortController();
        return;
      case 'announce':
        this.#announce(action);
        return;
      case 'find_position':
        void this.#findPosition(action);
        return;
      case 'revoke':
        this.#revoke(action.key);
        return;
      case 'commit_soon':
        this.#commitSoon();
        return;
      case 'pause':
      case 'resume':
      case 'seek':
        this.#steer(action);
        return;
      default:
        this.#reports.report(action);
    }
  }

  /** kafkajs rejects these commands while it restarts. The next assignment repeats them. */
  #steer(action: Action<'pause' | 'resume' | 'seek'>): void {
    const { topic, partition } = parseTopicPartitionKey(action.key);
    try {
      if (action.tag === 'seek') this.#consumer.seek({ topic, partition, offset: String(action.offset) });
      else if (action.tag === 'pause') this.#consumer.pause([{ topic, partitions: [partition] }]);
      else this.#consumer.resume([{ topic, partitions: [partition] }]);
    } catch (error) {
      this.#logger.debug({ reason: messageOf(error) }, 'the consumer cannot pause, resume or seek now');
    }
  }

  #announce({ gained, lost }: Action<'announce'>): void {
    for (const [topic, partitions] of groupByTopic(gained)) this.#options.on_assigned?.(topic, partitions);
    if (this.#state.has_ended) return;
    const partitions = ownedPartitions(this.#state).map(topicPartitionKey);
    this.#logger.info({ partitions, gained: gained.length, lost }, 'partitions assigned');
  }

  #crash(error: unknown): void {
    if (this.#state.has_ended || this.#has_left || this.#deps.closing.aborted) return;
    this.#apply({ tag: 'crashed' });
    this.#logger.fatal({ error }, 'a subscription crashed');
    this.#deps.on_crash(error);
  }

  #revoke(key: string): void {
    const { topic, partition } = parseTopicPartitionKey(key);
    const ending = (async () => await this.#options.on_revoked?.(topic, [partition]))()
      .catch((error: unknown) => this.#crash(error))
      .finally(() => {
        this.#revoking.delete(ending);
        this.#apply({ tag: 'revoked', key });
      });
    this.#revoking.add(ending);
  }

  async #findPosition({ key, generation }: Work): Promise<void> {
    const { signal } = this.#replaced;
    const { position } = this.#options;
    try {
      const event = await findPosition(
        { key, generation },
        {
          ...{ position, signal, startOf: (...args) => this.#startOf(...args) },
          onFailure: (error) =>
            this.#warn({ ...parseTopicPartitionKey(key), reason: messageOf(error) }, 'a position is not known yet'),
        },
      );
      this.#apply(event);
    } catch (error) {
      this.#crash(error);
      this.#apply({ tag: 'not_positioned', key, generation, reason: null });
    }
  }

  #startOf(key: string, position: number, replaced: AbortSignal): Promise<number> {
    const { bounds, isKeptForEver, closing } = this.#deps;
    return resolveStartOffset(parseTopicPartitionKey(key), position, {
      ...{ bounds, isKeptForEver, logger: this.#logger, closing: AbortSignal.any([closing, replaced]) },
    });
  }

  async #process({ key, generation, batch }: Action<'process'>): Promise<ConsumerEvent> {
    const wanted = batch.records[0]?.offset ?? 0;
    await this.#options.on_batch(batch);
    return { tag: 'processed', key, generation, wanted, next: wanted + batch.records.length };
  }

  async #realign({ key, generation, wanted, found }: Action<'realign'>): Promise<ConsumerEvent> {
    const realigned = (start: number): ConsumerEvent => ({ tag: 'realigned', key, generation, wanted, found, start });
    const { signal } = this.#replaced;
    try {
      return realigned(await this.#startOf(key, wanted, signal));
    } catch (error) {
      const is_over = signal.aborted || ownedPartition(this.#state, key)?.expected !== wanted;
      if (is_over || this.#state.has_ended) return realigned(wanted);
      throw error;
    }
  }

  /**
   * Waits until the work is done, takes longer than `SLOW_BATCH_MS`, or the group rebalances. Unfinished work continues
   * in the background, and resumes its partition when it ends.
   */
  async #awaitWork({ key, generation }: Work, working: Promise<ConsumerEvent>): Promise<void> {
    const rebalancing = this.#conditions.until(() => this.#state.is_rebalancing);
    const first = Promise.race([working, rebalancing.met.then(() => null)]);
    const done = await withTimeout(SLOW_BATCH_MS, first, () => null).finally(rebalancing.cancel);
    if (done !== null) {
      this.#apply(done);
      return;
    }
    this.#apply({ tag: 'slow', key, generation });
    this.#guarded({ key, generation }, async () => void this.#apply(await working)).catch((error: unknown) =>
      this.#crash(error),
    );
  }

  async #guarded({ key, generation }: Work, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof StopPartition)) throw error;
      this.#apply({ tag: 'failed', key, generation, reason: error.message });
    }
  }

  async #positioned(key: string): Promise<void> {
    const grace_ms = this.#assigned_at + GRACE_MS - performance.now();
    if (grace_ms <= 0 || ownedPartition(this.#state, key)?.is_pending !== true) return;
    const { generation } = this.#state;
    const known = this.#conditions.until(
      () => this.#state.generation !== generation || ownedPartition(this.#state, key)?.is_pending !== true,
    );
    await withTimeout(grace_ms, known.met, known.cancel);
  }

  async #take({ batch, resolveOffset, isRunning, isStale }: EachBatchPayload): Promise<void> {
    const { topic, partition } = batch;
    const key = topicPartitionKey({ topic, partition });
    const { generation, is_rebalancing } = this.#state;
    if (is_rebalancing || ownedPartition(this.#state, key) === undefined) return;
    await this.#positioned(key);
    if (!isRunning() || isStale() || this.#state.generation !== generation) return;
    const records = batch.messages.map((message) => logRecord(topic, partition, message));
    const high_watermark = Number(batch.highWatermark);
    await Promise.all(this.#apply({ tag: 'fetched', batch: { topic, partition, records, high_watermark } }));
    const last = records.at(-1);
    if (last === undefined || this.#state.generation !== generation) return;
    if (ownedPartition(this.#state, key)?.expected === last.offset + 1) resolveOffset(String(last.offset));
  }

  async #eachBatch(payload: EachBatchPayload): Promise<void> {
    const { topic, partition } = payload.batch;
    const { generation } = this.#state;
    // kafkajs itself sends heartbeats only between batches. If one fails, kafkajs joins again after the batch.
    const beat = (): void => {
      payload.heartbeat().catch((error: unknown) => {
        if (mustJoinAgain(error) && this.#state.generation === generation) this.#apply({ tag: 'rebalancing' });
      });
    };
    beat();
    const beats = setInterval(beat, HEARTBEAT_CHECK_MS);
    try {
      await this.#guarded({ key: topicPartitionKey({ topic, partition }), generation }, () => this.#take(payload));
    } catch (error) {
      this.#crash(error);
    } finally {
      clearInterval(beats);
    }
  }

  async #commit(): Promise<void> {
    this.#commit_timer = undefined;
    const offsets = offsetsToCommit(this.#state);
    if (offsets.size === 0) return;
    await this.#consumer.commitOffsets(
      Array.from(offsets, ([key, offset]) => ({ ...parseTopicPartitionKey(key), offset: String(offset) })),
    );
    this.#apply({ tag: 'committed', offsets });
  }

  /** Commits only after records were read, so that an idle consumer sends no commits. */
  #commitSoon(): void {
    this.#commit_timer ??= setTimeout(() => {
      this.#commit().catch((error: unknown) =>
        this.#logger.debug({ reason: messageOf(error) }, 'offsets were not committed'),
      );
    }, COMMIT_MS).unref();
  }

  #run(): Promise<void> {
    return this.#consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: this.#options.concurrency ?? 1,
      eachBatch: (payload) => this.#eachBatch(payload),
    });
  }

  /** Retries each second, until the subscription is closed. */
  #untilKafkaTakes(work: () => Promise<void>, onFailure: (error: unknown) => void): Promise<void> {
    return retry(work, {
      ...{ clock: SYSTEM_CLOCK, signal: this.#deps.closing, policy: () => RETRY_MS, onFailure },
      isTransient: () => !this.#state.has_ended && !this.#has_left,
    });
  }

  async #startAgain(): Promise<void> {
    await pause(RETRY_MS, undefined, { signal: this.#deps.closing });
    const start = async (): Promise<void> => {
      if (this.#state.has_ended || this.#has_left) return;
      await this.#consumer.connect();
      await this.#run();
    };
    await this.#untilKafkaTakes(start, (error) => this.#warn({ reason: messageOf(error) }, 'waiting for Kafka'));
  }

  /** Resolves after the join, when the positions of all partitions are known or `LATE_POSITION_MS` has passed. */
  async join(): Promise<void> {
    const { group, topics } = this.#options;
    const { readiness, closing } = this.#deps;
    const problem = `subscription ${group}`;
    readiness.set(problem, 'not joined yet');
    const subscribe = async (): Promise<void> => {
      await this.#consumer.connect();
      await this.#consumer.subscribe({ topics: [...topics], fromBeginning: true });
    };
    await this.#untilKafkaTakes(subscribe, (error) => {
      const why = isMissingTopic(error)
        ? `a topic of ${topics.join(', ')} is missing: run the deploy step`
        : `Kafka cannot be reached: ${kafkaFault(error).message}`;
      readiness.set(problem, why);
      this.#warn({ reason: why }, 'waiting');
    });
    this.#options.on_subscription?.(this.subscription());
    await this.#run();
    const abandon = (): void => this.#joined.reject(new Error('the event log was closed'));
    closing.addEventListener('abort', abandon, { once: true });
    await this.#joined.promise.finally(() => closing.removeEventListener('abort', abandon));
    readiness.set(problem, null);
  }

  async #stop(): Promise<void> {
    if (this.#has_left) return;
    this.#has_left = true;
    const leave = async (): Promise<void> => {
      await this.#commit().catch(() => undefined);
      await this.#consumer.disconnect();
    };
    clearTimeout(this.#commit_timer);
    this.#handOver.cancel();
    // A member without a broker cannot leave its group, so the wait is bounded.
    await Promise.race([leave().catch(() => undefined), pause(STOP_MS, undefined, { ref: false })]);
    this.#apply({ tag: 'left' });
    // Removes the problems of this subscription from readiness, because the process may continue without it.
    this.#apply({ tag: 'assigned', member_id: '', partitions: [] });
    await Promise.all(this.#revoking);
  }

  async #lag(): Promise<number> {
    let lag = 0;
    for (const topic of groupByTopic(ownedPartitions(this.#state)).keys())
      for (const { partition, end } of await this.#deps.bounds(topic))
        lag += Math.max(
          0,
          end - (ownedPartition(this.#state, topicPartitionKey({ topic, partition }))?.expected ?? end),
        );
    return lag;
  }

  #handOverPartition(topicPartition: TopicPartition): void {
    const key = topicPartitionKey(topicPartition);
    if (ownedPartition(this.#state, key) === undefined || !this.#handOver.add(key)) return;
    this.#logger.warn(topicPartition, 'a partition is handed over to a process with newer code, if one exists');
  }

  subscription(): Subscription {
    const apply = (event: ConsumerEvent): void => void this.#apply(event);
    return {
      stop: () => this.#stop(),
      lag: () => this.#lag(),
      pause: (topic, partition) => apply({ tag: 'pause', key: topicPartitionKey({ topic, partition }) }),
      resume: (topic, partition) => apply({ tag: 'resume', key: topicPartitionKey({ topic, partition }) }),
      seek: (topic, partition, offset) => apply({ tag: 'seek', key: topicPartitionKey({ topic, partition }), offset }),
      stopPartition: (topic, partition, reason) =>
        apply({ tag: 'stop', key: topicPartitionKey({ topic, partition }), reason }),
      handOver: (topic, partition) => this.#handOverPartition({ topic, partition }),
      restartPartition: (topic, partition, offset) =>
        apply({ tag: 'restart', key: topicPartitionKey({ topic, partition }), offset }),
    };
  }
}

export const subscribe = async (options: SubscriptionOptions, deps: GroupDependencies): Promise<Subscription> => {
  const member = new GroupMember(options, deps);
  await member.join();
  return member.subscription();
};
