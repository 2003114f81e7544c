import type { Collection, Db } from 'mongodb';
import type { ReadModel, ServingGeneration } from '../generations.ts';
import type { ReadTier } from '../lists.ts';
import { hasPlainForm } from './generation-form.ts';
import { positionsIn, readInWindows } from './read-in-windows.ts';
import { embeddedServerCheck } from './server.ts';

const SKIP_LISTS_SINCE = 3;

export type ListReaderForServer = <A, D extends { readonly position?: string | null }>(
  serving: ServingGeneration,
  documents: Collection<D>,
  plain: ReadTier<A>,
) => Promise<ReadTier<A>>;

export const listReaderForServer = (db: Db, read_model: ReadModel): ListReaderForServer => {
  const isEmbedded = embeddedServerCheck(db);
  let known: { readonly generation: number; readonly is_plain: boolean } | null = null;
  const isPlainHere = async (generation: number): Promise<boolean> => {
    if (known?.generation === generation) return known.is_plain;
    const is_plain = await hasPlainForm(db, read_model, generation);
    known = { generation, is_plain };
    return is_plain;
  };
  return async ({ generation, model_version }, documents, plain) => {
    if (model_version < SKIP_LISTS_SINCE || !(await isEmbedded()) || (await isPlainHere(generation))) return plain;
    return readInWindows(plain, positionsIn(documents));
  };
};
