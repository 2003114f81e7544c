import type { Abortable, Collection, Db, FindOptions } from 'mongodb';
import { readOncePerInterval } from '../platform/read-store/fresh-read.ts';
import { queryTimeout } from '../platform/read-store/query-timeout.ts';
import type { CheckpointDocument } from './checkpoint.ts';
import { COLLECTIONS, catalogueCollections, renderCollections } from './collections.ts';

/**
 * The version of each read model. A higher version needs a new generation, folded from the first record. Readers of a
 * version must also read the previous version, which serves until its successor is complete.
 */
export const MODEL_VERSIONS = { renders: 3, catalogue: 3 } as const;

export type ReadModel = keyof typeof MODEL_VERSIONS;

export const FIRST_MODEL_VERSION = 1;

export const AUDIT_SINCE = 3;

export const STATISTICS_SINCE = 3;

export const LISTS_OF_TEAMS_SINCE = 3;

/** `generations`: the pointer of one version of a read model; `_id` is `<read model>@<version>`. */
export type GenerationDocument = {
  readonly _id: string;
  readonly read_model: ReadModel;
  readonly model_version: number;
  readonly generation: number;
  /** False during the first fold. Readers use the newest serving version that they know. */
  readonly serving: boolean;
  /** The end of each partition when the fold began. The generation serves only after the fold has reached them. */
  readonly ends: readonly number[];
  /** The previous generation of the same version, and when this one replaced it; absent without one. */
  readonly replaced?: { readonly generation: number; readonly at: Date };
  /** When the generation replaced an older version; absent without one, or if older code replaced it. */
  readonly serving_since?: Date;
};

/**
 * `generations`: a generation that will replace one of the same version; `_id` is `<read model>@<version>/rebuild`.
 * Readers, and projectors of older code, do not see it.
 */
export type RebuildDocument = GenerationDocument & {
  readonly serving: false;
  readonly replaces: number;
  readonly requested_at: Date;
  readonly requested_by: string;
};

export const pointerId = (read_model: ReadModel, model_version: number): string => `${read_model}@${model_version}`;

export const rebuildId = (read_model: ReadModel, model_version: number): string =>
  `${pointerId(read_model, model_version)}/rebuild`;

/**
 * `generations`: the pointer of version 1. Code of version 1 reads only this pointer. If `current` is 0, there was no
 * version 1, and such code folds its own generation.
 */
export type FirstGenerationDocument = { readonly _id: ReadModel; readonly current: number };

/** `generations`: the counter of a read model; `_id` is `<read model>#`. */
type LastGenerationDocument = { readonly _id: string; readonly given: number };

export const generationPointers = (db: Db): Collection<GenerationDocument> => db.collection(COLLECTIONS.generations);

/** A number is never reused, so documents of an abandoned generation never mix with others. */
export const newGeneration = async (db: Db, read_model: ReadModel, above: number): Promise<number> => {
  const counts = db.collection<LastGenerationDocument>(COLLECTIONS.generations);
  const _id = `${read_model}#`;
  await counts.updateOne({ _id }, { $max: { given: above } }, { upsert: true });
  const counted = await counts.findOneAndUpdate({ _id }, { $inc: { given: 1 } }, { returnDocument: 'after' });
  if (counted === null) throw new Error(`${_id} is gone`);
  return counted.given;
};

export const isNewerVersionThere = async (
  db: Db,
  read_model: ReadModel,
  model_version: number,
  options: FindOptions & Abortable = queryTimeout(),
): Promise<boolean> => {
  const newer = generationPointers(db).find({ read_model, model_version: { $gt: model_version } }, options);
  return (await newer.limit(1).toArray()).length > 0;
};

/** The generation to read if none serves. Readers may start before the first projector, which folds this generation. */
const FIRST = 1;

export type ServingGeneration = {
  readonly generation: number;
  readonly model_version: number;
};

/** `partitions` is the minimum number of partitions. */
export type ServingPointer = ServingGeneration & {
  readonly partitions: number;
  /** When the generation replaced another one, ms since the epoch; null if it did not. */
  readonly took_over_at: number | null;
};

export const readServingPointer = async (
  db: Db,
  read_model: ReadModel,
  newest: number = MODEL_VERSIONS[read_model],
): Promise<ServingPointer | null> => {
  const [serving] = await generationPointers(db)
    .find({ read_model, serving: true, model_version: { $lte: newest } }, queryTimeout())
    .sort({ model_version: -1 })
    .limit(1)
    .toArray();
  if (serving !== undefined) {
    const { generation, model_version, ends, replaced, serving_since } = serving;
    const took_over_at = (replaced?.at ?? serving_since)?.getTime() ?? null;
    return { generation, model_version, partitions: ends.length, took_over_at };
  }
  const first = await db
    .collection<FirstGenerationDocument>(COLLECTIONS.generations)
    .findOne({ _id: read_model }, queryTimeout());
  return first === null || first.current === 0
    ? null
    : { generation: first.current, model_version: FIRST_MODEL_VERSION, partitions: 0, took_over_at: null };
};

export const readServingGeneration = async (
  db: Db,
  read_model: ReadModel,
  newest?: number,
): Promise<ServingGeneration | null> => {
  const found = await readServingPointer(db, read_model, newest);
  return found === null ? null : { generation: found.generation, model_version: found.model_version };
};

/**
 * Readers follow a cutover within a second.
 *
 * @param open is called at most once a second
 */
export const servingCollections = <M extends object>(
  db: Db,
  read_model: ReadModel,
  open: (generation: number) => M,
): (() => Promise<M & ServingGeneration>) =>
  readOncePerInterval(async () => {
    const none_yet = { generation: FIRST, model_version: MODEL_VERSIONS[read_model] };
    const serving = (await readServingGeneration(db, read_model)) ?? none_yet;
    return { ...open(serving.generation), ...serving };
  });

export const servingGeneration = (db: Db, read_model: ReadModel): (() => Promise<ServingGeneration>) =>
  servingCollections(db, read_model, () => ({}));

export const generationPointer = (db: Db, read_model: ReadModel): (() => Promise<number>) => {
  const serving = servingGeneration(db, read_model);
  return async () => (await serving()).generation;
};

const COLLECTION_NAMES: { readonly [M in ReadModel]: (generation: number) => readonly string[] } = {
  renders: (generation) => Object.values(renderCollections(generation)),
  catalogue: (generation) => {
    const { entities, ...others } = catalogueCollections(generation);
    return [...Object.values(others), ...Object.values(entities)];
  },
};

export const collectionsOf = (read_model: ReadModel, generation: number): readonly string[] =>
  COLLECTION_NAMES[read_model](generation);

const CHECKPOINT_NAMES: { readonly [M in ReadModel]: (generation: number) => string } = {
  renders: (generation) => renderCollections(generation).checkpoints,
  catalogue: (generation) => catalogueCollections(generation).checkpoints,
};

export const checkpointsOf = (db: Db, read_model: ReadModel, generation: number): Collection<CheckpointDocument> =>
  db.collection(CHECKPOINT_NAMES[read_model](generation));

const NUMBERED = /^(.+)_g(\d+)$/;

export const groupByGeneration = (
  read_model: ReadModel,
  names: readonly string[],
): ReadonlyMap<number, readonly string[]> => {
  const found = new Map<number, readonly string[]>();
  for (const name of names) {
    const generation = Number(NUMBERED.exec(name)?.[2] ?? Number.NaN);
    if (!collectionsOf(read_model, generation).includes(name)) continue;
    found.set(generation, [...(found.get(generation) ?? []), name]);
  }
  return found;
};

export const collectionsByGeneration = async (
  db: Db,
  read_model: ReadModel,
): Promise<ReadonlyMap<number, readonly string[]>> => {
  const all = await db.listCollections({}, { nameOnly: true }).toArray();
  return groupByGeneration(
    read_model,
    all.map(({ name }) => name),
  );
};
