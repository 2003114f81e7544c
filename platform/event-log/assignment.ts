import type { TopicPartition } from './starting-point.ts';

/** What the group has assigned to this member, until it joins again. */
export type Assignment = {
  readonly member_id: string;
  readonly partitions: ReadonlyMap<string, TopicPartition>;
  /** Aborts when the next assignment replaces this one, or the subscription ends. */
  readonly replaced: AbortController;
  /** Partitions whose position is not known yet: nothing is read of them. */
  readonly pending: Set<string>;
  /** Settles once the position is known, the partition is stopped, or the assignment is replaced. Never rejects. */
  readonly positioned: Map<string, Promise<void>>;
  /** Resolves when no batch waits for a position any more, as most are known at once. Never rejects. */
  readonly grace: Promise<unknown>;
  /** Partitions whose batch takes long. The others do not wait for it. */
  readonly slow: Set<string>;
  /** Aborts when the group is known to rebalance: it waits for this member to join again. */
  rebalancing: AbortController;
};

export const keyOf = ({ topic, partition }: TopicPartition): string => `${topic}/${partition}`;

/** Batches that come sooner after a join wait for their position: kafkajs fetches a paused partition half a second later. */
const GRACE_MS = 500;

export const newAssignment = (member_id: string, partitions: readonly TopicPartition[]): Assignment => {
  const { promise: grace, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, GRACE_MS).unref();
  const assigned = new Map(partitions.map((one) => [keyOf(one), one]));
  return {
    ...{ member_id, partitions: assigned, replaced: new AbortController(), grace },
    ...{ pending: new Set(assigned.keys()), positioned: new Map(), slow: new Set() },
    rebalancing: new AbortController(),
  };
};

/** @returns partitions that were another member's before, or in between, and those that are another's now */
export const changesBetween = (
  before: Assignment,
  now: Assignment,
): { readonly gained: readonly TopicPartition[]; readonly lost: readonly TopicPartition[] } => {
  // Another member id means that this one was expelled meanwhile: others may have had its partitions.
  const is_same = before.member_id === now.member_id;
  const without = (these: Assignment, others: Assignment): readonly TopicPartition[] =>
    [...these.partitions].flatMap(([key, one]) => (is_same && others.partitions.has(key) ? [] : [one]));
  return { gained: without(now, before), lost: without(before, now) };
};

export const byTopic = (partitions: readonly TopicPartition[]): readonly (readonly [string, readonly number[]])[] =>
  Array.from(
    Map.groupBy(partitions, ({ topic }) => topic),
    ([topic, ofTopic]) => [topic, ofTopic.map(({ partition }) => partition)] as const,
  );
