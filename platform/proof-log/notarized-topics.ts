import type { EventLog, PartitionBounds } from '../event-log/event-log.ts';
import { isMissingTopic } from '../event-log/kafka-faults.ts';
import type { Topic } from '../event-log/topics.ts';

/** All events, and `deployment`, which has the schemas to read all others. All have unlimited retention. */
export const NOTARIZED_TOPICS = [
  'catalogue-events',
  'deployment',
  'render-events',
  'render-status',
  'webhook-events',
] as const satisfies readonly Topic[];

export type NotarizedTopic = (typeof NOTARIZED_TOPICS)[number];

export const isNotarized = (topic: string): topic is NotarizedTopic =>
  NOTARIZED_TOPICS.some((known) => known === topic);

export type NotarizedPartition = { readonly topic: string; readonly partition: number };

/** `end` is the offset after the last record. */
export type PartitionEnd = NotarizedPartition & { readonly end: number };

export const partitionText = ({ topic, partition }: NotarizedPartition): string => `${topic}/${partition}`;

/** Empty if the log lacks the topic, for example before the first deploy step of a version that adds it. */
export const boundsOf = async (log: Pick<EventLog, 'bounds'>, topic: string): Promise<readonly PartitionBounds[]> =>
  await log.bounds(topic).catch((error: unknown) => {
    if (isMissingTopic(error)) return [];
    throw error;
  });

export const notarizedPartitionEnds = async (log: Pick<EventLog, 'bounds'>): Promise<readonly PartitionEnd[]> => {
  const all = NOTARIZED_TOPICS.map(async (topic) =>
    (await boundsOf(log, topic)).map(({ partition, end }) => ({ topic, partition, end })),
  );
  return (await Promise.all(all)).flat();
};
