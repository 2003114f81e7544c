import { inTime } from '../../platform/read-store/in-time.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { renderCollections } from '../../read-models/collections.ts';
import { generationPointer } from '../../read-models/generations.ts';
import type { RenderDocument } from '../../read-models/renders/documents.ts';

/** Spares work that was done before a restart. Where the answer is not to be had, the work is done again: harmless. */
export const initializingCheck = ({ db }: ReadStore): ((render_id: string) => Promise<boolean>) => {
  const generation = generationPointer(db, 'renders');
  const statusOf = async (render_id: string): Promise<RenderDocument['status']> => {
    const { renders } = renderCollections(await generation());
    const found = await db
      .collection<RenderDocument>(renders)
      .findOne({ _id: render_id }, { projection: { status: 1 }, ...inTime() });
    return found?.status ?? null;
  };
  return async (render_id) => {
    const status = await statusOf(render_id).catch(() => null);
    return status === null || status === 'initializing';
  };
};
