import type { EventLog, PartitionBounds } from '../event-log/event-log.ts';
import { isMissingTopic } from '../event-log/kafka-faults.ts';
import type { Topic } from '../event-log/topics.ts';

/**
 * The topics whose partitions have trees: what happened, and `deployment`, which has the schemas that all others are read
 * with. All are kept without an end.
 */
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

/** One partition of one of them. */
export type Place = { readonly topic: string; readonly partition: number };

/** How far one is, or is to be: the offset behind its last record. */
export type PlaceEnd = Place & { readonly end: number };

export const placeText = ({ topic, partition }: Place): string => `${topic}/${partition}`;

/** Its partitions; none where the log has no such topic, as before the first deploy step of a version that has it. */
export const boundsOf = async (log: Pick<EventLog, 'bounds'>, topic: string): Promise<readonly PartitionBounds[]> =>
  await log.bounds(topic).catch((error: unknown) => {
    if (isMissingTopic(error)) return [];
    throw error;
  });

/** How far all of them are. */
export const placeEnds = async (log: Pick<EventLog, 'bounds'>): Promise<readonly PlaceEnd[]> => {
  const all = NOTARIZED_TOPICS.map(async (topic) =>
    (await boundsOf(log, topic)).map(({ partition, end }) => ({ topic, partition, end })),
  );
  return (await Promise.all(all)).flat();
};
