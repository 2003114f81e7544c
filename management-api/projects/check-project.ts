import * as E from 'fp-ts/lib/Either.js';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { checkProject, type ProjectCheckDependencies } from '../../render-commands/requesting/check-project.ts';
import { checkRows, type RowCheckDependencies } from '../../render-commands/requesting/check-rows.ts';
import type { DocumentReader } from '../../render-commands/requesting/find-document.ts';
import { readJsonObject } from '../access/json-object.ts';
import type { TeamAccess } from '../access/reach.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { NO_PROJECT, projectInTeam } from '../renders/project-in-team.ts';
import type { ProjectReadDependencies } from './read-versions.ts';
import { type ProjectWriteDependencies, writerAt } from './write-projects.ts';

export type CheckDependencies = ProjectReadDependencies &
  ProjectWriteDependencies &
  ProjectCheckDependencies &
  RowCheckDependencies;

/** Reaches only the projects and files of the team. */
export const documentReaderAt = (
  parts: ProjectReadDependencies & ProjectWriteDependencies,
  at: TeamAccess,
): DocumentReader => ({
  account_id: at.team.account_id,
  writer: writerAt(parts, at),
  find: async (project_id: string) => E.fromNullable(NO_PROJECT)(await projectInTeam(parts, at.team.id, project_id)),
});

type Check = (parts: CheckDependencies, checker: DocumentReader, body: unknown) => Promise<E.Either<ApiError, object>>;

const answerCheck =
  (check: Check) =>
  (parts: CheckDependencies): TeamHandler =>
  async (request, at) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const checked = await check(parts, documentReaderAt(parts, at), body.right);
    return E.isLeft(checked) ? checked : E.right({ status: 200, body: checked.right });
  };

/** Checks a document or a project of the team. It changes nothing. */
export const checkTeamProject = answerCheck(checkProject);

/** Checks rows of values for a project of the team. It changes nothing. */
export const checkTeamProjectRows = answerCheck(checkRows);
