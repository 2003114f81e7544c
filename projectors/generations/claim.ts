import type { Db } from 'mongodb';
import { COLLECTIONS } from '../../read-models/collections.ts';
import { chooseDocumentForm } from '../../read-models/embedded/generation-form.ts';
import {
  FIRST_MODEL_VERSION,
  type FirstGenerationDocument,
  type GenerationDocument,
  generationPointers,
  MODEL_VERSIONS,
  newGeneration,
  pointerId,
  type ReadModel,
  readServingGeneration,
  rebuildId,
  type ServingGeneration,
} from '../../read-models/generations.ts';

const NO_FIRST_VERSION = 0;
const FIRST_GENERATION = 1;

export type GenerationClaim = {
  /** The generation for this code's model version. All processes of the version get the same one. */
  readonly own: GenerationDocument;
  /** The older generation that serves until `own` is complete; null if `own` serves or is the first one. */
  readonly former: ServingGeneration | null;
};

/** Creates the pointer of a new generation. The first process wins; the upserts of the others change nothing. */
const make = async (
  db: Db,
  read_model: ReadModel,
  model_version: number,
  former: ServingGeneration | null,
  ends: readonly number[],
): Promise<void> => {
  const _id = pointerId(read_model, model_version);
  const generation = former === null ? FIRST_GENERATION : await newGeneration(db, read_model, former.generation);
  await chooseDocumentForm(db, read_model, generation);
  await generationPointers(db).updateOne(
    { _id },
    { $setOnInsert: { read_model, model_version, generation, serving: former === null, ends } },
    { upsert: true },
  );
};

/**
 * Stops rebuilds of older versions. It runs after the creation of the new pointer and before the read of the serving
 * generation. A rebuild of an older version then either serves already, as the former generation, or never serves.
 */
const giveUpOlderRebuilds = async (db: Db, read_model: ReadModel, model_version: number): Promise<void> => {
  for (let older = FIRST_MODEL_VERSION + 1; older < model_version; older += 1)
    await generationPointers(db).deleteOne({ _id: rebuildId(read_model, older) });
};

/**
 * In a store without generations, the new generation serves at once. If an older version serves, the new one must be
 * folded first. Idempotent.
 *
 * @param ends read only if the generation is new
 */
export const claimGeneration = async (
  db: Db,
  read_model: ReadModel,
  ends: () => Promise<readonly number[]>,
  model_version: number = MODEL_VERSIONS[read_model],
): Promise<GenerationClaim> => {
  const _id = pointerId(read_model, model_version);
  const older = async () => await readServingGeneration(db, read_model, model_version - 1);
  if ((await generationPointers(db).findOne({ _id })) === null) {
    await make(db, read_model, model_version, await older(), await ends());
  }
  await db
    .collection<FirstGenerationDocument>(COLLECTIONS.generations)
    .updateOne({ _id: read_model }, { $setOnInsert: { current: NO_FIRST_VERSION } }, { upsert: true });
  await giveUpOlderRebuilds(db, read_model, model_version);
  const own = await generationPointers(db).findOne({ _id });
  if (own === null) throw new Error(`${_id} is gone`);
  const former = own.serving ? null : await older();
  if (!own.serving && former === null) {
    await generationPointers(db).updateOne({ _id }, { $set: { serving: true } });
    return { own: { ...own, serving: true }, former };
  }
  return { own, former };
};
