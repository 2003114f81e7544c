export type TopicPartition = { readonly topic: string; readonly partition: number };

export const topicPartitionKey = ({ topic, partition }: TopicPartition): string => `${topic}/${partition}`;

/** The last slash separates, because topic names have none. */
export const parseTopicPartitionKey = (key: string): TopicPartition => {
  const slash = key.lastIndexOf('/');
  return { topic: key.slice(0, slash), partition: Number(key.slice(slash + 1)) };
};

export const groupByTopic = (partitions: Iterable<TopicPartition>): ReadonlyMap<string, readonly number[]> =>
  new Map(
    Array.from(
      Map.groupBy(partitions, ({ topic }) => topic),
      ([topic, all]) => [topic, all.map(({ partition }) => partition)],
    ),
  );
