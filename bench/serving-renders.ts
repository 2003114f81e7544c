import type { Collection, Db } from 'mongodb';
import { renderCollections } from '../read-models/collections.ts';
import { generationPointer } from '../read-models/generations.ts';
import type { RenderDocument } from '../read-models/renders/documents.ts';

/** The documents of the renders that readers read now. */
export const servingRenders = async (db: Db): Promise<Collection<RenderDocument>> =>
  db.collection(renderCollections(await generationPointer(db, 'renders')()).renders);
