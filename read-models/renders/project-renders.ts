import type { Db } from 'mongodb';
import { isFinal } from '../../domain/render/render.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { RenderDocument } from './documents.ts';
import { type RenderCollections, servingRenders } from './model.ts';

export type ProjectRender = { readonly id: string; readonly has_ended: boolean; readonly position: string };

/**
 * The renders that a project lists, oldest first, so without erased ones. Rejects on store outage.
 *
 * @param from the position before the first one; null for the beginning
 */
export type ProjectRenders = (
  project_id: string,
  from: string | null,
  count: number,
) => Promise<readonly ProjectRender[]>;

export const openProjectRenders = (db: Db): ProjectRenders => {
  const serving = servingRenders(db);
  return async (project_id, from, count) => {
    const { renders } = await serving();
    // The range begins with a digit of the time after the colon. The filter has `project_id` too, because the id of
    // another project may begin with this one.
    const found = await renders
      .find<Pick<RenderDocument, '_id' | 'status' | 'by_project'>>(
        { by_project: { $gt: from ?? `${project_id}:0`, $lt: `${project_id}:9` }, project_id },
        { projection: { status: 1, by_project: 1 }, ...queryTimeout() },
      )
      .sort({ by_project: 1 })
      .limit(count)
      .toArray();
    return found.flatMap(({ _id: id, status, by_project: position }) =>
      status === null || position === null ? [] : [{ id, has_ended: isFinal(status), position }],
    );
  };
};

/**
 * Finds some of the project's renders that no list shows yet, because their names are pending. Empty only if there are
 * none. Rejects on store outage.
 */
export type FindUnlistedRenders = (project_id: string) => Promise<readonly Omit<ProjectRender, 'position'>[]>;

/**
 * The number of pending names to read at once: while the blob store is unavailable, many thousands of names of all
 * projects may be pending.
 */
const PENDING_AT_ONCE = 500;

export const findUnlistedIn = async (
  { renders, pending }: Pick<RenderCollections, 'renders' | 'pending'>,
  project_id: string,
  at_once: number = PENDING_AT_ONCE,
): ReturnType<FindUnlistedRenders> => {
  for (let from = ''; ; ) {
    const rows = await pending
      .find({ _id: { $gt: from } }, { projection: { _id: 1 }, ...queryTimeout() })
      .sort({ _id: 1 })
      .limit(at_once)
      .toArray();
    if (rows.length === 0) return [];
    const ids = rows.map(({ _id }) => _id);
    const found = await renders
      .find<Pick<RenderDocument, '_id' | 'status'>>(
        { _id: { $in: ids }, project_id },
        { projection: { status: 1 }, ...queryTimeout() },
      )
      .toArray();
    if (found.length > 0 || rows.length < at_once)
      return found.map(({ _id: id, status }) => ({ id, has_ended: status !== null && isFinal(status) }));
    from = ids.at(-1) ?? '';
  }
};

export const openUnlistedRenders = (db: Db): FindUnlistedRenders => {
  const serving = servingRenders(db);
  return async (project_id) => await findUnlistedIn(await serving(), project_id);
};
