import { setTimeout as pause } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { inTime } from '../../platform/read-store/in-time.ts';
import { renderCollections } from '../../schemas/read-models/collections.ts';
import type { RenderDocument } from '../../schemas/read-models/render-document.ts';

const LOOK_EVERY_MS = 50;

/** Whether the read model had the render within the time. Never rejects: a store that does not answer is a no. */
export type Folded = (render_id: string, timeout_ms: number) => Promise<boolean>;

export const openFolded = (db: Db, generation: () => Promise<number>): Folded => {
  const isThere = async (_id: string): Promise<boolean> => {
    const { renders } = renderCollections(await generation());
    return (
      (await db.collection<RenderDocument>(renders).findOne({ _id }, { projection: { _id: 1 }, ...inTime() })) !== null
    );
  };
  return async (render_id, timeout_ms) => {
    const until = performance.now() + timeout_ms;
    while (performance.now() < until) {
      if (await isThere(render_id).catch(() => false)) return true;
      await pause(LOOK_EVERY_MS);
    }
    return false;
  };
};
