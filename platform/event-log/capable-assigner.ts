import kafkajs, { type PartitionAssigner } from 'kafkajs';
import type { TopicPartition } from './starting-point.ts';

const { AssignerProtocol } = kafkajs;

/** A member of a group, with the partitions that its code cannot read on, as `<topic>/<partition>`. */
export type GroupMember = { readonly id: string; readonly unreadable: ReadonlySet<string> };

const keyOf = ({ topic, partition }: TopicPartition): string => `${topic}/${partition}`;

/**
 * Each partition to the member with the fewest, so in turn, as kafkajs does by itself; but one that a member cannot read
 * on goes, before the others, to those that may. Where none may, it is assigned like any other, and is stopped there.
 */
export const assignTo = (
  members: readonly GroupMember[],
  partitions: readonly TopicPartition[],
): ReadonlyMap<string, readonly TopicPartition[]> => {
  const inTurn = members.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const assigned = new Map<string, TopicPartition[]>();
  const countOf = ({ id }: GroupMember): number => assigned.get(id)?.length ?? 0;
  const ableTo = (one: TopicPartition): readonly GroupMember[] => {
    const able = inTurn.filter(({ unreadable }) => !unreadable.has(keyOf(one)));
    return able.length === 0 ? inTurn : able;
  };
  const choices = partitions.map((one) => ({ one, able: ableTo(one) }));
  const isOpenToAll = ({ able }: { readonly able: readonly GroupMember[] }): boolean => able.length === inTurn.length;
  for (const { one, able } of choices.toSorted((a, b) => Number(isOpenToAll(a)) - Number(isOpenToAll(b)))) {
    const least = Math.min(...able.map(countOf));
    const member = able.find((it) => countOf(it) === least);
    if (member !== undefined) assigned.set(member.id, [...(assigned.get(member.id) ?? []), one]);
  }
  return assigned;
};

/** What a member says of itself is read without trust: it may be of another version. */
const unreadableIn = (metadata: Buffer): ReadonlySet<string> => {
  try {
    const told: unknown = JSON.parse(AssignerProtocol.MemberMetadata.decode(metadata)?.userData.toString() ?? '[]');
    return new Set(Array.isArray(told) ? told.filter((one) => typeof one === 'string') : []);
  } catch {
    return new Set();
  }
};

const byTopic = (partitions: readonly TopicPartition[]): Record<string, number[]> =>
  Object.fromEntries(
    Array.from(
      Map.groupBy(partitions, ({ topic }) => topic),
      ([topic, all]) => [topic, all.map((it) => it.partition)],
    ),
  );

/** As kafkajs calls its own: so members of versions before can be in the same group, and lead it. */
const NAME = 'RoundRobinAssigner';
const VERSION = 0;

/** @param unreadable asked at each join */
export const capableAssigner =
  (unreadable: () => readonly string[]): PartitionAssigner =>
  ({ cluster }) => ({
    name: NAME,
    version: VERSION,
    protocol: ({ topics }) => ({
      name: NAME,
      metadata: AssignerProtocol.MemberMetadata.encode({
        ...{ version: VERSION, topics, userData: Buffer.from(JSON.stringify(unreadable())) },
      }),
    }),
    assign: async ({ members, topics }) => {
      const known = members.map(({ memberId: id, memberMetadata }) => ({
        id,
        unreadable: unreadableIn(memberMetadata),
      }));
      const partitions = topics.flatMap((topic) =>
        cluster.findTopicPartitionMetadata(topic).map(({ partitionId: partition }) => ({ topic, partition })),
      );
      return Array.from(assignTo(known, partitions), ([memberId, assigned]) => ({
        memberId,
        memberAssignment: AssignerProtocol.MemberAssignment.encode({
          ...{ version: VERSION, assignment: byTopic(assigned), userData: Buffer.alloc(0) },
        }),
      }));
    },
  });
