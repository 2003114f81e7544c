import type { Collection, Db } from 'mongodb';
import { generationPointer } from '../platform/read-store/generation-pointer.ts';
import { renderCollections } from '../schemas/read-models/collections.ts';
import type { RenderDocument } from '../schemas/read-models/render-document.ts';

/** The documents of the renders that readers read now. */
export const servingRenders = async (db: Db): Promise<Collection<RenderDocument>> =>
  db.collection(renderCollections(await generationPointer(db, 'renders')()).renders);
