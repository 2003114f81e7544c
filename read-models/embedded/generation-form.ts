import type { Collection, Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import type { ReadModel } from '../generations.ts';
import { type DocumentForm, PLAIN, SKIP_LISTS } from './document-form.ts';
import { embeddedServerCheck } from './server.ts';

/**
 * `generations`: the form of the documents of a generation (ADR 130); `_id` is `<read model>/<generation>`. The form belongs to
 * the number, not to a pointer, because older code moves pointers and does not know the form. Generations without this
 * document have skip lists, which older code always writes.
 */
type FormDocument = { readonly _id: string; readonly form: 'plain' };

const formsIn = (db: Db): Collection<FormDocument> => db.collection(COLLECTIONS.generations);

const formId = (read_model: ReadModel, generation: number): string => `${read_model}/${generation}`;

/**
 * Chooses the form of a new generation by what the server says. Call it before anything points to the generation; it may be
 * repeated. Rejects when the store does not answer.
 */
export const chooseForm = async (db: Db, read_model: ReadModel, generation: number): Promise<void> => {
  if (await embeddedServerCheck(db)()) return;
  await formsIn(db).updateOne({ _id: formId(read_model, generation) }, { $set: { form: 'plain' } }, { upsert: true });
};

/** Whether the documents of a generation have the plain form. Rejects when the store does not answer. */
export const isPlain = async (db: Db, read_model: ReadModel, generation: number): Promise<boolean> =>
  (await formsIn(db).findOne({ _id: formId(read_model, generation) }, queryTimeout()))?.form === 'plain';

/** The form in which every process writes the documents of a generation. Rejects when the store does not answer. */
export const documentForm = async (db: Db, read_model: ReadModel, generation: number): Promise<DocumentForm> =>
  (await isPlain(db, read_model, generation)) ? PLAIN : SKIP_LISTS;

/** Whether lists of a generation are slow: the embedded store sorts them, and their documents have no skip lists. */
export const hasSlowLists = async (db: Db, read_model: ReadModel, generation: number): Promise<boolean> =>
  (await embeddedServerCheck(db)()) && (await isPlain(db, read_model, generation));
