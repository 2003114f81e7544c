import type { Db } from 'mongodb';

/** `_id` is `<consumer>/<topic>/<partition>`; all offsets below `next` are done. */
export type ConsumerPositionDocument = { readonly _id: string; readonly next: number };

/** Positions of consumers whose work is not a read model. */
export type ConsumerPositions = {
  /** 0 for a consumer without a saved position. */
  readonly load: (topic: string, partition: number) => Promise<number>;
  /** Only moves forward, so a late write of a former owner of the partition is harmless. */
  readonly save: (topic: string, partition: number, next: number) => Promise<void>;
};

export const consumerPositions = (db: Db, consumer: string): ConsumerPositions => {
  const positions = db.collection<ConsumerPositionDocument>('consumer_positions');
  const idOf = (topic: string, partition: number): string => `${consumer}/${topic}/${partition}`;
  return {
    load: async (topic, partition) => (await positions.findOne({ _id: idOf(topic, partition) }))?.next ?? 0,
    save: async (topic, partition, next) => {
      await positions.updateOne({ _id: idOf(topic, partition) }, { $max: { next } }, { upsert: true });
    },
  };
};
