const HOUR_MS = 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;

export type Topic =
  | 'render-events'
  | 'render-status'
  | 'catalogue-events'
  | 'render-commands'
  | 'worker-heartbeats'
  | 'webhook-events'
  | 'deployment';

export type TopicDefinition = {
  readonly name: Topic;
  /** `by_render`: RENDER_PARTITIONS. Partition p of all such topics has the same renders, so their counts are equal. */
  readonly partitions: 'by_render' | 1;
  /** null: kept permanently. */
  readonly retention_ms: number | null;
};

export const TOPICS: readonly TopicDefinition[] = [
  { name: 'render-events', partitions: 'by_render', retention_ms: null },
  { name: 'render-status', partitions: 'by_render', retention_ms: null },
  { name: 'catalogue-events', partitions: 1, retention_ms: null },
  { name: 'render-commands', partitions: 1, retention_ms: 6 * HOUR_MS },
  { name: 'worker-heartbeats', partitions: 1, retention_ms: 10 * MINUTE_MS },
  { name: 'webhook-events', partitions: 'by_render', retention_ms: null },
  { name: 'deployment', partitions: 1, retention_ms: null },
];

/** An unknown topic counts as permanent, so that a gap in it raises an alarm. */
export const isRetainedForever = (topic: string): boolean =>
  (TOPICS.find(({ name }) => name === topic)?.retention_ms ?? null) === null;

/** All records of a render are in one partition of such a topic. */
export const isKeyedByRender = (topic: Topic): boolean =>
  TOPICS.some(({ name, partitions }) => name === topic && partitions === 'by_render');
