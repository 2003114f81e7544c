import type { Db } from 'mongodb';
import { freshRead } from '../../platform/read-store/fresh-read.ts';
import { inTime } from '../../platform/read-store/in-time.ts';
import { renderCollections } from '../../read-models/collections.ts';
import type { CaughtUpDocument } from '../../read-models/renders/documents.ts';

/** A time (ms) up to which every partition is folded: minus infinity while that is known of none. */
export type CaughtUp = () => Promise<number>;

/**
 * Read from the store at most once a second. An older answer is only more careful: it claims less.
 *
 * @param generation the current one of the renders
 */
export const followCaughtUp = (db: Db, generation: () => Promise<number>): CaughtUp =>
  freshRead(async () => {
    const collection = db.collection<CaughtUpDocument>(renderCollections(await generation()).caught_up);
    const partitions = await collection.find({}, inTime()).toArray();
    return partitions.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...partitions.map(({ at }) => at));
  });
