import type { Collection } from 'mongodb';
import type { GenerationDocument } from '../schemas/read-models/collections.ts';

/** The generation of a read model that is served now; makes the pointer at the very first start. */
export const currentGeneration = async (
  generations: Collection<GenerationDocument>,
  read_model: GenerationDocument['_id'],
): Promise<number> => {
  await generations.updateOne({ _id: read_model }, { $setOnInsert: { current: 1 } }, { upsert: true });
  return (await generations.findOne({ _id: read_model }))?.current ?? 1;
};
