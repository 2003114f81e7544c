import { isErased } from '../../domain/render/render.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { RenderDocument } from './documents.ts';
import type { RenderCollections } from './model.ts';

/** The name is pending, or its payload is deleted. */
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
