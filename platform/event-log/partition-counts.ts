import { TOPICS, type Topic } from './topics.ts';

/** A missing topic has no entry. */
export type PartitionCounts = ReadonlyMap<Topic, number>;

export type PartitionCountChoice =
  | { readonly tag: 'chosen'; readonly render_partitions: number }
  | { readonly tag: 'refused'; readonly differences: readonly string[] };

const BY_RENDER: readonly Topic[] = TOPICS.filter(({ partitions }) => partitions === 'by_render').map(
  ({ name }) => name,
);
const SINGLE: readonly Topic[] = TOPICS.filter(({ partitions }) => partitions === 1).map(({ name }) => name);

const isByRender = (topic: Topic): boolean => BY_RENDER.includes(topic);

const partitionsText = (count: number): string => (count === 1 ? '1 partition' : `${count} partitions`);

const countsOf = (found: PartitionCounts, topics: readonly Topic[]): readonly (readonly [Topic, number])[] =>
  topics.flatMap((topic) => {
    const count = found.get(topic);
    return count === undefined ? [] : [[topic, count] as const];
  });

/**
 * The count of a log never changes, because the count and the id of a render determine its partition.
 * @param deployed the count that an earlier deploy step recorded
 * @param of_new_log the count for a log that does not exist yet
 */
export const choosePartitionCount = (
  found: PartitionCounts,
  wanted: number | undefined,
  deployed: number | null,
  of_new_log: number,
): PartitionCountChoice => {
  const present = countsOf(found, BY_RENDER);
  const kept = deployed ?? present[0]?.[1];
  const render_partitions = kept ?? wanted ?? of_new_log;
  const changed = present
    .filter(([, count]) => count !== render_partitions)
    .map(
      ([topic, count]) =>
        `${topic}: has ${partitionsText(count)}, must have ${render_partitions} as ${deployed === null ? `${present[0]?.[0]} has` : 'deployed'}: restore it with that count (docs/operations.md, "Partitions")`,
    );
  const refused =
    kept === undefined || wanted === undefined || wanted === kept
      ? []
      : [
          `RENDER_PARTITIONS is ${wanted}, but this log has ${partitionsText(kept)}, which can never be changed: unset it, or set it to ${kept}`,
        ];
  const single = countsOf(found, SINGLE)
    .filter(([, count]) => count !== 1)
    .map(([topic, count]) => `${topic}: has ${partitionsText(count)}, must have 1; this can never be changed`);
  const differences = [...refused, ...changed, ...single];
  return differences.length === 0 ? { tag: 'chosen', render_partitions } : { tag: 'refused', differences };
};

/**
 * Reasons that forbid appends, by topic. A changed count would send records of one render to two partitions. Partition
 * p of all topics keyed by render has the same renders, so one faulty topic stops appends to all of them.
 * @param expected the count of the topics keyed by render; null if unknown: then their counts must be equal
 */
export const partitionCountFaults = (found: PartitionCounts, expected: number | null): ReadonlyMap<Topic, string> => {
  const by_render = countsOf(found, BY_RENDER);
  const wanted = expected ?? by_render[0]?.[1];
  const changed = by_render.filter(([, count]) => count !== wanted);
  const because = changed
    .map(([topic, count]) => `${topic} has ${partitionsText(count)} instead of ${wanted}`)
    .join(', ');
  const single = countsOf(found, SINGLE)
    .filter(([, count]) => count !== 1)
    .map(([topic, count]) => [topic, `${topic} has ${partitionsText(count)} instead of 1`] as const);
  return new Map([...(changed.length === 0 ? [] : BY_RENDER.map((topic) => [topic, because] as const)), ...single]);
};

/** The topics whose counts decide whether appends to this topic are allowed. */
export const topicsWithSameCount = (topic: Topic): readonly Topic[] => (isByRender(topic) ? BY_RENDER : [topic]);

/** Null if the topics keyed by render are missing or their counts differ. */
export const renderPartitionsIn = (found: PartitionCounts): number | null => {
  const counts = new Set(countsOf(found, BY_RENDER).map(([, count]) => count));
  const [count] = counts;
  return counts.size === 1 && count !== undefined ? count : null;
};
