import * as E from 'fp-ts/lib/Either.js';
import { projectError } from '../../catalogue/api-errors/project-error.ts';
import { resolveFor } from '../../catalogue/documents/write-projects.ts';
import type { Fault } from '../../domain/composition/fault.ts';
import type { ProjectDocument } from '../../domain/composition/project-shape.ts';
import type { Access } from '../../platform/access/access.ts';
import type { AuthenticatedHandler } from '../../platform/access/authenticated.ts';
import type { Projects } from '../../platform/access/projects.ts';
import type { RateLimits } from '../../platform/access/rate-limits.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import type { ProjectDocuments } from '../../read-models/catalogue/project-documents.ts';
import { checkDocument } from '../../render-commands/requesting/check-document.ts';
import { type CheckRequest, checkResource, decodeCheckRequest } from '../../schemas/http/public/project-check.ts';
import { type ProjectRouteDependencies, writerFor } from './project-writer.ts';

export type CheckDependencies = ProjectRouteDependencies & {
  readonly projects: Projects;
  readonly documents: ProjectDocuments;
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
  access: Access,
  { project_id, document }: CheckRequest,
): Promise<E.Either<ApiError, Found>> => {
  if (project_id === null) {
    const resolved = await resolveFor(writerFor(parts, access), null, document);
    if (E.isRight(resolved)) return E.right({ document: resolved.right.document });
    const fault = resolved.left;
    return fault.tag === 'document_refused' ? E.right({ faults: fault.faults }) : E.left(projectError(fault));
  }
  const found = await parts.projects(project_id, access);
  if (found === null) return E.left({ tag: 'not_found', message: 'project_id: there is no such project' });
  const { id, version } = found.project;
  if (version === 0) return E.left({ tag: 'invalid', message: 'project_id: this project has no version yet' });
  return E.right({ document: await parts.documents(id, version) });
};

/** Changes nothing, so it needs no scope. */
export const checkProject =
  (parts: CheckDependencies): AuthenticatedHandler =>
  async (request, access) => {
    const body = await request.json();
    if (E.isLeft(body)) return body;
    const { allowed, retry_after_s } = await parts.checks(access.account_id);
    if (!allowed) return E.left(tooManyChecks(retry_after_s));
    const wanted = decodeCheckRequest(body.right);
    if (E.isLeft(wanted)) return E.left(invalidInput(wanted.left));
    const found = await documentOf(parts, access, wanted.right);
    if (E.isLeft(found)) return found;
    const checked =
      'faults' in found.right
        ? { faults: found.right.faults, warnings: [], film: null }
        : checkDocument(found.right.document, wanted.right);
    return E.right({ status: 200, body: checkResource(checked), headers: { 'Cache-Control': 'private, no-store' } });
  };
