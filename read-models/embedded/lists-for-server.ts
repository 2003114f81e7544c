import type { Collection, Db } from 'mongodb';
import type { ReadModel, ServingGeneration } from '../generations.ts';
import type { ReadListTier } from '../lists.ts';
import { hasNoSkipLists } from './generation-form.ts';
import { positionReader, readInWindows } from './read-in-windows.ts';
import { embeddedServerCheck } from './server.ts';

const SKIP_LISTS_SINCE = 3;

export type ListReaderForServer = <A, D extends { readonly position?: string | null }>(
  serving: ServingGeneration,
  documents: Collection<D>,
  plain: ReadListTier<A>,
) => Promise<ReadListTier<A>>;

export const listReaderForServer = (db: Db, read_model: ReadModel): ListReaderForServer => {
  const isEmbedded = embeddedServerCheck(db);
  let known: { readonly generation: number; readonly is_plain: boolean } | null = null;
  const isPlainHere = async (generation: number): Promise<boolean> => {
    if (known?.generation === generation) return known.is_plain;
    const is_plain = await hasNoSkipLists(db, read_model, generation);
    known = { generation, is_plain };
    return is_plain;
  };
  return async ({ generation, model_version }, documents, plain) => {
    if (model_version < SKIP_LISTS_SINCE || !(await isEmbedded()) || (await isPlainHere(generation))) return plain;
    return readInWindows(plain, positionReader(documents));
  };
};
