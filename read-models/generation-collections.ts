import type { Collection, Db } from 'mongodb';
import type { CheckpointDocument } from './checkpoint.ts';
import { catalogueCollections, renderCollections } from './collections.ts';
import type { ReadModel } from './generations.ts';

const NAMES: { readonly [M in ReadModel]: (generation: number) => readonly string[] } = {
  renders: (generation) => Object.values(renderCollections(generation)),
  catalogue: (generation) => {
    const { entities, ...others } = catalogueCollections(generation);
    return [...Object.values(others), ...Object.values(entities)];
  },
};

export const collectionsOf = (read_model: ReadModel, generation: number): readonly string[] =>
  NAMES[read_model](generation);

const CHECKPOINTS: { readonly [M in ReadModel]: (generation: number) => string } = {
  renders: (generation) => renderCollections(generation).checkpoints,
  catalogue: (generation) => catalogueCollections(generation).checkpoints,
};

export const checkpointsOf = (db: Db, read_model: ReadModel, generation: number): Collection<CheckpointDocument> =>
  db.collection(CHECKPOINTS[read_model](generation));

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
