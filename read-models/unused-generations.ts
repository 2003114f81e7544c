import type { Db } from 'mongodb';
import type { Clock } from '../platform/process/clock.ts';
import { queryTimeout } from '../platform/read-store/query-timeout.ts';
import { type CheckpointDocument, closeCheckpoints } from './checkpoint.ts';
import { COLLECTIONS } from './collections.ts';
import { dropInParts } from './embedded/collections.ts';
import {
  checkpointsOf,
  collectionsByGeneration,
  FIRST_MODEL_VERSION,
  type FirstGenerationDocument,
  type GenerationDocument,
  generationPointers,
  type ReadModel,
} from './generations.ts';
import { renderCollectionsIn } from './renders/model.ts';
import { readWatermarks } from './renders/watermarks.ts';

export type GenerationPointers = {
  readonly pointers: readonly GenerationDocument[];
  readonly first: number | null;
};

export type GenerationNeed =
  /** The generation serves, is being folded, or serves until its successor is complete. */
  | { readonly tag: 'needed' }
  /** The generation was replaced a moment ago, so readers may still use it. */
  | { readonly tag: 'just_replaced' }
  /** The generation belongs to a version before the serving one. Old processes, or a downgrade, may continue it. */
  | { readonly tag: 'older_version'; readonly model_version: number }
  /** A rebuild replaced the generation, or the generation was stopped. */
  | { readonly tag: 'unused' };

/** A process that does not know of a rebuild ends within this time after the rebuild. */
const FOLLOWED_MS = 60_000;

/** If no generation serves, the pointers are lost, so all generations are needed. */
export const generationNeedOf = (
  generation: number,
  { pointers, first }: GenerationPointers,
  now: number,
): GenerationNeed => {
  const serving = Math.max(
    first === null ? 0 : FIRST_MODEL_VERSION,
    ...pointers.filter((one) => one.serving).map(({ model_version }) => model_version),
  );
  if (serving === 0) return { tag: 'needed' };
  const named = pointers.filter((one) => one.generation === generation);
  const of_first = first === generation ? FIRST_MODEL_VERSION : 0;
  const version = Math.max(of_first, ...named.map(({ model_version }) => model_version));
  if (version > 0) return version >= serving ? { tag: 'needed' } : { tag: 'older_version', model_version: version };
  const replaced = pointers.find((one) => one.replaced?.generation === generation)?.replaced;
  return replaced !== undefined && now - replaced.at.getTime() < FOLLOWED_MS
    ? { tag: 'just_replaced' }
    : { tag: 'unused' };
};

const readPointers = async (db: Db, read_model: ReadModel): Promise<GenerationPointers> => {
  const pointers = await generationPointers(db).find({ read_model }, queryTimeout()).toArray();
  const first = await db
    .collection<FirstGenerationDocument>(COLLECTIONS.generations)
    .findOne({ _id: read_model }, queryTimeout());
  return { pointers, first: first === null || first.current === 0 ? null : first.current };
};

export type StoredGeneration = {
  readonly read_model: ReadModel;
  readonly generation: number;
  readonly need: GenerationNeed;
  readonly collections: readonly string[];
};

export const storedGenerations = async (
  db: Db,
  read_model: ReadModel,
  now: number,
): Promise<readonly StoredGeneration[]> => {
  // The collections are read before the pointers. A generation that is created in between is then not in the list.
  const there = await collectionsByGeneration(db, read_model);
  const pointers = await readPointers(db, read_model);
  return Array.from(there, ([generation, names]) => {
    const { collectionName } = checkpointsOf(db, read_model, generation);
    const collections = names.filter((name) => name !== collectionName);
    return { read_model, generation, need: generationNeedOf(generation, pointers, now), collections };
  })
    .filter(({ collections }) => collections.length > 0)
    .toSorted((one, other) => one.generation - other.generation);
};

/** `followed`: a process folds the generation, although no pointer needs it. */
export type DropRefusal = 'needed' | 'followed';

/** The checkpoints are compared after this time, because an active projector moves them within it. */
const LOOKED_AT_MS = 3_000;
/** A projector of renders is active if a watermark is at most this old. It writes one every second. */
const WORKS_MS = 15_000;

const positionsOf = (checkpoints: readonly CheckpointDocument[]): string =>
  JSON.stringify(checkpoints.map(({ _id, next, chain }) => `${_id} ${next} ${chain}`).toSorted());

const isFollowed = async (
  db: Db,
  { read_model, generation }: StoredGeneration,
  clock: Pick<Clock, 'now' | 'sleep'>,
): Promise<boolean> => {
  const checkpoints = checkpointsOf(db, read_model, generation);
  const before = await checkpoints.find({}).toArray();
  if (before.every(({ closed }) => closed !== undefined)) return false;
  if (read_model === 'renders') {
    const { marks, read_at } = await readWatermarks(renderCollectionsIn(db, generation));
    if (read_at !== null && marks.some(({ at }) => at > read_at - WORKS_MS)) return true;
  }
  await clock.sleep(LOOKED_AT_MS);
  return positionsOf(await checkpoints.find({}).toArray()) !== positionsOf(before);
};

/**
 * The checkpoints stay, closed, so that a process that follows the generation stops. Readers of an older version get
 * one partition more than there are, so they report that they are behind instead of an empty list. May be repeated
 * after a crash at any point.
 *
 * @returns why the generation was not dropped; null if it was
 */
export const dropGeneration = async (
  db: Db,
  stored: StoredGeneration,
  clock: Pick<Clock, 'now' | 'sleep'>,
): Promise<DropRefusal | null> => {
  const { read_model, generation, collections } = stored;
  if (await isFollowed(db, stored, clock)) return 'followed';
  const pointers = await readPointers(db, read_model);
  const need = generationNeedOf(generation, pointers, clock.now());
  if (need.tag === 'needed' || need.tag === 'just_replaced') return 'needed';
  const checkpoints = checkpointsOf(db, read_model, generation);
  await closeCheckpoints(checkpoints, await checkpoints.find({}).toArray());
  const older = need.tag === 'older_version' && pointers.pointers.find((one) => one.generation === generation);
  if (older) await generationPointers(db).updateOne({ _id: older._id }, { $set: { ends: [...older.ends, 0] } });
  for (const name of collections) await dropInParts(db.collection(name));
  return null;
};
