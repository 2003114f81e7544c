import * as E from 'fp-ts/lib/Either.js';
import { projectError } from '../../catalogue/api-errors/project-error.ts';
import { resolveFor } from '../../catalogue/documents/write-projects.ts';
import type { Fault } from '../../domain/composition/fault.ts';
import type { ProjectDocument } from '../../domain/composition/project-shape.ts';
import type { RateLimits } from '../../platform/access/rate-limits.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import { checkDocument } from '../../render-commands/requesting/check-document.ts';
import { type CheckRequest, checkResource, decodeCheckRequest } from '../../schemas/http/public/project-check.ts';
import { readJsonObject } from '../access/json-object.ts';
import type { TeamAccess } from '../access/reach.ts';
import type { TeamHandler } from '../access/route-guards.ts';
import { NO_PROJECT, projectInTeam } from '../renders/project-in-team.ts';
import type { ProjectReadDependencies } from './read-versions.ts';
import { type ProjectWriteDependencies, writerAt } from './write-projects.ts';

export type CheckDependencies = ProjectReadDependencies &
  ProjectWriteDependencies & {
    /** Checks, counted for each account over all its keys and sessions. */
    readonly checks: RateLimits;
  };

const tooManyChecks = (retry_after_s: number): ApiError => ({
  tag: 'rate_limited',
  message: `too many checks of projects in this account; try again in ${retry_after_s} s`,
  retry_after_s,
});

type Found = { readonly document: ProjectDocument } | { readonly faults: readonly Fault[] };

const documentOf = async (
  parts: CheckDependencies,
  at: TeamAccess,
  { project_id, document }: CheckRequest,
): Promise<E.Either<ApiError, Found>> => {
  if (project_id === null) {
    const resolved = await resolveFor(writerAt(parts, at), null, document);
    if (E.isRight(resolved)) return E.right({ document: resolved.right.document });
    const fault = resolved.left;
    return fault.tag === 'document_refused' ? E.right({ faults: fault.faults }) : E.left(projectError(fault));
  }
  const project = await projectInTeam(parts, at.team.id, project_id);
  if (project === null) return E.left(NO_PROJECT);
  if (project.version === 0) return E.left({ tag: 'invalid', message: 'project_id: this project has no version yet' });
  return E.right({ document: await parts.documents(project.id, project.version) });
};

/** Checks a document or a project of the team. It changes nothing. */
export const checkTeamProject =
  (parts: CheckDependencies): TeamHandler =>
  async (request, at) => {
    const body = await readJsonObject(request);
    if (E.isLeft(body)) return body;
    const { allowed, retry_after_s } = await parts.checks(at.team.account_id);
    if (!allowed) return E.left(tooManyChecks(retry_after_s));
    const wanted = decodeCheckRequest(body.right);
    if (E.isLeft(wanted)) return E.left(invalidInput(wanted.left));
    const found = await documentOf(parts, at, wanted.right);
    if (E.isLeft(found)) return found;
    const checked =
      'faults' in found.right
        ? { faults: found.right.faults, warnings: [], film: null }
        : checkDocument(found.right.document, wanted.right);
    return E.right({ status: 200, body: checkResource(checked) });
  };
