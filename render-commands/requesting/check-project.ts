import * as E from 'fp-ts/lib/Either.js';
import type { AssetSource } from '../../catalogue/documents/asset-source.ts';
import { type FetchUrls, urlKey } from '../../catalogue/uploads/document-urls.ts';
import type { UrlSource } from '../../catalogue/uploads/fetch-upload.ts';
import type { Fault } from '../../domain/composition/fault.ts';
import type { ProjectDocument } from '../../domain/composition/project-shape.ts';
import { accountRateFault } from '../../platform/access/account-rate.ts';
import type { RateLimits } from '../../platform/access/rate-limits.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import { type CheckRequest, checkResource, decodeCheckRequest } from '../../schemas/http/public/project-check.ts';
import { type CheckedDocument, checkDocument } from './check-document.ts';
import { type DocumentDependencies, type DocumentReader, sentDocument, storedDocument } from './find-document.ts';
import { findUploadValues, lengthsOf } from './upload-values.ts';

export type ProjectCheckDependencies = DocumentDependencies & {
  /** Checks, counted for each account over all its keys and sessions. */
  readonly checks: RateLimits;
};

const assumedFile = ({ kind }: UrlSource): AssetSource => ({
  ...{ project_id: null, blob: '' },
  asset: {
    ...{ id: 'file', kind, sha256: '0'.repeat(64), size_bytes: 1, content_type: 'application/octet-stream' },
    ...{ file_name: kind, font_family: null, font_covers: null },
  },
});

type Found = { readonly document: ProjectDocument } | { readonly faults: readonly Fault[] };

/** A check fetches nothing, so it takes each URL for a file of its kind. */
const assumeUrls: FetchUrls = async (_team_id, sources) =>
  E.right({
    files: new Map(sources.map((source) => [urlKey(source), [assumedFile(source)]])),
    ...{ faults: new Map(), pending: 0 },
  });

const documentOf = async (
  parts: ProjectCheckDependencies,
  reader: DocumentReader,
  { project_id, document }: CheckRequest,
): Promise<E.Either<ApiError, Found>> => {
  const found =
    project_id === null
      ? await sentDocument({ ...reader, writer: { ...reader.writer, fetchUrls: assumeUrls } }, document, 'document')
      : await storedDocument(parts, reader, project_id);
  const is_document_fault = E.isLeft(found) && found.left.tag === 'invalid' && found.left.faults !== undefined;
  return is_document_fault ? E.right({ faults: found.left.faults }) : found;
};

export const withFaults = (checked: CheckedDocument, faults: readonly Fault[]): CheckedDocument =>
  faults.length === 0 ? checked : { ...checked, faults: [...checked.faults, ...faults], film: null };

/** The body of the answer to a check of a document or of a project. Changes nothing. */
export const checkProject = async (
  parts: ProjectCheckDependencies,
  checker: DocumentReader,
  body: unknown,
): Promise<E.Either<ApiError, object>> => {
  const too_many = await accountRateFault(parts.checks, checker.account_id, 'checks of projects');
  if (too_many !== null) return E.left(too_many);
  const wanted = decodeCheckRequest(body);
  if (E.isLeft(wanted)) return E.left(invalidInput(wanted.left));
  const found = await documentOf(parts, checker, wanted.right);
  if (E.isLeft(found)) return found;
  if ('faults' in found.right) return E.right(checkResource({ faults: found.right.faults, warnings: [], film: null }));
  const { document } = found.right;
  const { findUploads, team_ids } = checker.writer;
  const uploads = await findUploadValues(findUploads, team_ids, document, wanted.right);
  const checked = checkDocument(document, wanted.right, lengthsOf(uploads));
  return E.right(checkResource(withFaults(checked, uploads.faults)));
};
