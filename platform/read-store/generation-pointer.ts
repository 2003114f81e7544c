import type { Db } from 'mongodb';
import { COLLECTIONS, type GenerationDocument } from '../../schemas/read-models/collections.ts';
import { inTime } from './in-time.ts';

const FRESH_MS = 1_000;
/** What the first projector makes; readers may be up before it. */
const FIRST = 1;

/**
 * The generation of a read model that readers use. Asked for at every request, read from the store at most once a
 * second, so that readers follow a rebuild within that time.
 */
export const generationPointer = (db: Db, read_model: GenerationDocument['_id']): (() => Promise<number>) => {
  const generations = db.collection<GenerationDocument>(COLLECTIONS.generations);
  const read = async (): Promise<number> =>
    (await generations.findOne({ _id: read_model }, inTime()))?.current ?? FIRST;

  let known: { readonly read_at: number; readonly current: Promise<number> } | null = null;
  return async () => {
    const now = performance.now();
    if (known === null || now - known.read_at >= FRESH_MS) {
      const current = read();
      known = { read_at: now, current };
      // A failed read is not remembered; whoever waits for it is told.
      current.catch(() => {
        known = null;
      });
    }
    return await known.current;
  };
};
