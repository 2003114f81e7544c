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

export const placeText = ({ topic, partition }: Place): string => `${topic}/${partition}`;
