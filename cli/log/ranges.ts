import * as E from 'fp-ts/lib/Either.js';
import type { EventLog } from '../../platform/event-log/event-log.ts';
import { isKeyedByRender, type Topic } from '../../platform/event-log/topics.ts';
import type { CliFault } from '../fault.ts';

/** Records of one partition with from <= offset < to. */
export type Range = { readonly topic: Topic; readonly partition: number; readonly from: number; readonly to: number };

/** The part of the log that is read. An undefined member sets no bound. */
export type Selection = {
  readonly topics: readonly Topic[];
  readonly partition?: number | undefined;
  /** The first offset. Requires one partition of one topic. */
  readonly offset?: number | undefined;
  /** Ms since the epoch: begins at the first record that was appended at that time or later. */
  readonly from?: number | undefined;
  /** Ms since the epoch: ends before the first record that was appended at that time or later. */
  readonly to?: number | undefined;
  /** Selects the partition of this render, if the topic's key is the render's id. */
  readonly render?: string | undefined;
};

type Log = Pick<EventLog, 'bounds' | 'offsetsAt'>;

/** The partition of a render, if a topic is keyed by renders. */
const partitionOf = async (topic: Topic, render: string | undefined, count: number): Promise<number | undefined> => {
  if (render === undefined || !isKeyedByRender(topic)) return undefined;
  // Imported here, because loading it takes longer than most commands.
  const { partitionOfKey } = await import('../../platform/event-log/partition-of-key.ts');
  return partitionOfKey(render, count);
};

const rangesOfTopic = async (log: Log, topic: Topic, selection: Selection): Promise<readonly Range[]> => {
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

/** The offsets that exist now and match the selection. Ranges of partitions without a match are empty. */
export const rangesOf = async (log: Log, selection: Selection): Promise<E.Either<CliFault, readonly Range[]>> => {
  const ranges = (await Promise.all(selection.topics.map((topic) => rangesOfTopic(log, topic, selection)))).flat();
  const { partition } = selection;
  return partition === undefined || ranges.length > 0
    ? E.right(ranges)
    : E.left({ tag: 'not_found', what: 'partition', id: String(partition), list: null });
};
