import { type Document, type MongoError, MongoServerError } from 'mongodb';
import { insertedBy, matches } from './matching.ts';
import type { Versions } from './versions.ts';

export type Id = string | number;

/** By collection and id; null for a deletion. */
export type Changes = Map<string, Map<Id, Document | null>>;

/** Documents as an operation sees and changes them. */
export type View = {
  readonly find: (collection: string, filter: Document) => readonly Document[];
  readonly write: (collection: string, id: Id, document: Document | null) => void;
};

/** The state of the store at one version, with the changes of a transaction. */
export type Snapshot = { readonly as_of: number; readonly epoch: number; readonly changes: Changes };

const DUPLICATE_KEY = 11_000;

export const transient = (): MongoError => {
  const error = new MongoServerError({ message: 'WriteConflict', code: 112 });
  error.addErrorLabel('TransientTransactionError');
  return error;
};

export const idOf = (document: Document): Id => document._id;

/** The ids that a filter names; undefined if it names none. */
const idsIn = ({ _id }: Document): readonly Id[] | undefined => {
  const ids = typeof _id === 'string' || typeof _id === 'number' ? [_id] : _id?.$in;
  return Array.isArray(ids) ? ids : undefined;
};

export const viewOf = (versions: Versions, { as_of, epoch, changes }: Snapshot, epochNow: () => number): View => {
  const changed = (collection: string): Map<Id, Document | null> => {
    const own = changes.get(collection) ?? new Map<Id, Document | null>();
    changes.set(collection, own);
    return own;
  };
  const one = (collection: string, id: Id): Document | null => {
    const own = changes.get(collection)?.get(id);
    return own === undefined ? versions.find(collection, id, as_of) : own;
  };
  const all = (collection: string): readonly Document[] => {
    const own = changes.get(collection);
    const stored = versions.all(collection, as_of).filter((document) => own?.has(idOf(document)) !== true);
    return own === undefined ? stored : [...stored, ...[...own.values()].flatMap((document) => document ?? [])];
  };
  return {
    find: (collection, filter) => {
      const ids = idsIn(filter);
      const candidates =
        ids === undefined ? all(collection) : [...new Set(ids)].flatMap((id) => one(collection, id) ?? []);
      return candidates.filter((document) => matches(document, filter));
    },
    write: (collection, id, document) => {
      if (versions.writtenAt(collection, id) > as_of || epoch !== epochNow()) throw transient();
      changed(collection).set(id, document);
    },
  };
};

export const insert = (view: View, collection: string, document: Document): void => {
  const id = idOf(document);
  if (view.find(collection, { _id: id }).length > 0) {
    throw new MongoServerError({ message: `E11000 duplicate key: ${collection} ${id}`, code: DUPLICATE_KEY });
  }
  view.write(collection, id, document);
};

/** @returns how many documents it deleted */
export const deleteFirst = (view: View, collection: string, filter: Document): number => {
  const [found] = view.find(collection, filter);
  if (found === undefined) return 0;
  view.write(collection, idOf(found), null);
  return 1;
};

type Updated = { readonly before: Document | null; readonly after: Document | null; readonly upserted: Id | null };

export const updateFirst = (
  view: View,
  collection: string,
  filter: Document,
  change: (before: Document, is_insert: boolean) => Document,
  upsert: boolean,
): Updated => {
  const [before] = view.find(collection, filter);
  if (before !== undefined) {
    const after = change(before, false);
    view.write(collection, idOf(before), after);
    return { before, after, upserted: null };
  }
  if (!upsert) return { before: null, after: null, upserted: null };
  const after = change(insertedBy(filter), true);
  insert(view, collection, after);
  return { before: null, after, upserted: idOf(after) };
};
