import * as E from 'fp-ts/lib/Either.js';
import { checkProject, type ProjectCheckDependencies } from '../../render-commands/requesting/check-project.ts';
import { readJsonObject } from '../access/json-object.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { NO_PROJECT, projectInTeam } from '../renders/project-in-team.ts';
import type { ProjectReadDependencies } from './read-versions.ts';
import { type ProjectWriteDependencies, writerAt } from './write-projects.ts';

export type CheckDependencies = ProjectReadDependencies & ProjectWriteDependencies & ProjectCheckDependencies;

/** Checks a document or a project of the team. It changes nothing. */
export const checkTeamProject =
  (parts: CheckDependencies): TeamHandler =>
  async (request, at) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const checker = {
      account_id: at.team.account_id,
      writer: writerAt(parts, at),
      find: async (project_id: string) =>
        E.fromNullable(NO_PROJECT)(await projectInTeam(parts, at.team.id, project_id)),
    };
    const checked = await checkProject(parts, checker, body.right);
    return E.isLeft(checked) ? checked : E.right({ status: 200, body: checked.right });
  };
