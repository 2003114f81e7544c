import type { Collection, Db } from 'mongodb';
import { isDuplicateKey } from '../platform/read-store/duplicate-key.ts';
import { queryTimeout } from '../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from './collections.ts';
import { chooseDocumentForm } from './embedded/generation-form.ts';
import {
  checkpointsOf,
  collectionsByGeneration,
  generationPointers,
  isNewerVersionThere,
  MODEL_VERSIONS,
  newGeneration,
  pointerId,
  type ReadModel,
  type RebuildDocument,
  rebuildId,
} from './generations.ts';

export type Rebuild = RebuildDocument;

/** `upgrading`: another version of the read model serves or is being folded. */
export type RebuildRefusal = 'nothing_serves' | 'upgrading';

export type RebuildRequest =
  | { readonly tag: 'refused'; readonly reason: RebuildRefusal }
  | { readonly tag: 'under_way'; readonly rebuild: Rebuild; readonly is_new: boolean };

const rebuildsIn = (db: Db): Collection<RebuildDocument> => db.collection(COLLECTIONS.generations);

export const findRebuild = async (db: Db, read_model: ReadModel): Promise<Rebuild | null> =>
  await rebuildsIn(db).findOne({ _id: rebuildId(read_model, MODEL_VERSIONS[read_model]) }, queryTimeout());

const servingAlone = async (db: Db, read_model: ReadModel): Promise<number | RebuildRefusal> => {
  const model_version = MODEL_VERSIONS[read_model];
  const own = await generationPointers(db).findOne({ _id: pointerId(read_model, model_version) }, queryTimeout());
  if (own?.serving === false || (await isNewerVersionThere(db, read_model, model_version))) return 'upgrading';
  return own === null ? 'nothing_serves' : own.generation;
};

/** @returns false if the rebuild was already stopped, or serves */
export const giveUpRebuild = async (db: Db, { _id, generation }: Pick<Rebuild, '_id' | 'generation'>) =>
  (await rebuildsIn(db).deleteOne({ _id, generation })).deletedCount > 0;

/**
 * Projectors see the request within a second. If a rebuild is active, returns that one.
 *
 * @param ends next offset of each partition of the topic
 */
export const requestRebuild = async (
  db: Db,
  read_model: ReadModel,
  ends: readonly number[],
  { by, at }: { readonly by: string; readonly at: Date },
): Promise<RebuildRequest> => {
  const model_version = MODEL_VERSIONS[read_model];
  const serving = await servingAlone(db, read_model);
  if (typeof serving === 'string') return { tag: 'refused', reason: serving };
  const there = await findRebuild(db, read_model);
  if (there?.replaces === serving) return { tag: 'under_way', rebuild: there, is_new: false };
  // The existing request is outdated, because the store was restored after it.
  if (there !== null) await giveUpRebuild(db, there);
  // After a restore, the counter of generations may be too low, so the numbers of existing collections count too.
  const highest = Math.max(serving, ...(await collectionsByGeneration(db, read_model)).keys());
  const generation = await newGeneration(db, read_model, highest);
  await chooseDocumentForm(db, read_model, generation);
  const rebuild: Rebuild = {
    _id: rebuildId(read_model, model_version),
    ...{ read_model, model_version, serving: false, ends, replaces: serving, generation },
    ...{ requested_at: at, requested_by: by },
  };
  try {
    await rebuildsIn(db).insertOne(rebuild);
  } catch (error) {
    // Another process requested a rebuild at the same time.
    if (!isDuplicateKey(error)) throw error;
    return await requestRebuild(db, read_model, ends, { by, at });
  }
  // Checks again, because a new version that appeared meanwhile stopped only the rebuilds that it saw.
  const still = await servingAlone(db, read_model);
  if (typeof still !== 'string') return { tag: 'under_way', rebuild, is_new: true };
  await giveUpRebuild(db, rebuild);
  return { tag: 'refused', reason: still };
};

export type RebuildProgress =
  | {
      readonly tag: 'folding';
      readonly folded: number;
      /** The number of records at the request, or the current number of the serving generation if it is higher. */
      readonly of: number;
      readonly is_begun: boolean;
    }
  | { readonly tag: 'serves' }
  | { readonly tag: 'given_up' };

export const rebuildProgress = async (
  db: Db,
  { _id, read_model, model_version, generation, replaces, ends }: Rebuild,
): Promise<RebuildProgress> => {
  const positions = async (of: number): Promise<ReadonlyMap<number, number>> => {
    const found = await checkpointsOf(db, read_model, of)
      .find({}, { projection: { next: 1 }, ...queryTimeout() })
      .toArray();
    return new Map(found.map(({ _id: partition, next }) => [partition, next]));
  };
  const [own, former] = [await positions(generation), await positions(replaces)];
  const rebuild = await rebuildsIn(db).findOne({ _id }, queryTimeout());
  if (rebuild?.generation !== generation) {
    const pointer = await generationPointers(db).findOne({ _id: pointerId(read_model, model_version) }, queryTimeout());
    return { tag: pointer?.generation === generation ? 'serves' : 'given_up' };
  }
  const partitions = new Set([...ends.keys(), ...own.keys(), ...former.keys()]);
  let [folded, of] = [0, 0];
  for (const partition of partitions) {
    const next = own.get(partition) ?? 0;
    folded += next;
    of += Math.max(next, ends[partition] ?? 0, former.get(partition) ?? 0);
  }
  return { tag: 'folding', folded, of, is_begun: own.size > 0 };
};
