import * as E from 'fp-ts/lib/Either.js';
import type { RequestedProject } from '../../domain/render/decide.ts';
import type { Access } from '../../platform/access/access.ts';
import type { Projects } from '../../platform/access/projects.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { ProjectDocuments } from '../../read-models/catalogue/project-documents.ts';
import { NO_SUCH_PROJECT } from './answers.ts';

/** The version of the project that a render requested now is pinned to. Rejects when the store does not answer. */
export const requestedProject =
  (projects: Projects, documents: ProjectDocuments) =>
  async (project_id: string, access: Access): Promise<E.Either<ApiError, RequestedProject>> => {
    const found = await projects(project_id, access);
    if (found === null) return E.left(NO_SUCH_PROJECT);
    const { id, team_id, version } = found.project;
    if (version === 0)
      return E.left({ tag: 'invalid', message: 'project_id: this project has no version yet, so nothing to render' });
    const document = await documents(id, version);
    return E.right({ id, team_id, account_id: found.team.account_id, version, document });
  };
