import * as E from 'fp-ts/lib/Either.js';
import { type ErasedProject, eraseProject } from '../../catalogue/erasures.ts';
import { type Commands, catalogueOf } from '../access/commands.ts';
import type { TeamHandler } from '../access/doors.ts';
import { bodyOf } from '../access/json-object.ts';
import { isLookedUp } from '../access/reach.ts';
import { answered } from '../answers/catalogue-fault.ts';
import { NO_PROJECT } from './project-in-team.ts';

/** POST …/projects/{project_id}/erase: for admins, as nothing brings it back. Its renders and files are erased behind the answer. */
export const eraseTeamProject =
  (parts: Commands): TeamHandler =>
  async (request, { person, team }) => {
    const body = await bodyOf(request);
    if (E.isLeft(body)) return body;
    const { project_id = '' } = request.params;
    if (!isLookedUp(project_id)) return E.left(NO_PROJECT);
    return answered(({ texts_in_log }: ErasedProject) => ({ id: project_id, texts_in_log }))(
      await eraseProject(catalogueOf(parts, person), project_id, team.id),
    );
  };
