import kafkajs, { type PartitionAssigner } from 'kafkajs';
import { groupByTopic, type TopicPartition, topicPartitionKey } from './topic-partition.ts';

const { AssignerProtocol } = kafkajs;

/** `unreadable`: partitions (`<topic>/<partition>`) with records that only newer code can read. */
export type GroupMember = { readonly id: string; readonly unreadable: ReadonlySet<string> };

/**
 * Like the assigner of kafkajs, it gives each partition to the member with the fewest partitions. Partitions that some
 * members cannot read are assigned first, and to members that can read them. If no member can read a partition, any
 * member gets it.
 */
export const assignTo = (
  members: readonly GroupMember[],
  partitions: readonly TopicPartition[],
): ReadonlyMap<string, readonly TopicPartition[]> => {
  const inTurn = members.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const assigned = new Map<string, TopicPartition[]>();
  const countOf = ({ id }: GroupMember): number => assigned.get(id)?.length ?? 0;
  const ableTo = (one: TopicPartition): readonly GroupMember[] => {
    const able = inTurn.filter(({ unreadable }) => !unreadable.has(topicPartitionKey(one)));
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

/** The member may run another version, so its metadata can have any shape. */
const unreadableIn = (metadata: Buffer): ReadonlySet<string> => {
  try {
    const decoded: unknown = JSON.parse(AssignerProtocol.MemberMetadata.decode(metadata)?.userData.toString() ?? '[]');
    return new Set(Array.isArray(decoded) ? decoded.filter((one) => typeof one === 'string') : []);
  } catch {
    return new Set();
  }
};

/** The name of kafkajs's own assigner, so that members of earlier versions can join the group and lead it. */
const NAME = 'RoundRobinAssigner';
const VERSION = 0;

const assignmentOf = (partitions: readonly TopicPartition[]): Record<string, number[]> =>
  Object.fromEntries(Array.from(groupByTopic(partitions), ([topic, numbers]) => [topic, [...numbers]]));

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
          ...{ version: VERSION, assignment: assignmentOf(assigned), userData: Buffer.alloc(0) },
        }),
      }));
    },
  });
