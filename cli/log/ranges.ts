import * as E from 'fp-ts/lib/Either.js';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { isKeyedByRender, type Topic } from '../../platform/event-log/topics.ts';
import type { CliFault } from '../fault.ts';

/** Offsets from <= offset < to. */
export type OffsetRange = {
  readonly topic: Topic;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
};

/** The selected records. A member that is undefined does not limit the selection. */
export type LogSelection = {
  readonly topics: readonly Topic[];
  readonly partition?: number | undefined;
  /** The first offset; only with one topic and one partition. */
  readonly offset?: number | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Selects the render's partition, if the topic is keyed by render. */
  readonly render?: string | undefined;
};

type Log = Pick<EventLog, 'bounds' | 'offsetsAt'>;

/** The partition of the render; undefined if no render is selected or the topic is not keyed by render. */
const partitionOf = async (topic: Topic, render: string | undefined, count: number): Promise<number | undefined> => {
  if (render === undefined || !isKeyedByRender(topic)) return undefined;
  // Imported on demand, because it loads slowly.
  const { partitionOfKey } = await import('../../platform/event-log/partition-of-key.ts');
  return partitionOfKey(render, count);
};

const rangesOfTopic = async (log: Log, topic: Topic, selection: LogSelection): Promise<readonly OffsetRange[]> => {
  const { partition, offset, from, to, render } = selection;
  const [bounds, starts, ends] = await Promise.all([
    log.bounds(topic),
    from === undefined ? null : log.offsetsAt(topic, from),
    to === undefined ? null : log.offsetsAt(topic, to),
  ]);
  const own = await partitionOf(topic, render, bounds.length);
  return bounds
    .filter((one) => [partition, own].every((wanted) => (wanted ?? one.partition) === one.partition))
    .map((one) => {
      const first = starts === null ? one.start : (starts.get(one.partition) ?? one.end);
      const last = ends === null ? one.end : (ends.get(one.partition) ?? one.end);
      return { topic, partition: one.partition, from: Math.max(first, one.start, offset ?? 0), to: last };
    });
};

/** The matching offsets that exist now; an empty range for a partition without a match. */
export const offsetRangesOf = async (
  log: Log,
  selection: LogSelection,
): Promise<E.Either<CliFault, readonly OffsetRange[]>> => {
  const ranges = (await Promise.all(selection.topics.map((topic) => rangesOfTopic(log, topic, selection)))).flat();
  const { partition } = selection;
  return partition === undefined || ranges.length > 0
    ? E.right(ranges)
    : E.left({ tag: 'not_found', what: 'partition', id: String(partition), list: null });
};
