import type { NamedProject } from '../../domain/catalogue/entities.ts';
import { ProjectPending } from '../../platform/access/projects.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { RouteDependencies } from '../access/commands.ts';
import { isPossibleId } from '../access/reach.ts';

export const NO_PROJECT: ApiError = { tag: 'not_found', param: 'project_id', message: 'there is no such project' };

/**
 * Finds a project of the team; null for projects of other teams. Rejects with `ProjectPending` while the text of the
 * project is missing.
 */
export const projectInTeam = async (
  { read_model }: Pick<RouteDependencies, 'read_model'>,
  team_id: string,
  project_id: string,
): Promise<NamedProject | null> => {
  if (!isPossibleId(project_id)) return null;
  const project = await read_model.project(project_id);
  if (project !== null) return project.team_id === team_id ? project : null;
  if ((await read_model.pendingIn(project_id)) === team_id) throw new ProjectPending({ id: project_id, team_id });
  return null;
};
