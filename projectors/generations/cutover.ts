import type { ClientSession, Collection } from 'mongodb';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { type CheckpointDocument, closeCheckpoints } from '../../read-models/checkpoint.ts';
import { type GenerationDocument, generationPointers } from '../../read-models/generations.ts';

type Checkpoints = readonly Pick<CheckpointDocument, '_id' | 'next' | 'target'>[];

/**
 * True if the new generation has reached three offsets on every partition, so that readers never go back in time. The
 * offsets are the end when its fold began, the position of the serving generation, and the target in its own
 * checkpoint.
 *
 * @param ends end of each partition when the fold began
 */
export const isGenerationComplete = (ends: readonly number[], former: Checkpoints, own: Checkpoints): boolean => {
  const reached = new Map(own.map(({ _id, next }) => [_id, next]));
  return (
    ends.every((end, partition) => (reached.get(partition) ?? 0) >= end) &&
    former.every(({ _id, next }) => (reached.get(_id) ?? 0) >= next) &&
    own.every(({ next, target = 0 }) => next >= target)
  );
};

/** A generation that lacks at most this many records is near, because folding them takes a fraction of a second. */
const NEAR_RECORDS = 1_000;

/**
 * True if the new generation is at most NEAR_RECORDS behind the serving one. A pause of the serving one then lets it
 * catch up; without a pause, it may always stay some records behind.
 */
export const isNearlyComplete = (ends: readonly number[], former: Checkpoints, own: Checkpoints): boolean => {
  const reached = new Map(own.map(({ _id, next }) => [_id, next]));
  const behind = former.map(({ _id, next }) => Math.max(0, next - (reached.get(_id) ?? 0)));
  return (
    ends.every((end, partition) => (reached.get(partition) ?? 0) >= end) &&
    behind.reduce((sum, records) => sum + records, 0) <= NEAR_RECORDS
  );
};

const read = async (checkpoints: Collection<CheckpointDocument>, session?: ClientSession) =>
  await checkpoints.find({}, session === undefined ? {} : { session }).toArray();

export type GenerationBuild = {
  readonly ends: readonly number[];
  readonly former_checkpoints: Collection<CheckpointDocument>;
  readonly own_checkpoints: Collection<CheckpointDocument>;
};

export type CutoverOutcome = 'serves' | 'near' | 'behind';

/**
 * If the generation is complete, one transaction makes it serve and closes the checkpoints of the former generation. A
 * process that still has a partition of the former one then commits and publishes no more.
 *
 * @param serve makes the generation serve, in the transaction; after a result other than `now`, no checkpoint is closed
 */
export const cutOver = async <Otherwise>(
  store: ReadStore,
  { ends, former_checkpoints, own_checkpoints }: GenerationBuild,
  serve: (session: ClientSession) => Promise<'now' | Otherwise>,
): Promise<CutoverOutcome | Otherwise> => {
  // First without a transaction, because most checks find the generation incomplete.
  const [former, reached] = [await read(former_checkpoints), await read(own_checkpoints)];
  if (!isGenerationComplete(ends, former, reached)) return isNearlyComplete(ends, former, reached) ? 'near' : 'behind';
  return await store.transaction(async (session) => {
    const before = await read(former_checkpoints, session);
    if (!isGenerationComplete(ends, before, await read(own_checkpoints, session))) return 'near';
    const served = await serve(session);
    if (served !== 'now') return served;
    await closeCheckpoints(former_checkpoints, before, { session });
    return 'serves';
  });
};

export type Cutover = Omit<GenerationBuild, 'ends'> & { readonly own: GenerationDocument };

export const tryCutover = (store: ReadStore, { own, ...build }: Cutover, now: () => number): Promise<CutoverOutcome> =>
  cutOver<'serves'>(store, { ...build, ends: own.ends }, async (session) => {
    const { matchedCount } = await generationPointers(store.db).updateOne(
      { _id: own._id, serving: false },
      { $set: { serving: true, serving_since: new Date(now()) } },
      { session },
    );
    return matchedCount === 0 ? 'serves' : 'now';
  });
