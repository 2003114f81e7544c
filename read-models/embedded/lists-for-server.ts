import type { Collection, Db } from 'mongodb';
import type { ServingGeneration } from '../generations.ts';
import type { ReadTier } from '../lists.ts';
import { positionsIn, readInWindows } from './read-in-windows.ts';
import { embeddedServerCheck } from './server.ts';

/** The first version of both read models whose documents have levels of skip lists. */
const SKIP_LISTS_SINCE = 3;

/** Turns the plain reader of a generation's lists into the one that the server needs. */
export type ListsForServer = <A, D extends { readonly position?: string | null }>(
  serving: ServingGeneration,
  documents: Collection<D>,
  plain: ReadTier<A>,
) => Promise<ReadTier<A>>;

export const listsForServer = (db: Db): ListsForServer => {
  const isEmbedded = embeddedServerCheck(db);
  return async ({ model_version }, documents, plain) =>
    model_version >= SKIP_LISTS_SINCE && (await isEmbedded()) ? readInWindows(plain, positionsIn(documents)) : plain;
};
