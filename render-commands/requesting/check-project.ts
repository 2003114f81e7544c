import * as E from 'fp-ts/lib/Either.js';
import { projectError } from '../../catalogue/api-errors/project-error.ts';
import { type ProjectWriter, resolveFor } from '../../catalogue/documents/write-projects.ts';
import type { Fault } from '../../domain/composition/fault.ts';
import type { ProjectDocument } from '../../domain/composition/project-shape.ts';
import { accountRateFault } from '../../platform/access/account-rate.ts';
import type { RateLimits } from '../../platform/access/rate-limits.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import type { ProjectDocuments } from '../../read-models/catalogue/project-documents.ts';
import { type CheckRequest, checkResource, decodeCheckRequest } from '../../schemas/http/public/project-check.ts';
import { checkDocument } from './check-document.ts';

export type ProjectCheckDependencies = {
  readonly documents: ProjectDocuments;
  /** Checks, counted for each account over all its keys and sessions. */
  readonly checks: RateLimits;
};

/** Who checks, and what this caller reaches. */
export type ProjectChecker = {
  readonly account_id: string;
  readonly writer: ProjectWriter;
  readonly find: (project_id: string) => Promise<E.Either<ApiError, { readonly id: string; readonly version: number }>>;
};

type Found = { readonly document: ProjectDocument } | { readonly faults: readonly Fault[] };

const documentOf = async (
  { documents }: ProjectCheckDependencies,
  { writer, find }: ProjectChecker,
  { project_id, document }: CheckRequest,
): Promise<E.Either<ApiError, Found>> => {
  if (project_id === null) {
    const resolved = await resolveFor(writer, null, document);
    if (E.isRight(resolved)) return E.right({ document: resolved.right.document });
    const fault = resolved.left;
    return fault.tag === 'document_refused' ? E.right({ faults: fault.faults }) : E.left(projectError(fault));
  }
  const found = await find(project_id);
  if (E.isLeft(found)) return found;
  const { id, version } = found.right;
  if (version === 0) return E.left({ tag: 'invalid', message: 'project_id: this project has no version yet' });
  return E.right({ document: await documents(id, version) });
};

/** The body of the answer to a check of a document or of a project. Changes nothing. */
export const checkProject = async (
  parts: ProjectCheckDependencies,
  checker: ProjectChecker,
  body: unknown,
): Promise<E.Either<ApiError, object>> => {
  const too_many = await accountRateFault(parts.checks, checker.account_id, 'checks of projects');
  if (too_many !== null) return E.left(too_many);
  const wanted = decodeCheckRequest(body);
  if (E.isLeft(wanted)) return E.left(invalidInput(wanted.left));
  const found = await documentOf(parts, checker, wanted.right);
  if (E.isLeft(found)) return found;
  const checked =
    'faults' in found.right
      ? { faults: found.right.faults, warnings: [], film: null }
      : checkDocument(found.right.document, wanted.right);
  return E.right(checkResource(checked));
};
