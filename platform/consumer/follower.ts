import pLimit from 'p-limit';
import { StopPartition, type Subscription, type SubscriptionOptions } from '../event-log/event-log.ts';
import { isMissingTopic, kafkaFault } from '../event-log/kafka-faults.ts';
import { logRecord } from '../event-log/log-record.ts';
import type { Logger } from '../logging/logger.ts';
import { messageOf } from '../logging/message-of.ts';
import { sparingWarnings } from '../logging/sparing-warnings.ts';
import { SYSTEM_CLOCK } from '../process/clock.ts';
import { retry } from '../process/retry.ts';
import { within } from '../process/within.ts';
import { LATE_POSITION_MS, type LatePositions, latePositions } from './late-positions.ts';
import type { Fetched, PartitionFetcher } from './partition-fetcher.ts';
import type { ReaderDependencies } from './reader-dependencies.ts';
import { startingPoint } from './starting-point.ts';
import type { TopicPartition } from './topic-partition.ts';
import { keyOf } from './topic-partition.ts';

export type FollowerDependencies = ReaderDependencies & {
  readonly fetcher: PartitionFetcher;
  readonly partitionsOf: (topic: string) => Promise<number>;
};

type Followed = TopicPartition & {
  /** The next batch begins at this offset; null until the position is known. */
  expected: number | null;
  /** The batch in process. */
  working: Promise<void> | null;
  is_paused: boolean;
  is_stopped: boolean;
  /** The expected offset at which the last batch was rejected, as it began elsewhere. */
  misaligned: number | null;
};

/** A round waits this long for the batches of its fetch. */
const SLOW_BATCH_MS = 1_000;
const PAUSE_MS = 1_000;
const STOP_MS = 6_000;

/** Reads every partition of some topics without a consumer group. It joins no group and commits no offset. */
class Follower {
  readonly #options: SubscriptionOptions;
  readonly #deps: FollowerDependencies;
  readonly #logger: Logger;
  readonly #warn: (fields: Record<string, unknown>, message: string) => void;
  readonly #limit: <A>(work: () => Promise<A>) => Promise<A>;
  readonly #late: LatePositions;
  readonly #all = new Map<string, Followed>();
  readonly #stopping = new AbortController();
  /** Rounds of fetches, by broker. */
  readonly #rounds = new Map<number, Promise<void>>();
  #wake = Promise.withResolvers<void>();

  constructor(options: SubscriptionOptions, deps: FollowerDependencies) {
    this.#options = options;
    this.#deps = deps;
    this.#logger = deps.logger.child({ reader: options.group });
    this.#warn = sparingWarnings(this.#logger);
    this.#late = latePositions(deps.readiness, (key) => `${options.group} ${key}`);
    this.#limit = pLimit(options.concurrency ?? 1);
    const { signal } = this.#stopping;
    deps.closing.addEventListener('abort', () => this.#stopping.abort(), { once: true, signal });
  }

  get #is_over(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Resolves when the positions are known, or soon after. */
  async start(): Promise<void> {
    const { group, topics } = this.#options;
    const problem = `subscription ${group}`;
    this.#deps.readiness.set(problem, 'not begun yet');
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
    for (const [i, topic] of topics.entries())
      for (let partition = 0; partition < (counts[i] ?? 0); partition += 1)
        this.#all.set(keyOf({ topic, partition }), {
          ...{ topic, partition, expected: null, working: null, misaligned: null, is_paused: false, is_stopped: false },
        });
    for (const [topic, partitions] of this.#byTopic()) this.#options.on_assigned?.(topic, partitions);
    const positions = Array.from(this.#all.values(), (one) => this.#begin(one));
    this.#read().catch((error: unknown) => this.#crash(error));
    await within(LATE_POSITION_MS, Promise.all(positions), () => []);
    this.#deps.readiness.set(problem, null);
  }

  async #begin(one: Followed): Promise<void> {
    const { topic, partition } = one;
    const { signal } = this.#stopping;
    this.#late.begin(one);
    try {
      const position = await retry(() => this.#options.position(topic, partition), {
        ...{ clock: SYSTEM_CLOCK, signal, isTransient: (error) => !(error instanceof StopPartition) },
        onFailure: (error) => this.#warn({ topic, partition, reason: messageOf(error) }, 'a position is not known yet'),
      });
      const start = await this.#startOf(one, position);
      // The subscriber may have moved the position in the meantime.
      if (!this.#is_over && one.expected === null) this.#goTo(one, start);
    } catch (error) {
      this.#fault(one, error);
    } finally {
      this.#late.end(one);
    }
  }

  #startOf(one: Followed, position: number): Promise<number> {
    const { bounds, isKeptForEver } = this.#deps;
    const { topic, partition } = one;
    return startingPoint({ topic, partition }, position, {
      ...{ bounds, isKeptForEver, logger: this.#logger, closing: this.#stopping.signal },
    });
  }

  #goTo(one: Followed, offset: number): void {
    one.expected = offset;
    this.#wakeUp();
  }

  #wakeUp(): void {
    this.#wake.resolve();
  }

  #fault(one: Followed, error: unknown): void {
    if (error instanceof StopPartition) this.#stopPartition(one, error.message);
    else this.#crash(error);
  }

  #crash(error: unknown): void {
    if (this.#is_over) return;
    this.#logger.fatal({ error }, 'a subscription crashed');
    this.#stopping.abort();
    this.#deps.on_crash(error);
  }

  #problemOf(one: Followed): string {
    return `${this.#options.group} ${keyOf(one)}`;
  }

  #stopPartition(one: Followed, reason: string): void {
    const { topic, partition, expected: offset } = one;
    this.#late.end(one);
    one.is_stopped = true;
    this.#deps.readiness.set(this.#problemOf(one), `stopped: ${reason}`);
    this.#logger.error({ topic, partition, offset, reason }, 'a partition was stopped');
  }

  #isReady(one: Followed): one is Followed & { expected: number } {
    return one.expected !== null && one.working === null && !one.is_paused && !one.is_stopped;
  }

  /** Fetches from each leader the partitions that are ready, until the follower stops. */
  async #read(): Promise<void> {
    const { fetcher } = this.#deps;
    while (!this.#is_over) {
      this.#wake = Promise.withResolvers();
      const ready = [...this.#all.values()].filter((one) => this.#isReady(one));
      const leaders = await fetcher.leadersOf(ready);
      for (const [leader, partitions] of leaders) {
        if (this.#rounds.has(leader) || this.#is_over) continue;
        const round = this.#round(leader, partitions).finally(() => {
          this.#rounds.delete(leader);
          this.#wakeUp();
        });
        this.#rounds.set(leader, round);
      }
      // The pause is bounded, as a partition without a leader may get one.
      await within(PAUSE_MS, this.#wake.promise, () => undefined);
    }
  }

  async #round(leader: number, partitions: readonly Followed[]): Promise<void> {
    const asked = partitions.flatMap((one) => (this.#isReady(one) ? [{ ...one, from: one.expected }] : []));
    const fetched = await this.#deps.fetcher.fetch(leader, asked);
    if (this.#is_over) return;
    const working = fetched.flatMap((batch) => {
      const one = this.#all.get(keyOf(batch));
      const from = asked.find(({ topic, partition }) => topic === batch.topic && partition === batch.partition)?.from;
      if (one === undefined || from === undefined || !this.#isReady(one) || one.expected !== from) return [];
      one.working = this.#limit(() => this.#take(one, from, batch))
        .catch((error: unknown) => this.#fault(one, error))
        .finally(() => {
          one.working = null;
          this.#wakeUp();
        });
      return [one.working];
    });
    await within(SLOW_BATCH_MS, Promise.all(working), () => []);
  }

  async #take(one: Followed, wanted: number, { messages, high_watermark, is_outside }: Fetched): Promise<void> {
    const { topic, partition } = one;
    // It may have been paused, stopped or moved while it waited for other partitions.
    if (this.#is_over || one.is_paused || one.is_stopped || one.expected !== wanted) return;
    const records = messages.map((message) => logRecord(topic, partition, message));
    const [first, last] = [records[0], records.at(-1)];
    if (is_outside || (first !== undefined && first.offset !== wanted))
      return await this.#realign(one, wanted, first?.offset ?? null);
    if (first === undefined || last === undefined) return;
    if (last.offset - first.offset !== records.length - 1)
      throw new StopPartition(`records are missing between ${first.offset} and ${last.offset}`);
    await this.#options.on_batch({ topic, partition, records, high_watermark });
    one.misaligned = null;
    // The subscriber may have moved the position in the meantime.
    if (one.expected === wanted) one.expected = last.offset + 1;
  }

  /** @param found begin of the batch; null if the log has no such offset */
  async #realign(one: Followed, wanted: number, found: number | null): Promise<void> {
    const { topic, partition } = one;
    const start = await this.#startOf(one, wanted);
    if (found !== null && start === wanted && one.misaligned === wanted)
      throw new StopPartition(`records ${wanted} to ${found - 1} are missing from the log`);
    // The brokers do not agree yet on the end of the log.
    if (found === null && start === wanted)
      await SYSTEM_CLOCK.sleep(PAUSE_MS, this.#stopping.signal).catch(() => undefined);
    one.misaligned = wanted;
    this.#logger.warn({ topic, partition, wanted, found }, 'a batch began elsewhere');
    if (one.expected === wanted) one.expected = start;
  }

  subscription(): Subscription {
    const followed = (topic: string, partition: number): Followed | undefined =>
      this.#all.get(keyOf({ topic, partition }));
    return {
      stop: () => this.#stop(),
      lag: () => this.#lag(),
      pause: (topic, partition) => {
        const one = followed(topic, partition);
        if (one !== undefined) one.is_paused = true;
      },
      resume: (topic, partition) => {
        const one = followed(topic, partition);
        if (one !== undefined) one.is_paused = false;
        this.#wakeUp();
      },
      seek: (topic, partition, offset) => {
        const one = followed(topic, partition);
        if (one !== undefined) this.#goTo(one, offset);
      },
      stopPartition: (topic, partition, reason) => {
        const one = followed(topic, partition);
        if (one !== undefined) this.#stopPartition(one, reason);
      },
      // Every process reads all partitions.
      handOver: () => undefined,
      restartPartition: (topic, partition, offset) => {
        const one = followed(topic, partition);
        if (one?.is_stopped !== true) return;
        this.#deps.readiness.set(this.#problemOf(one), null);
        one.is_stopped = false;
        this.#logger.info({ topic, partition, offset }, 'a stopped partition restarts');
        this.#goTo(one, offset);
      },
    };
  }

  async #lag(): Promise<number> {
    let lag = 0;
    for (const topic of this.#options.topics)
      for (const { partition, end } of await this.#deps.bounds(topic))
        lag += Math.max(0, end - (this.#all.get(keyOf({ topic, partition }))?.expected ?? end));
    return lag;
  }

  async #stop(): Promise<void> {
    this.#stopping.abort();
    this.#wakeUp();
    const working = Promise.all(Array.from(this.#all.values(), (one) => one.working));
    await within(STOP_MS, working, () => []);
    await within(STOP_MS, this.#deps.fetcher.close(), () => undefined);
    for (const one of this.#all.values()) {
      this.#late.end(one);
      if (one.is_stopped) this.#deps.readiness.set(this.#problemOf(one), null);
    }
    for (const [topic, partitions] of this.#byTopic()) await this.#options.on_revoked?.(topic, partitions);
  }

  #byTopic(): ReadonlyMap<string, readonly number[]> {
    const by_topic = Map.groupBy(this.#all.values(), ({ topic }) => topic);
    return new Map(Array.from(by_topic, ([topic, all]) => [topic, all.map(({ partition }) => partition)]));
  }
}

/** Reads all partitions of the topics without a consumer group. `group` is only a name in logs and readiness. */
export const follow = async (options: SubscriptionOptions, deps: FollowerDependencies): Promise<Subscription> => {
  const follower = new Follower(options, deps);
  const subscription = follower.subscription();
  options.on_subscription?.(subscription);
  await follower.start();
  return subscription;
};
