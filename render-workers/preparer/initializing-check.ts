import { generationPointer } from '../../platform/read-store/generation-pointer.ts';
import { inTime } from '../../platform/read-store/in-time.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import { renderCollections } from '../../schemas/read-models/collections.ts';
import type { RenderDocument } from '../../schemas/read-models/render-document.ts';

/** Avoids repeating work after a restart. If the store does not answer, the work is repeated, which is harmless. */
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
