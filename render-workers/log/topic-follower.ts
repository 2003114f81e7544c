import { type LogRecord, StopPartition, type Subscription } from '../../platform/event-log/event-log.ts';
import type { Topic } from '../../platform/event-log/topics.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { AnyRecord } from '../../schemas/records.ts';

export type ReadRecord = { readonly record: AnyRecord; readonly source: LogRecord };

type FollowOptions = {
  /** Used by this reader alone: it reads every partition. */
  readonly group: string;
  readonly topic: Topic;
  /** Start offset of each partition. */
  readonly from: ReadonlyMap<number, number>;
  /** Filter before decoding; all records if omitted. */
  readonly concerns?: (source: LogRecord) => boolean;
  readonly on_records: (records: readonly ReadRecord[]) => void;
  /** For a record that this version of the code cannot decode. */
  readonly unknown: 'stop' | 'skip';
};

export const endsOf = async (records: RecordLog, topic: Topic): Promise<ReadonlyMap<number, number>> =>
  new Map((await records.log.bounds(topic)).map(({ partition, end }) => [partition, end]));

/** Decodes records. Bytes that are not a record are skipped: the projector quarantines them. */
export const decodeRecords = async (
  records: RecordLog,
  sources: readonly LogRecord[],
  unknown: 'stop' | 'skip',
): Promise<readonly ReadRecord[]> => {
  const read: ReadRecord[] = [];
  for (const source of sources) {
    const decoded = await records.decode(source.value);
    if (decoded.tag === 'record') read.push({ record: decoded.record, source });
    if (decoded.tag === 'unknown' && unknown === 'stop') {
      throw new StopPartition(`${source.topic}/${source.partition}/${source.offset}: ${decoded.reason}`);
    }
  }
  return read;
};

/**
 * Reads all partitions of a topic from the given offsets, as the only member of its group, and continues at its position
 * after a rebalance or a lost connection.
 */
export const followFrom = async (records: RecordLog, options: FollowOptions): Promise<Subscription> => {
  const next = new Map(options.from);
  const { topic, group, concerns = () => true } = options;
  return await records.log.subscribe({
    group,
    topics: [topic],
    position: async (_topic, partition) => next.get(partition) ?? 0,
    on_batch: async ({ partition, records: batch }) => {
      options.on_records(await decodeRecords(records, batch.filter(concerns), options.unknown));
      const last = batch.at(-1);
      if (last !== undefined) next.set(partition, last.offset + 1);
    },
    concurrency: 4,
  });
};
