import type { EventLog } from '../event-log/event-log.ts';
import type { Topic } from '../event-log/topics.ts';

/** The topics whose partitions have trees: what happened, and is kept for ever. */
export const NOTARIZED_TOPICS = [
  'catalogue-events',
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

/** How far all of them are. */
export const placeEnds = async (log: Pick<EventLog, 'bounds'>): Promise<readonly PlaceEnd[]> => {
  const all = NOTARIZED_TOPICS.map(async (topic) =>
    (await log.bounds(topic)).map(({ partition, end }) => ({ topic, partition, end })),
  );
  return (await Promise.all(all)).flat();
};
