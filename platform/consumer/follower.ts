import pLimit from 'p-limit';
import {
  type RecordBatch,
  StopPartition,
  type Subscription,
  type SubscriptionOptions,
} from '../event-log/event-log.ts';
import { isMissingTopic, kafkaFault } from '../event-log/kafka-faults.ts';
import { logRecord } from '../event-log/log-record.ts';
import type { Logger } from '../logging/logger.ts';
import { messageOf } from '../logging/message-of.ts';
import { throttledWarn } from '../logging/throttled-warn.ts';
import { SYSTEM_CLOCK } from '../process/clock.ts';
import { retry } from '../process/retry.ts';
import { withTimeout } from '../process/within.ts';
import { ConditionWaiters } from './conditions.ts';
import { LATE_POSITION_MS } from './late-positions.ts';
import { applyConsumerEvent } from './partition.ts';
import type { ConsumerAction, ConsumerEvent } from './partition-events.ts';
import type { FetchedBatch, PartitionFetcher } from './partition-fetcher.ts';
import { PartitionReports } from './partition-reports.ts';
import {
  canFetch,
  hasPending,
  NO_ASSIGNMENT,
  ownedPartition,
  ownedPartitions,
  type PartitionState,
} from './partition-state.ts';
import { findPosition } from './position-search.ts';
import type { ReaderDependencies } from './reader-dependencies.ts';
import { resolveStartOffset } from './starting-point.ts';
import { groupByTopic, parseTopicPartitionKey, type TopicPartition, topicPartitionKey } from './topic-partition.ts';

export type FollowerDependencies = ReaderDependencies & {
  readonly fetcher: PartitionFetcher;
  readonly partitionsOf: (topic: string) => Promise<number>;
};

type Action<Tag extends ConsumerAction['tag']> = Extract<ConsumerAction, { readonly tag: Tag }>;
type Asked = TopicPartition & { readonly from: number };

/** The next fetch from a broker waits at most this long for the batches of the last fetch. */
const SLOW_BATCH_MS = 1_000;
const PAUSE_MS = 1_000;
const STOP_MS = 6_000;

class Follower {
  readonly #options: SubscriptionOptions;
  readonly #deps: FollowerDependencies;
  readonly #logger: Logger;
  readonly #warn: (fields: Record<string, unknown>, message: string) => void;
  readonly #limit: <A>(work: () => Promise<A>) => Promise<A>;
  readonly #reports: PartitionReports;
  readonly #conditions = new ConditionWaiters();
  readonly #stopping = new AbortController();
  readonly #working = new Map<string, Promise<void>>();
  readonly #rounds = new Map<number, Promise<void>>();
  readonly #revoking: Promise<void>[] = [];
  #state = NO_ASSIGNMENT;
  #wake = Promise.withResolvers<void>();

  constructor(options: SubscriptionOptions, deps: FollowerDependencies) {
    this.#options = options;
    this.#deps = deps;
    this.#logger = deps.logger.child({ reader: options.group });
    this.#warn = throttledWarn(this.#logger);
    this.#reports = new PartitionReports(deps.readiness, this.#logger, options.group);
    this.#limit = pLimit(options.concurrency ?? 1);
    const { signal } = this.#stopping;
    deps.closing.addEventListener('abort', () => this.#stopping.abort(), { once: true, signal });
  }

  get #is_over(): boolean {
    return this.#stopping.signal.aborted;
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
        return this.#process(action);
      case 'realign':
        return this.#realign(action);
      case 'announce':
        for (const [topic, partitions] of groupByTopic(action.gained)) this.#options.on_assigned?.(topic, partitions);
        return;
      case 'find_position':
        void this.#findPosition(action);
        return;
      case 'revoke':
        this.#revoking.push(this.#revoke(action.key));
        return;
      case 'pause':
      case 'resume':
      case 'seek':
        this.#wakeUp();
        return;
      // A follower has one generation, and commits no offsets.
      case 'replace_generation':
      case 'commit_soon':
        return;
      default:
        this.#reports.report(action);
    }
  }

  async #revoke(key: string): Promise<void> {
    const { topic, partition } = parseTopicPartitionKey(key);
    await this.#options.on_revoked?.(topic, [partition]);
  }

  /** Resolves when the positions of all partitions are known, or after `LATE_POSITION_MS`. */
  async start(): Promise<void> {
    const { group } = this.#options;
    const problem = `subscription ${group}`;
    this.#deps.readiness.set(problem, 'not begun yet');
    const partitions = await this.#partitions(problem);
    this.#apply({ tag: 'assigned', member_id: group, partitions });
    this.#read().catch((error: unknown) => this.#crash(error));
    const positioned = this.#conditions.until(() => !hasPending(this.#state));
    await withTimeout(LATE_POSITION_MS, positioned.met, positioned.cancel);
    this.#deps.readiness.set(problem, null);
  }

  async #partitions(problem: string): Promise<readonly TopicPartition[]> {
    const { topics } = this.#options;
    const counts = await retry(() => Promise.all(topics.map(this.#deps.partitionsOf)), {
      ...{ clock: SYSTEM_CLOCK, signal: this.#stopping.signal, policy: () => PAUSE_MS },
      onFailure: (error) => {
        const why = isMissingTopic(error)
          ? `a topic of ${topics.join(', ')} is missing: run the deploy step`
          : `Kafka cannot be reached: ${kafkaFault(error).message}`;
        this.#deps.readiness.set(problem, why);
        this.#warn({ reason: why }, 'waiting');
      },
    });
    return topics.flatMap((topic, i) =>
      Array.from({ length: counts[i] ?? 0 }, (_, partition) => ({ topic, partition })),
    );
  }

  async #findPosition({ key, generation }: Action<'find_position'>): Promise<void> {
    const { position } = this.#options;
    try {
      const event = await findPosition(
        { key, generation },
        {
          ...{ position, signal: this.#stopping.signal, startOf: (of, at) => this.#startOf(of, at) },
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

  #startOf(key: string, position: number): Promise<number> {
    const { bounds, isKeptForEver } = this.#deps;
    return resolveStartOffset(parseTopicPartitionKey(key), position, {
      ...{ bounds, isKeptForEver, logger: this.#logger, closing: this.#stopping.signal },
    });
  }

  #wakeUp(): void {
    this.#wake.resolve();
  }

  #crash(error: unknown): void {
    if (this.#is_over) return;
    this.#logger.fatal({ error }, 'a subscription crashed');
    this.#stopping.abort();
    this.#apply({ tag: 'crashed' });
    this.#deps.on_crash(error);
  }

  #isReady(one: PartitionState): one is PartitionState & { readonly expected: number } {
    return one.expected !== null && canFetch(this.#state, one) && !this.#working.has(topicPartitionKey(one));
  }

  async #read(): Promise<void> {
    const { fetcher } = this.#deps;
    while (!this.#is_over) {
      this.#wake = Promise.withResolvers();
      const ready = ownedPartitions(this.#state).filter((one) => this.#isReady(one));
      const leaders = await fetcher.leadersOf(ready);
      for (const [leader, partitions] of leaders) {
        if (this.#rounds.has(leader) || this.#is_over) continue;
        const round = this.#round(leader, partitions.map(topicPartitionKey)).finally(() => {
          this.#rounds.delete(leader);
          this.#wakeUp();
        });
        this.#rounds.set(leader, round);
      }
      // The wait is bounded, because a partition without a leader can get one at any time.
      await withTimeout(PAUSE_MS, this.#wake.promise, () => undefined);
    }
  }

  async #round(leader: number, keys: readonly string[]): Promise<void> {
    const fetchRequests: readonly Asked[] = keys.flatMap((key) => {
      const one = ownedPartition(this.#state, key);
      return one !== undefined && this.#isReady(one) ? [{ ...parseTopicPartitionKey(key), from: one.expected }] : [];
    });
    const from = new Map(fetchRequests.map((one) => [topicPartitionKey(one), one.from]));
    const fetched = await this.#deps.fetcher.fetch(leader, fetchRequests);
    if (this.#is_over) return;
    const working = fetched.flatMap((answer) => {
      const key = topicPartitionKey(answer);
      const wanted = from.get(key);
      const one = ownedPartition(this.#state, key);
      if (wanted === undefined || one === undefined || !this.#isReady(one) || one.expected !== wanted) return [];
      const work = this.#limit(() => this.#take(key, wanted, answer)).finally(() => {
        this.#working.delete(key);
        this.#wakeUp();
      });
      this.#working.set(key, work);
      return [work];
    });
    await withTimeout(SLOW_BATCH_MS, Promise.all(working), () => []);
  }

  async #take(key: string, wanted: number, { messages, high_watermark, is_outside }: FetchedBatch): Promise<void> {
    // The subscriber can move the position while the batch waits for other partitions.
    if (this.#is_over || ownedPartition(this.#state, key)?.expected !== wanted) return;
    const { generation } = this.#state;
    const { topic, partition } = parseTopicPartitionKey(key);
    const records = messages.map((message) => logRecord(topic, partition, message));
    const batch: RecordBatch = { topic, partition, records, high_watermark };
    try {
      await Promise.all(this.#apply({ tag: 'fetched', batch, is_outside }));
    } catch (error) {
      if (error instanceof StopPartition) this.#apply({ tag: 'failed', key, generation, reason: error.message });
      else this.#crash(error);
    }
  }

  async #process({ key, generation, batch }: Action<'process'>): Promise<void> {
    const wanted = batch.records[0]?.offset ?? 0;
    await this.#options.on_batch(batch);
    this.#apply({ tag: 'processed', key, generation, wanted, next: wanted + batch.records.length });
  }

  async #realign({ key, generation, wanted, found }: Action<'realign'>): Promise<void> {
    const start = await this.#startOf(key, wanted);
    // The bounds contain the offset, but the fetch did not find it: the brokers do not agree yet on the end of the log.
    if (found === null && start === wanted)
      await SYSTEM_CLOCK.sleep(PAUSE_MS, this.#stopping.signal).catch(() => undefined);
    this.#apply({ tag: 'realigned', key, generation, wanted, found, start });
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
      // Every process reads all partitions, so no other process can take one over.
      handOver: () => undefined,
      restartPartition: (topic, partition, offset) =>
        apply({ tag: 'restart', key: topicPartitionKey({ topic, partition }), offset }),
    };
  }

  async #lag(): Promise<number> {
    let lag = 0;
    for (const topic of this.#options.topics)
      for (const { partition, end } of await this.#deps.bounds(topic))
        lag += Math.max(
          0,
          end - (ownedPartition(this.#state, topicPartitionKey({ topic, partition }))?.expected ?? end),
        );
    return lag;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeUp();
    await withTimeout(STOP_MS, Promise.all(this.#working.values()), () => []);
    await withTimeout(STOP_MS, this.#deps.fetcher.close(), () => undefined);
    this.#apply({ tag: 'left' });
    this.#apply({ tag: 'assigned', member_id: '', partitions: [] });
    await Promise.all(this.#revoking);
  }
}

/** Reads all partitions without a consumer group. `group` is only a name in logs and readiness. */
export const followPartitions = async (
  options: SubscriptionOptions,
  deps: FollowerDependencies,
): Promise<Subscription> => {
  const follower = new Follower(options, deps);
  const subscription = follower.subscription();
  options.on_subscription?.(subscription);
  await follower.start();
  return subscription;
};
