import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Renders } from '../../read-models/renders/renders.ts';
import { isPossibleId } from '../access/reach.ts';

export const NO_RENDER: ApiError = { tag: 'not_found', param: 'render_id', message: 'there is no such render' };

export const renderInTeam = async (renders: Pick<Renders, 'find'>, team_id: string, render_id: string) => {
  const found = isPossibleId(render_id) ? await renders.find(render_id) : null;
  if (found?.render == null || found.render.team_id !== team_id) return null;
  const { render, facts, partition, ignored_count } = found;
  return { render, facts, partition, ignored_count };
};
