import * as E from 'fp-ts/lib/Either.js';
import { catalogueError, commandReply } from '../../catalogue/api-errors/catalogue-error.ts';
import { viewAtLogEnd } from '../../catalogue/change.ts';
import { eraseProject, type ProjectErasureResult } from '../../catalogue/erasures.ts';
import { isErased } from '../../domain/catalogue/entities.ts';
import { EraseProjectRequest } from '../../schemas/http/management/teams.ts';
import { catalogueWriterFor, type RouteDependencies } from '../access/commands.ts';
import { confirmationFault } from '../access/confirmation.ts';
import { decodeBody } from '../access/json-object.ts';
import { isPossibleId } from '../access/reach.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { NO_PROJECT } from './project-in-team.ts';

/**
 * Erases a project. Only admins may do this, because it is irreversible. An erased project has no name to confirm, so a
 * repeat succeeds without one.
 */
export const eraseTeamProject =
  (parts: RouteDependencies): TeamHandler =>
  async (request, { person, team }) => {
    const body = await decodeBody(request, EraseProjectRequest);
    if (E.isLeft(body)) return body;
    const { project_id: id = '' } = request.params;
    if (!isPossibleId(id)) return E.left(NO_PROJECT);
    const catalogue = catalogueWriterFor(parts, person);
    // Folds the log up to its end, because the read model may lack a new project or have an old name.
    const view = await viewAtLogEnd(catalogue, [{ kind: 'project', id }]);
    if (E.isLeft(view)) return E.left(catalogueError(view.left));
    const project = view.right('project', id);
    if (project === null || project.team_id !== team.id) return E.left(NO_PROJECT);
    const { name } = project;
    const given = { name: body.right.name, id: body.right.project_id };
    const fault = isErased(project) ? null : confirmationFault({ kind: 'project', id, name }, given);
    if (fault !== null) return E.left(fault);
    return commandReply(({ texts_in_log }: ProjectErasureResult) => ({ id, texts_in_log }))(
      await eraseProject(catalogue, id, team.id),
    );
  };
