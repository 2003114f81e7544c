import type { Collection, Db } from 'mongodb';
import { COLLECTIONS } from '../../read-models/collections.ts';
import {
  type FirstGenerationDocument,
  type GenerationDocument,
  type LastGenerationDocument,
  MODEL_VERSIONS,
  type ReadModel,
  readServingGeneration,
  type ServingGeneration,
} from '../../read-models/generations.ts';

const NO_FIRST_VERSION = 0;
const FIRST_GENERATION = 1;

export type Claim = {
  /** Of this code's version of the read model; all processes that know it get the same. */
  readonly own: GenerationDocument;
  /** The older one that serves until `own` is complete; null once it is, or where there is none. */
  readonly former: ServingGeneration | null;
};

export const pointerId = (read_model: ReadModel, model_version: number): string => `${read_model}@${model_version}`;

const pointers = (db: Db): Collection<GenerationDocument> => db.collection(COLLECTIONS.generations);

/** A number that was never given before, so that nothing of an abandoned generation is taken for one's own. */
const newNumber = async (db: Db, read_model: ReadModel, above: number): Promise<number> => {
  const counts = db.collection<LastGenerationDocument>(COLLECTIONS.generations);
  const _id = `${read_model}#`;
  await counts.updateOne({ _id }, { $max: { given: above } }, { upsert: true });
  const counted = await counts.findOneAndUpdate({ _id }, { $inc: { given: 1 } }, { returnDocument: 'after' });
  if (counted === null) throw new Error(`${_id} is gone`);
  return counted.given;
};

/** Only the first of several processes makes it; what the others wanted is dropped. */
const make = async (
  db: Db,
  read_model: ReadModel,
  model_version: number,
  former: ServingGeneration | null,
  ends: readonly number[],
): Promise<void> => {
  const _id = pointerId(read_model, model_version);
  const generation = former === null ? FIRST_GENERATION : await newNumber(db, read_model, former.generation);
  await pointers(db).updateOne(
    { _id },
    { $setOnInsert: { read_model, model_version, generation, serving: former === null, ends } },
    { upsert: true },
  );
};

/**
 * The generation of this code's version of a read model. In a store that has none yet it serves at once; beside an
 * older version it has to be folded first. Idempotent.
 *
 * @param ends asked for only when the generation is made
 */
export const claimGeneration = async (
  db: Db,
  read_model: ReadModel,
  ends: () => Promise<readonly number[]>,
  model_version: number = MODEL_VERSIONS[read_model],
): Promise<Claim> => {
  const _id = pointerId(read_model, model_version);
  const older = async () => await readServingGeneration(db, read_model, model_version - 1);
  if ((await pointers(db).findOne({ _id })) === null) {
    await make(db, read_model, model_version, await older(), await ends());
  }
  await db
    .collection<FirstGenerationDocument>(COLLECTIONS.generations)
    .updateOne({ _id: read_model }, { $setOnInsert: { current: NO_FIRST_VERSION } }, { upsert: true });
  const own = await pointers(db).findOne({ _id });
  if (own === null) throw new Error(`${_id} is gone`);
  const former = own.serving ? null : await older();
  if (!own.serving && former === null) {
    await pointers(db).updateOne({ _id }, { $set: { serving: true } });
    return { own: { ...own, serving: true }, former };
  }
  return { own, former };
};
