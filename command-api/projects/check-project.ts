import * as E from 'fp-ts/lib/Either.js';
import type { Access } from '../../platform/access/access.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { Projects } from '../../platform/access/projects.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import { checkProject, type ProjectCheckDependencies } from '../../render-commands/requesting/check-project.ts';
import type { DocumentReader } from '../../render-commands/requesting/find-document.ts';
import { type ProjectRouteDependencies, writerFor } from './project-writer.ts';

export type CheckDependencies = ProjectRouteDependencies &
  ProjectCheckDependencies & {
    readonly projects: Projects;
  };

const NO_PROJECT: ApiError = { tag: 'not_found', param: 'project_id', message: 'project_id: there is no such project' };

/** Reaches the projects and files of the teams of the key. */
export const documentReaderFor = (parts: CheckDependencies, access: Access): DocumentReader => ({
  account_id: access.account_id,
  writer: writerFor(parts, access),
  find: async (project_id: string) => {
    const found = await parts.projects(project_id, access);
    return found === null ? E.left(NO_PROJECT) : E.right(found.project);
  },
});

/** Changes nothing, so it needs no scope. */
export const postCheck =
  (parts: CheckDependencies): AuthenticatedHandler =>
  async (request, access) => {
    const body = await request.json();
    if (E.isLeft(body)) return body;
    const checked = await checkProject(parts, documentReaderFor(parts, access), body.right);
    if (E.isLeft(checked)) return checked;
    return E.right({ status: 200, body: checked.right, headers: { 'Cache-Control': 'private, no-store' } });
  };
