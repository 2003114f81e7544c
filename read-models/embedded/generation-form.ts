import type { Collection, Db } from 'mongodb';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import { COLLECTIONS } from '../collections.ts';
import type { ReadModel } from '../generations.ts';
import { type DocumentForm, MONGODB_FORM, SKIP_LIST_FORM } from './document-form.ts';
import { embeddedServerCheck } from './server.ts';

/**
 * `generations`: the form of a generation's documents (ADR 130); `_id` is `<read model>/<generation>`. The form is not in
 * a pointer, because older code moves pointers. Older code always writes skip lists, so a generation without this
 * document has skip lists.
 */
type FormDocument = { readonly _id: string; readonly form: 'plain' };

const formsIn = (db: Db): Collection<FormDocument> => db.collection(COLLECTIONS.generations);

const formId = (read_model: ReadModel, generation: number): string => `${read_model}/${generation}`;

/**
 * Stores the form of a new generation. It must run before a pointer names the generation, and may be repeated. Rejects
 * on store outage.
 */
export const chooseDocumentForm = async (db: Db, read_model: ReadModel, generation: number): Promise<void> => {
  if (await embeddedServerCheck(db)()) return;
  await formsIn(db).updateOne({ _id: formId(read_model, generation) }, { $set: { form: 'plain' } }, { upsert: true });
};

export const hasNoSkipLists = async (db: Db, read_model: ReadModel, generation: number): Promise<boolean> =>
  (await formsIn(db).findOne({ _id: formId(read_model, generation) }, queryTimeout()))?.form === 'plain';

/** The form in which every process writes the documents of a generation. Rejects on store outage. */
export const readDocumentForm = async (db: Db, read_model: ReadModel, generation: number): Promise<DocumentForm> =>
  (await hasNoSkipLists(db, read_model, generation)) ? MONGODB_FORM : SKIP_LIST_FORM;

/** Lists are slow if the embedded store must sort them, because the documents have no skip lists. */
export const hasSlowLists = async (db: Db, read_model: ReadModel, generation: number): Promise<boolean> =>
  (await embeddedServerCheck(db)()) && (await hasNoSkipLists(db, read_model, generation));
