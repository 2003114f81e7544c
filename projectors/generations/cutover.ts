import type { ClientSession, Collection } from 'mongodb';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { type CheckpointDocument, closeCheckpoints } from '../../read-models/checkpoint.ts';
import { type GenerationDocument, pointersIn } from '../../read-models/generations.ts';

type Checkpoints = readonly Pick<CheckpointDocument, '_id' | 'next' | 'target'>[];

/**
 * Whether a generation is complete: on every partition where its making began, nowhere behind the one that serves, so
 * that no reader goes back in time, and nowhere behind what readers would wait for.
 *
 * @param ends where each partition ended when the making began
 */
export const isComplete = (ends: readonly number[], former: Checkpoints, own: Checkpoints): boolean => {
  const reached = new Map(own.map(({ _id, next }) => [_id, next]));
  return (
    ends.every((end, partition) => (reached.get(partition) ?? 0) >= end) &&
    former.every(({ _id, next }) => (reached.get(_id) ?? 0) >= next) &&
    own.every(({ next, target = 0 }) => next >= target)
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

const read = async (checkpoints: Collection<CheckpointDocument>, session?: ClientSession) =>
  await checkpoints.find({}, session === undefined ? {} : { session }).toArray();

/** A generation that is made, and the one that serves until then. */
export type Making = {
  /** Where each partition ended when its making began. */
  readonly ends: readonly number[];
  readonly former_checkpoints: Collection<CheckpointDocument>;
  readonly own_checkpoints: Collection<CheckpointDocument>;
};

export type CutoverOutcome = 'serves' | 'near' | 'behind';

/**
 * Once the generation is complete: in one transaction with what makes it serve, the checkpoints of the former one are
 * closed. So a process that still has one of its partitions commits nothing any more, and publishes nothing that the new
 * generation does not hold.
 *
 * @param serve lets it serve, in the transaction; anything but `now` ends it there
 */
export const cutOver = async <Otherwise>(
  store: ReadStore,
  { ends, former_checkpoints, own_checkpoints }: Making,
  serve: (session: ClientSession) => Promise<'now' | Otherwise>,
): Promise<CutoverOutcome | Otherwise> => {
  // Without a transaction at first: it is asked for often, and mostly in vain.
  const [former, reached] = [await read(former_checkpoints), await read(own_checkpoints)];
  if (!isComplete(ends, former, reached)) return isNear(ends, former, reached) ? 'near' : 'behind';
  return await store.transaction(async (session) => {
    const before = await read(former_checkpoints, session);
    if (!isComplete(ends, before, await read(own_checkpoints, session))) return 'near';
    const served = await serve(session);
    if (served !== 'now') return served;
    // Where one moved, the next try sees where they are now.
    await closeCheckpoints(former_checkpoints, before, { session });
    return 'serves';
  });
};

export type Cutover = Omit<Making, 'ends'> & { readonly own: GenerationDocument };

/** Lets the generation of a new version serve if it is complete. */
export const tryCutover = (store: ReadStore, { own, ...making }: Cutover, now: () => number): Promise<CutoverOutcome> =>
  cutOver<'serves'>(store, { ...making, ends: own.ends }, async (session) => {
    const { matchedCount } = await pointersIn(store.db).updateOne(
      { _id: own._id, serving: false },
      { $set: { serving: true, serving_since: new Date(now()) } },
      { session },
    );
    return matchedCount === 0 ? 'serves' : 'now';
  });
