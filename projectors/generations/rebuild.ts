import type { ReadStore } from '../../platform/read-store/read-store.ts';
import {
  generationPointers,
  isNewerVersionThere,
  pointerId,
  type RebuildDocument,
} from '../../read-models/generations.ts';
import { type CutoverOutcome, cutOver, type GenerationBuild } from './cutover.ts';

export type RebuildCutover = Omit<GenerationBuild, 'ends'> & { readonly rebuild: RebuildDocument };

export type RebuildOutcome = CutoverOutcome | 'given_up';

/** `given_up`: the rebuild was stopped, a newer version exists, or the generation that it replaces no longer serves. */
export const tryRebuildCutover = async (
  store: ReadStore,
  { rebuild, ...build }: RebuildCutover,
  now: () => number,
): Promise<RebuildOutcome> => {
  const { _id, read_model, model_version, generation, replaces, ends } = rebuild;
  const pointers = generationPointers(store.db);
  const pointer = pointerId(read_model, model_version);
  if ((await pointers.findOne({ _id }))?.generation !== generation) {
    // Another process was faster, or the answer to this process's transaction was lost.
    return (await pointers.findOne({ _id: pointer }))?.generation === generation ? 'serves' : 'given_up';
  }
  return await cutOver<RebuildOutcome>(store, { ...build, ends }, async (session) => {
    const { deletedCount } = await pointers.deleteOne({ _id, generation }, { session });
    if (deletedCount === 0) return 'behind';
    if (await isNewerVersionThere(store.db, read_model, model_version, { session })) return 'given_up';
    const replaced = { generation: replaces, at: new Date(now()) };
    const { matchedCount } = await pointers.updateOne(
      { _id: pointer, generation: replaces, serving: true },
      { $set: { generation, ends, replaced } },
      { session },
    );
    return matchedCount === 0 ? 'given_up' : 'now';
  });
};
