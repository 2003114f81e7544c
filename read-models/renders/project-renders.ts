import type { Db } from 'mongodb';
import { isFinal } from '../../domain/render/render.ts';
import { queryTimeout } from '../../platform/read-store/query-timeout.ts';
import type { RenderDocument } from './documents.ts';
import { servingRenders } from './model.ts';

export type ProjectRender = { readonly id: string; readonly has_ended: boolean; readonly position: string };

/**
 * Up to `count` of the renders that a project lists, the oldest first: none of them is erased.
 *
 * @param from a position that they follow; null for the beginning. Rejects while the store does not answer.
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
    // What follows the colon begins with a digit of the time. The id of another project may begin with this one.
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
