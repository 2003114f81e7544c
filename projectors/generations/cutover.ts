import type { ClientSession, Collection } from 'mongodb';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';
import { COLLECTIONS } from '../../read-models/collections.ts';
import type { GenerationDocument } from '../../read-models/generations.ts';

type Checkpoints = readonly Pick<CheckpointDocument, '_id' | 'next'>[];

/**
 * Whether a generation is complete: on every partition where its making began, and nowhere behind the one that
 * serves, so that no reader goes back in time.
 *
 * @param ends where each partition ended when the making began
 */
export const isComplete = (ends: readonly number[], former: Checkpoints, own: Checkpoints): boolean => {
  const reached = new Map(own.map(({ _id, next }) => [_id, next]));
  return (
    ends.every((end, partition) => (reached.get(partition) ?? 0) >= end) &&
    former.every(({ _id, next }) => (reached.get(_id) ?? 0) >= next)
  );
};

/** So many records are folded within a fraction of a second. */
const NEAR_RECORDS = 1_000;

/**
 * Whether it would be complete soon if the one that serves stood still. Of two that fold the same records at the same
 * pace the later one is mostly some records behind.
 */
export const isNear = (ends: readonly number[], former: Checkpoints, own: Checkpoints): boolean => {
  const reached = new Map(own.map(({ _id, next }) => [_id, next]));
  const behind = former.map(({ _id, next }) => Math.max(0, next - (reached.get(_id) ?? 0)));
  return (
    ends.every((end, partition) => (reached.get(partition) ?? 0) >= end) &&
    behind.reduce((sum, records) => sum + records, 0) <= NEAR_RECORDS
  );
};

/** No code goes on from here: the chain is none, and an empty partition, whose chain nobody looks at, begins nowhere. */
const closed = ({ next, chain }: CheckpointDocument) => ({
  next: next === 0 ? -1 : next,
  chain: 'closed',
  closed: { next, chain },
});

const read = async (checkpoints: Collection<CheckpointDocument>, session?: ClientSession) =>
  await checkpoints.find({}, session === undefined ? {} : { session }).toArray();

export type Cutover = {
  readonly own: GenerationDocument;
  readonly former_checkpoints: Collection<CheckpointDocument>;
  readonly own_checkpoints: Collection<CheckpointDocument>;
};

export type CutoverOutcome = 'serves' | 'near' | 'behind';

/**
 * Lets the generation serve if it is complete. In one transaction with that, the checkpoints of the former one are
 * closed: a process that still has one of its partitions commits nothing any more, so it publishes nothing that the
 * new generation does not hold.
 */
export const tryCutover = async (
  store: ReadStore,
  { own, former_checkpoints, own_checkpoints }: Cutover,
): Promise<CutoverOutcome> => {
  // Without a transaction at first: it is asked for often, and mostly in vain.
  const [former, reached] = [await read(former_checkpoints), await read(own_checkpoints)];
  if (!isComplete(own.ends, former, reached)) return isNear(own.ends, former, reached) ? 'near' : 'behind';
  return await store.transaction(async (session) => {
    const before = await read(former_checkpoints, session);
    if (!isComplete(own.ends, before, await read(own_checkpoints, session))) return 'near';
    const moved = await store.db
      .collection<GenerationDocument>(COLLECTIONS.generations)
      .updateOne({ _id: own._id, serving: false }, { $set: { serving: true } }, { session });
    if (moved.matchedCount === 0 || before.length === 0) return 'serves';
    const { matchedCount } = await former_checkpoints.bulkWrite(
      before.map((checkpoint) => ({
        updateOne: {
          filter: { _id: checkpoint._id, next: checkpoint.next, chain: checkpoint.chain },
          update: { $set: closed(checkpoint) },
        },
      })),
      { session, ordered: true },
    );
    // Ends the transaction; the next try sees where they are now.
    if (matchedCount !== before.length) throw new Error('a checkpoint moved while its generation was closed');
    return 'serves';
  });
};
