import type { TopicPartition } from '../../../platform/consumer/topic-partition.ts';
import { StopPartition, type Subscription, type SubscriptionOptions } from '../../../platform/event-log/event-log.ts';
import type { Life } from '../world/life.ts';
import type { World } from '../world/world.ts';
import type { Brokers, Partition } from './brokers.ts';
import type { Groups, Member } from './groups.ts';

export type SubscriptionParts = {
  readonly world: World;
  readonly brokers: Brokers;
  readonly groups: Groups;
  readonly life: Life;
  readonly members: Map<Member, string>;
  /** As before: one position that is not known yet keeps every partition of the subscription waiting. */
  readonly positions_block: boolean;
};

type Owned = TopicPartition & {
  /** The offset that the next batch begins with; null while it is not known. */
  expected: number | null;
  /** In this assignment its position is not known yet: nothing is handed over, as in the real subscription. */
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
/** They come often, and each is read by many: what comes at nearly one time is read together. */
const HEARTBEATS = 'worker-heartbeats';
const MAX_IN_A_BATCH = 40;

const keyOf = ({ topic, partition }: TopicPartition): string => `${topic}/${partition}`;

/** A subscription as its port describes it, which reads from the simulated brokers. */
export const subscribe = (
  { world, brokers, groups, life, members, positions_block }: SubscriptionParts,
  options: SubscriptionOptions,
): Promise<Subscription> => {
  const { random } = world;
  const { group, concurrency = 1 } = options;
  const unreadable = new Set<string>();
  const joined = Promise.withResolvers<void>();
  let owned = new Map<string, Owned>();
  const under_way = new Map<string, Promise<void>>();
  let member_id: string | null = null;
  let generation = 0;
  let busy = 0;
  let has_left = false;
  let assigning: Promise<void> = Promise.resolve();
  let cancel_commit: (() => void) | null = null;

  const crash = (error: unknown): void => {
    if (!has_left) life.crash(error);
  };

  const commit = (): void => {
    cancel_commit = null;
    if (!groups.isMember(group, member)) return;
    for (const { topic, partition, expected } of owned.values())
      if (expected !== null) groups.commit(group, topic, partition, expected);
  };
  const commitSoon = (): void => {
    cancel_commit ??= life.after(COMMIT_MS, commit);
  };

  const isOpen = (its: Owned): boolean =>
    !(its.is_pending || its.is_paused || its.is_stopped) && owned.get(keyOf(its)) === its;
  const isReady = (its: Owned): boolean => its.expected !== null && !its.is_busy && isOpen(its);

  const stop = (its: Owned, reason: string): void => {
    its.is_stopped = true;
    world.trace(`${life.name} stops ${keyOf(its)} of ${group}: ${reason}`);
  };

  const guarded = async (its: Owned, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof StopPartition)) throw error;
      stop(its, error.message);
    }
  };

  const isUnreachable = ({ fault, withheld_from }: Partition): boolean =>
    brokers.away || fault === 'no_leader' || (withheld_from !== null && group.startsWith(withheld_from));

  const take = async (its: Owned): Promise<void> => {
    await assigning;
    const { topic, partition, expected: wanted } = its;
    const from = brokers.partition(topic, partition);
    const { records } = from;
    if (has_left || wanted === null || !isOpen(its)) return;
    if (isUnreachable(from) || !groups.isMember(group, member)) return;
    const batch = records.slice(wanted, wanted + random.between(1, MAX_IN_A_BATCH));
    const last = batch.at(-1);
    if (last === undefined) return;
    const [begun_at, of] = [world.scheduler.now(), generation];
    await options.on_batch({ topic, partition, records: batch, high_watermark: records.length });
    if (its.expected !== wanted) return;
    // A slow batch is abandoned; with another assignment its partition has begun again.
    if (of !== generation && world.scheduler.now() - begun_at > SLOW_BATCH_MS) return;
    its.expected = last.offset + 1;
    commitSoon();
  };

  const fetch = (its: Owned): void => {
    const from = brokers.partition(its.topic, its.partition);
    const { records, delay_ms } = from;
    if (has_left || !isReady(its) || busy >= concurrency || records.length <= (its.expected ?? 0)) return;
    its.is_busy = true;
    busy += 1;
    const latency_ms = isUnreachable(from)
      ? 500
      : random.between(1, its.topic === HEARTBEATS ? 60 : 15) + (delay_ms > 0 ? random.between(0, delay_ms) : 0);
    life.after(latency_ms, () => {
      guarded(its, () => take(its))
        .catch(crash)
        .finally(() => {
          its.is_busy = false;
          busy -= 1;
          fetchAll();
        });
    });
  };
  const fetchAll = (): void => {
    for (const its of owned.values()) fetch(its);
  };

  const own = (one: TopicPartition): Owned => {
    const { onAppend } = brokers.partition(one.topic, one.partition);
    const told = (): void => fetch(its);
    onAppend.add(told);
    const its: Owned = {
      ...one,
      ...{ expected: null, is_pending: true, is_busy: false, is_paused: false, is_stopped: false },
      forget: () => onAppend.delete(told),
    };
    return its;
  };

  const startOf = async ({ topic, partition }: TopicPartition, position: number): Promise<number> => {
    const { records } = brokers.partition(topic, partition);
    await life.ask(random.between(1, 4), () => undefined);
    if (position > records.length) {
      throw new StopPartition(`the log ends at ${records.length}, before the position ${position}: records were lost`);
    }
    return position;
  };

  const byTopic = (all: readonly Owned[]): ReadonlyMap<string, readonly number[]> =>
    new Map(
      Array.from(
        Map.groupBy(all, ({ topic }) => topic),
        ([topic, its]) => [topic, its.map(({ partition }) => partition)],
      ),
    );

  /** Reads the position from which it continues in this assignment. */
  const beginAfter = async (one: Owned, its: number, before: Promise<void> | undefined): Promise<void> => {
    const isReplaced = (): boolean => its !== generation || has_left;
    await before;
    try {
      await guarded(one, async () => {
        if (isReplaced()) return;
        const expected = one.expected;
        const position = await startOf(one, await options.position(one.topic, one.partition));
        if (isReplaced()) return;
        if (one.expected === expected) one.expected = position;
      });
      if (isReplaced()) return;
      one.is_pending = false;
      if (!positions_block) fetch(one);
    } catch (error) {
      // A partition revoked meanwhile is given up.
      if (!isReplaced()) throw error;
    }
  };
  /** The position of one partition is looked for once at a time, as in the real subscription. */
  const begin = (one: Owned, its: number): Promise<void> => {
    const key = keyOf(one);
    const begun = beginAfter(one, its, under_way.get(key)).catch(crash);
    under_way.set(key, begun);
    return begun;
  };

  const takeAssignment = async (partitions: readonly TopicPartition[], id: string, its: number): Promise<void> => {
    const before = owned;
    const kept = id === member_id ? before : new Map<string, Owned>();
    member_id = id;
    owned = new Map(partitions.map((one) => [keyOf(one), kept.get(keyOf(one)) ?? own(one)]));
    const lost = [...before].flatMap(([key, one]) => (owned.get(key) === one ? [] : [one]));
    const gained = [...owned.values()].filter((one) => kept.get(keyOf(one)) !== one);
    for (const one of lost) one.forget();
    for (const [topic, numbers] of byTopic(lost)) await options.on_revoked?.(topic, numbers);
    for (const [topic, numbers] of byTopic(gained)) await options.on_assigned?.(topic, numbers);
    const all = [...owned.values()];
    for (const one of all) one.is_pending = true;
    if (positions_block) for (const one of all) await begin(one, its);
    else {
      const known = Promise.all(all.map((one) => begin(one, its)));
      void Promise.race([known, life.clock.sleep(LATE_POSITION_MS)]).then(() => joined.resolve());
      return;
    }
    fetchAll();
    joined.resolve();
  };

  const member: Member = {
    life,
    id: '',
    topics: options.topics,
    unreadable,
    assigned: (partitions, id) => {
      if (has_left) return;
      generation += 1;
      const its = generation;
      assigning = assigning.then(() => takeAssignment(partitions, id, its)).catch(crash);
    },
  };
  const join = (): void => {
    if (brokers.away) life.after(1_000, join);
    else groups.join(group, member);
  };
  members.set(member, group);
  life.onEnd(() => {
    members.delete(member);
    for (const one of owned.values()) one.forget();
  });
  join();

  const its = (topic: string, partition: number): Owned | undefined => owned.get(keyOf({ topic, partition }));
  const subscription: Subscription = {
    stop: async () => {
      if (has_left) return;
      commit();
      has_left = true;
      cancel_commit?.();
      await life.ask(random.between(1, 10), () => groups.leave(group, member));
      members.delete(member);
      await assigning;
      const all = [...owned.values()];
      owned = new Map();
      for (const one of all) one.forget();
      for (const [topic, numbers] of byTopic(all)) await options.on_revoked?.(topic, numbers);
    },
    lag: async () => 0,
    pause: (topic, partition) => {
      const one = its(topic, partition);
      if (one !== undefined) one.is_paused = true;
    },
    resume: (topic, partition) => {
      const one = its(topic, partition);
      if (one === undefined) return;
      one.is_paused = false;
      fetch(one);
    },
    seek: (topic, partition, offset) => {
      const one = its(topic, partition);
      if (one === undefined) return;
      one.expected = offset;
      fetch(one);
    },
    stopPartition: (topic, partition, reason) => {
      const one = its(topic, partition);
      if (one !== undefined) stop(one, reason);
    },
    handOver: (topic, partition) => {
      unreadable.add(keyOf({ topic, partition }));
      groups.rejoin(group, member);
    },
    restartPartition: (topic, partition, offset) => {
      const one = its(topic, partition);
      if (one === undefined || !one.is_stopped) return;
      one.is_stopped = false;
      one.expected = offset;
      fetch(one);
    },
  };
  options.on_subscription?.(subscription);
  return joined.promise.then(() => subscription);
};
