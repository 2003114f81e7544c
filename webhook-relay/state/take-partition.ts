import type { Collection } from 'mongodb';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { StoredPosition } from './planned-position.ts';

/**
 * Makes this process the owner of a partition: what its former owner plans from now on is refused, what it planned
 * before is there for whoever reads after this.
 */
export const takePartition = async (
  store: ReadStore,
  positions: Collection<StoredPosition>,
  partition: number,
): Promise<StoredPosition> =>
  // In a transaction: where a killed process has left the document locked, a plain write would wait in the server.
  await store.transaction(async (session) => {
    await positions.updateOne({ _id: partition }, { $inc: { taken: 1 } }, { session, upsert: true });
    const stored = await positions.findOne({ _id: partition }, { session });
    if (stored === null) throw new Error(`the position of partition ${partition} is not there after it was written`);
    return stored;
  });
