import { isErased } from '../../domain/render/render.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { RenderDocument } from './documents.ts';
import type { RenderCollections } from './model.ts';

/** The name is pending, or its payload or key is deleted. */
export const lacksName = ({ render, name }: Pick<RenderDocument, 'render' | 'name'>): boolean =>
  render !== null && name === null && !isErased(render);

export const pendingIdsAmong = async (
  pending: RenderCollections['pending'],
  ids: readonly string[],
): Promise<ReadonlySet<string>> => {
  if (ids.length === 0) return new Set();
  const rows = await pending.find({ _id: { $in: [...ids] } }, { projection: { _id: 1 }, ...queryTimeout() }).toArray();
  return new Set(rows.map(({ _id }) => _id));
};

export const isNamePending = async (pending: RenderCollections['pending'], _id: string): Promise<boolean> =>
  (await pendingIdsAmong(pending, [_id])).has(_id);

/** `pending`: the ids of the documents whose name is pending. */
export type NamedDocuments<A> = { readonly found: readonly A[]; readonly pending: ReadonlySet<string> };

/**
 * A transaction that fills a name in sets it and deletes the pending row. If it commits between the two reads, the
 * document lacks the name and the row is gone, as after an erasure. The document is then read again.
 */
export const readNamed = async <A extends Pick<RenderDocument, '_id' | 'render' | 'name'>>(
  ids: readonly string[],
  read: (ids: readonly string[]) => Promise<readonly A[]>,
  readPending: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<NamedDocuments<A>> => {
  const found = await read(ids);
  const lacking = found.filter(lacksName).map(({ _id }) => _id);
  if (lacking.length === 0) return { found, pending: new Set() };
  const pending = await readPending(lacking);
  const unclear = lacking.filter((id) => !pending.has(id));
  const again = new Map(unclear.length === 0 ? [] : (await read(unclear)).map((one) => [one._id, one]));
  return { found: found.map((one) => again.get(one._id) ?? one), pending };
};
