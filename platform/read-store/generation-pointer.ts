import type { Db } from 'mongodb';
import {
  COLLECTIONS,
  FIRST_MODEL_VERSION,
  type FirstGenerationDocument,
  type GenerationDocument,
  MODEL_VERSIONS,
  type ReadModel,
} from '../../schemas/read-models/collections.ts';
import { freshRead } from './fresh-read.ts';
import { inTime } from './in-time.ts';

/** What the first projector makes; readers may be up before it. */
const FIRST = 1;

/** The generation of a read model that serves, and the version of its documents. */
export type ServingGeneration = {
  readonly generation: number;
  /** May be below the reader's own until the rebuild of its version is complete. */
  readonly model_version: number;
};

/** Read from the store now. Of two versions that serve it is the newer, unless the reader is too old for it. */
export const readServingGeneration = async (
  db: Db,
  read_model: ReadModel,
  newest: number = MODEL_VERSIONS[read_model],
): Promise<ServingGeneration | null> => {
  const [serving] = await db
    .collection<GenerationDocument>(COLLECTIONS.generations)
    .find({ read_model, serving: true, model_version: { $lte: newest } }, inTime())
    .sort({ model_version: -1 })
    .limit(1)
    .toArray();
  if (serving !== undefined) return { generation: serving.generation, model_version: serving.model_version };
  const first = await db
    .collection<FirstGenerationDocument>(COLLECTIONS.generations)
    .findOne({ _id: read_model }, inTime());
  return first === null || first.current === 0
    ? null
    : { generation: first.current, model_version: FIRST_MODEL_VERSION };
};

/** The generation of a read model that readers use. They follow a rebuild within a second. */
export const servingGeneration = (db: Db, read_model: ReadModel): (() => Promise<ServingGeneration>) =>
  freshRead(
    async () =>
      (await readServingGeneration(db, read_model)) ?? { generation: FIRST, model_version: MODEL_VERSIONS[read_model] },
  );

/** Its number alone, for those that read only what every version has. */
export const numberOf = (serving: () => Promise<ServingGeneration>) => async (): Promise<number> =>
  (await serving()).generation;

export const generationPointer = (db: Db, read_model: ReadModel): (() => Promise<number>) =>
  numberOf(servingGeneration(db, read_model));
