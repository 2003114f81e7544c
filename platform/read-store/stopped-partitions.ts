import type { Collection, Db } from 'mongodb';
import type { Indexes } from './create-indexes.ts';

export type StoppedPartition = {
  readonly group: string;
  readonly topic: string;
  readonly partition: number;
  /** Offset of the record that stopped the partition; null if the partition stopped while it was opened. */
  readonly offset: number | null;
  readonly reason: string;
};

/**
 * `_id` is `<group> <topic>/<partition>`. The process that owns the partition renews `seen_at`. If `seen_at` is old,
 * the partition runs elsewhere, or has no process.
 */
export type StoppedPartitionDocument = StoppedPartition & {
  readonly _id: string;
  readonly stopped_at: Date;
  readonly seen_at: Date;
  readonly asked_at: Date | null;
};

/** No method rejects, because the store may be the reason for the stop. */
export type StoppedPartitions = {
  /** Reports that a partition is still stopped in this process. Returns whether an operator has requested a retry. */
  readonly report: (stop: StoppedPartition) => Promise<boolean>;
  readonly forget: (stop: StoppedPartition) => Promise<void>;
};

const NAME = 'stopped_partitions';
const FORGOTTEN_S = 300;
/** Reports come every two seconds. A partition without a report for this long is no longer stopped there. */
const SEEN_MS = 10_000;

export const STOPPED_PARTITIONS_INDEXES: Indexes = new Map([
  [NAME, [{ key: { seen_at: 1 }, expireAfterSeconds: FORGOTTEN_S }]],
]);

const idOf = ({ group, topic, partition }: StoppedPartition): string => `${group} ${topic}/${partition}`;

const collection = (db: Db): Collection<StoppedPartitionDocument> => db.collection(NAME);

export const stoppedPartitions = (db: Db, now: () => number): StoppedPartitions => {
  const all = collection(db);
  return {
    report: async (stop) => {
      const _id = idOf(stop);
      const seen_at = new Date(now());
      try {
        const before = await all.findOneAndUpdate(
          { _id },
          { $set: { ...stop, seen_at, asked_at: null }, $setOnInsert: { stopped_at: seen_at } },
          { upsert: true, returnDocument: 'before' },
        );
        return before !== null && before.asked_at !== null;
      } catch {
        return false;
      }
    },
    forget: async (stop) => {
      await all.deleteOne({ _id: idOf(stop) }).catch(() => undefined);
    },
  };
};

/** Sorted by group, topic and partition. */
export const listStoppedPartitions = async (db: Db, now_ms: number): Promise<readonly StoppedPartitionDocument[]> => {
  const found = await collection(db)
    .find({ seen_at: { $gte: new Date(now_ms - SEEN_MS) } })
    .toArray();
  return found.toSorted(
    (a, b) => a.group.localeCompare(b.group) || a.topic.localeCompare(b.topic) || a.partition - b.partition,
  );
};

export const findStoppedPartition = async (db: Db, _id: string): Promise<StoppedPartitionDocument | null> =>
  await collection(db).findOne({ _id });

/** Returns false if the partition is not stopped. */
export const requestResume = async (db: Db, _id: string, now_ms: number): Promise<boolean> => {
  const { matchedCount } = await collection(db).updateOne({ _id }, { $set: { asked_at: new Date(now_ms) } });
  return matchedCount === 1;
};
