import type { ShownProject } from '../../domain/catalogue/entities.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { Commands } from '../access/commands.ts';
import { isLookedUp } from '../access/reach.ts';

export const NO_PROJECT: ApiError = { tag: 'not_found', message: 'there is no such project' };

/** A project of this team: others are not there. */
export const projectInTeam = async (
  { read_model }: Pick<Commands, 'read_model'>,
  team_id: string,
  project_id: string,
): Promise<ShownProject | null> => {
  const project = isLookedUp(project_id) ? await read_model.project(project_id) : null;
  return project?.team_id === team_id ? project : null;
};
