import type { TopicPartition } from '../../../platform/consumer/topic-partition.ts';
import { StopPartition, type Subscription, type SubscriptionOptions } from '../../../platform/event-log/event-log.ts';
import type { Life } from '../world/life.ts';
import type { World } from '../world/world.ts';
import type { Brokers, Partition } from './brokers.ts';
import type { Groups, Member } from './groups.ts';

export type SubscriptionDependencies = {
  readonly world: World;
  readonly brokers: Brokers;
  readonly groups: Groups;
  readonly life: Life;
  readonly members: Map<Member, string>;
  /** An earlier fault: one unknown position blocks every partition of the subscription. */
  readonly positions_block: boolean;
};

type Owned = TopicPartition & {
  /** The offset that the next batch begins with; null while it is not known. */
  expected: number | null;
  /** In this assignment its position is not known yet. The real subscription delivers no batch then either. */
  is_pending: boolean;
  is_busy: boolean;
  is_paused: boolean;
  is_stopped: boolean;
  readonly forget: () => void;
};

const COMMIT_MS = 5_000;
/** As in platform/consumer/group.ts. */
const SLOW_BATCH_MS = 1_000;
const LATE_POSITION_MS = 10_000;
/** Heartbeats are frequent and have many readers. A longer fetch latency puts more of them into one batch. */
const HEARTBEATS = 'worker-heartbeats';
const MAX_IN_A_BATCH = 40;

type Consumer = SubscriptionDependencies & {
  readonly options: SubscriptionOptions;
  readonly member: Member & { readonly unreadable: Set<string> };
  readonly joined: PromiseWithResolvers<void>;
  owned: Map<string, Owned>;
  /** By partition, the latest lookup of its position. */
  readonly under_way: Map<string, Promise<void>>;
  member_id: string | null;
  /** Counts assignments. */
  generation: number;
  /** Counts batches in progress. */
  busy: number;
  has_left: boolean;
  assigning: Promise<void>;
  cancel_commit: (() => void) | null;
};

const keyOf = ({ topic, partition }: TopicPartition): string => `${topic}/${partition}`;

const crash = (consumer: Consumer, error: unknown): void => {
  if (!consumer.has_left) consumer.life.crash(error);
};

const commit = (consumer: Consumer): void => {
  const { groups, member, owned } = consumer;
  const { group } = consumer.options;
  consumer.cancel_commit = null;
  if (!groups.isMember(group, member)) return;
  for (const { topic, partition, expected } of owned.values())
    if (expected !== null) groups.commit(group, topic, partition, expected);
};

const isOpen = ({ owned }: Consumer, one: Owned): boolean =>
  !(one.is_pending || one.is_paused || one.is_stopped) && owned.get(keyOf(one)) === one;

const stop = ({ world, life, options }: Consumer, one: Owned, reason: string): void => {
  one.is_stopped = true;
  world.trace(`${life.name} stops ${keyOf(one)} of ${options.group}: ${reason}`);
};

/** Stops the partition if the work throws StopPartition. */
const guarded = async (consumer: Consumer, one: Owned, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof StopPartition)) throw error;
    stop(consumer, one, error.message);
  }
};

const isUnreachable = ({ brokers, options }: Consumer, { fault, withheld_from }: Partition): boolean =>
  brokers.away || fault === 'no_leader' || (withheld_from !== null && options.group.startsWith(withheld_from));

/** Passes the next batch of a partition on. */
const deliverBatch = async (consumer: Consumer, one: Owned): Promise<void> => {
  const { world, brokers, groups, options, member } = consumer;
  await consumer.assigning;
  const { topic, partition, expected: wanted } = one;
  const from = brokers.partition(topic, partition);
  const { records } = from;
  if (consumer.has_left || wanted === null || !isOpen(consumer, one)) return;
  if (isUnreachable(consumer, from) || !groups.isMember(options.group, member)) return;
  const batch = records.slice(wanted, wanted + world.random.between(1, MAX_IN_A_BATCH));
  const last = batch.at(-1);
  if (last === undefined) return;
  const [begun_at, generation] = [world.scheduler.now(), consumer.generation];
  await options.on_batch({ topic, partition, records: batch, high_watermark: records.length });
  if (one.expected !== wanted) return;
  // A batch that was slow across a new assignment is abandoned: its partition begins again.
  if (generation !== consumer.generation && world.scheduler.now() - begun_at > SLOW_BATCH_MS) return;
  one.expected = last.offset + 1;
  consumer.cancel_commit ??= consumer.life.after(COMMIT_MS, () => commit(consumer));
};

const fetchLatency = (consumer: Consumer, one: Owned, from: Partition): number => {
  const { random } = consumer.world;
  if (isUnreachable(consumer, from)) return 500;
  const { delay_ms } = from;
  return random.between(1, one.topic === HEARTBEATS ? 60 : 15) + (delay_ms > 0 ? random.between(0, delay_ms) : 0);
};

const fetch = (consumer: Consumer, one: Owned): void => {
  const { concurrency = 1 } = consumer.options;
  const from = consumer.brokers.partition(one.topic, one.partition);
  const is_ready = one.expected !== null && !one.is_busy && isOpen(consumer, one);
  if (consumer.has_left || !is_ready || consumer.busy >= concurrency) return;
  if (from.records.length <= (one.expected ?? 0)) return;
  one.is_busy = true;
  consumer.busy += 1;
  consumer.life.after(fetchLatency(consumer, one, from), () => {
    guarded(consumer, one, () => deliverBatch(consumer, one))
      .catch((error) => crash(consumer, error))
      .finally(() => {
        one.is_busy = false;
        consumer.busy -= 1;
        fetchAll(consumer);
      });
  });
};

const fetchAll = (consumer: Consumer): void => {
  for (const one of consumer.owned.values()) fetch(consumer, one);
};

const own = (consumer: Consumer, place: TopicPartition): Owned => {
  const { onAppend } = consumer.brokers.partition(place.topic, place.partition);
  const fetchThis = (): void => fetch(consumer, one);
  onAppend.add(fetchThis);
  const one: Owned = {
    ...place,
    ...{ expected: null, is_pending: true, is_busy: false, is_paused: false, is_stopped: false },
    forget: () => onAppend.delete(fetchThis),
  };
  return one;
};

const checkedPosition = async (
  { world, brokers, life }: Consumer,
  { topic, partition }: TopicPartition,
  position: number,
): Promise<number> => {
  const { records } = brokers.partition(topic, partition);
  await life.ask(world.random.between(1, 4), () => undefined);
  if (position > records.length) {
    throw new StopPartition(`the log ends at ${records.length}, before the position ${position}: records were lost`);
  }
  return position;
};

const partitionsByTopic = (all: readonly Owned[]): ReadonlyMap<string, readonly number[]> =>
  new Map(
    Array.from(
      Map.groupBy(all, ({ topic }) => topic),
      ([topic, some]) => [topic, some.map(({ partition }) => partition)],
    ),
  );

/** Reads the position from which a partition continues in an assignment. */
const beginAfter = async (
  consumer: Consumer,
  one: Owned,
  generation: number,
  before: Promise<void> | undefined,
): Promise<void> => {
  const isReplaced = (): boolean => generation !== consumer.generation || consumer.has_left;
  await before;
  try {
    await guarded(consumer, one, async () => {
      if (isReplaced()) return;
      const expected = one.expected;
      const position = await checkedPosition(consumer, one, await consumer.options.position(one.topic, one.partition));
      if (isReplaced()) return;
      if (one.expected === expected) one.expected = position;
    });
    if (isReplaced()) return;
    one.is_pending = false;
    if (!consumer.positions_block) fetch(consumer, one);
  } catch (error) {
    // The position of a revoked partition does not matter.
    if (!isReplaced()) throw error;
  }
};

/** As in the real subscription, a partition has one lookup of its position at a time. */
const begin = (consumer: Consumer, one: Owned, generation: number): Promise<void> => {
  const key = keyOf(one);
  const begun = beginAfter(consumer, one, generation, consumer.under_way.get(key)).catch((error) =>
    crash(consumer, error),
  );
  consumer.under_way.set(key, begun);
  return begun;
};

const revoke = async ({ options }: Consumer, lost: readonly Owned[]): Promise<void> => {
  for (const one of lost) one.forget();
  for (const [topic, numbers] of partitionsByTopic(lost)) await options.on_revoked?.(topic, numbers);
};

const takeAssignment = async (
  consumer: Consumer,
  partitions: readonly TopicPartition[],
  id: string,
  generation: number,
): Promise<void> => {
  const { options, joined } = consumer;
  const before = consumer.owned;
  const kept = id === consumer.member_id ? before : new Map<string, Owned>();
  consumer.member_id = id;
  const owned = new Map(partitions.map((one) => [keyOf(one), kept.get(keyOf(one)) ?? own(consumer, one)]));
  consumer.owned = owned;
  const lost = [...before].flatMap(([key, one]) => (owned.get(key) === one ? [] : [one]));
  const gained = [...owned.values()].filter((one) => kept.get(keyOf(one)) !== one);
  await revoke(consumer, lost);
  for (const [topic, numbers] of partitionsByTopic(gained)) await options.on_assigned?.(topic, numbers);
  const all = [...consumer.owned.values()];
  for (const one of all) one.is_pending = true;
  if (consumer.positions_block) {
    for (const one of all) await begin(consumer, one, generation);
    fetchAll(consumer);
    joined.resolve();
    return;
  }
  const known = Promise.all(all.map((one) => begin(consumer, one, generation)));
  void Promise.race([known, consumer.life.clock.sleep(LATE_POSITION_MS)]).then(() => joined.resolve());
};

const leave = async (consumer: Consumer): Promise<void> => {
  const { world, groups, life, members, member, options } = consumer;
  if (consumer.has_left) return;
  commit(consumer);
  consumer.has_left = true;
  consumer.cancel_commit?.();
  await life.ask(world.random.between(1, 10), () => groups.leave(options.group, member));
  members.delete(member);
  await consumer.assigning;
  const all = [...consumer.owned.values()];
  consumer.owned = new Map();
  await revoke(consumer, all);
};

const subscriptionOf = (consumer: Consumer): Subscription => {
  const { groups, member, options } = consumer;
  const find = (topic: string, partition: number): Owned | undefined => consumer.owned.get(keyOf({ topic, partition }));
  return {
    stop: () => leave(consumer),
    lag: async () => 0,
    pause: (topic, partition) => {
      const one = find(topic, partition);
      if (one !== undefined) one.is_paused = true;
    },
    resume: (topic, partition) => {
      const one = find(topic, partition);
      if (one === undefined) return;
      one.is_paused = false;
      fetch(consumer, one);
    },
    seek: (topic, partition, offset) => {
      const one = find(topic, partition);
      if (one === undefined) return;
      one.expected = offset;
      fetch(consumer, one);
    },
    stopPartition: (topic, partition, reason) => {
      const one = find(topic, partition);
      if (one !== undefined) stop(consumer, one, reason);
    },
    handOver: (topic, partition) => {
      member.unreadable.add(keyOf({ topic, partition }));
      groups.rejoin(options.group, member);
    },
    restartPartition: (topic, partition, offset) => {
      const one = find(topic, partition);
      if (one === undefined || !one.is_stopped) return;
      one.is_stopped = false;
      one.expected = offset;
      fetch(consumer, one);
    },
  };
};

/** The subscription of `platform/event-log`, on the simulated brokers. */
export const subscribe = (parts: SubscriptionDependencies, options: SubscriptionOptions): Promise<Subscription> => {
  const { brokers, groups, life, members } = parts;
  const member: Consumer['member'] = {
    ...{ life, id: '', topics: options.topics, unreadable: new Set<string>() },
    assigned: (partitions, id) => {
      if (consumer.has_left) return;
      consumer.generation += 1;
      const { generation } = consumer;
      consumer.assigning = consumer.assigning
        .then(() => takeAssignment(consumer, partitions, id, generation))
        .catch((error) => crash(consumer, error));
    },
  };
  const consumer: Consumer = {
    ...{ ...parts, options, member, joined: Promise.withResolvers<void>() },
    ...{ owned: new Map(), under_way: new Map(), member_id: null, generation: 0, busy: 0, has_left: false },
    ...{ assigning: Promise.resolve(), cancel_commit: null },
  };
  const join = (): void => {
    if (brokers.away) life.after(1_000, join);
    else groups.join(options.group, member);
  };
  members.set(member, options.group);
  life.onEnd(() => {
    members.delete(member);
    for (const one of consumer.owned.values()) one.forget();
  });
  join();
  const subscription = subscriptionOf(consumer);
  options.on_subscription?.(subscription);
  return consumer.joined.promise.then(() => subscription);
};
