import type { Collection, Document, IndexDescription } from 'mongodb';
import type { ReadStore } from '../../../../platform/read-store/read-store.ts';

export type Stored = Document & { _id: string | number };

/** The fixture of a form: two empty collections, filled and indexed as the form requires. */
export type Ground = {
  readonly store: ReadStore;
  readonly things: Collection<Stored>;
  readonly others: Collection<Stored>;
};

/**
 * One form of query or write that the code uses: with these documents, this operation gives this answer. Field names,
 * operators and options are those of the code; the values are not.
 */
export type Form = {
  readonly name: string;
  /** The files that use it, relative to the root; empty for forms of the driver or of a user's data. */
  readonly used_by: readonly string[];
  readonly documents?: readonly Stored[];
  readonly indexes?: readonly IndexDescription[];
  readonly operation: (ground: Ground) => Promise<unknown>;
  readonly expected: unknown;
};

export const idsOf = (documents: readonly Pick<Stored, '_id'>[]): readonly (string | number)[] =>
  documents.map(({ _id }) => _id);

/** The contents of a collection, in the order of its ids (numbers before strings, strings by their bytes). */
export const all = async (collection: Collection<Stored>): Promise<readonly Stored[]> =>
  await collection.find({}).sort({ _id: 1 }).toArray();

/** The name or code of an operation's fault; null if it succeeds. */
export const faultOf = async (operation: () => Promise<unknown>): Promise<unknown> => {
  try {
    await operation();
    return null;
  } catch (error) {
    if (!(error instanceof Error)) return 'not an error';
    return 'code' in error && typeof error.code === 'number' && error.code > 0 ? error.code : error.name;
  }
};
