import * as E from 'fp-ts/lib/Either.js';
import { projectError } from '../../catalogue/api-errors/project-error.ts';
import { pathOfSource } from '../../catalogue/documents/asset-source.ts';
import { type ProjectWriter, resolveFor } from '../../catalogue/documents/write-projects.ts';
import type { ProjectDocument } from '../../domain/composition/project-shape.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import type { ProjectDocuments } from '../../read-models/catalogue/project-documents.ts';
import { assetPath } from '../../schemas/blobs/paths.ts';

export type DocumentDependencies = {
  readonly documents: ProjectDocuments;
};

/** The caller, and the projects and files in reach. */
export type DocumentReader = {
  readonly account_id: string;
  readonly writer: ProjectWriter;
  readonly find: (project_id: string) => Promise<E.Either<ApiError, { readonly id: string; readonly version: number }>>;
};

/** `paths` has the blob of each asset, by hash. */
export type FoundDocument = { readonly document: ProjectDocument; readonly paths: ReadonlyMap<string, string> };

const NO_VERSION = invalidInput({
  ...{ code: 'invalid_field', param: 'project_id' },
  message: 'project_id: this project has no version yet',
});

/** The document of the newest version of a project. */
export const storedDocument = async (
  { documents }: DocumentDependencies,
  { find }: DocumentReader,
  project_id: string,
): Promise<E.Either<ApiError, FoundDocument>> => {
  const found = await find(project_id);
  if (E.isLeft(found)) return found;
  const { id, version } = found.right;
  if (version === 0) return E.left(NO_VERSION);
  const document = await documents(id, version);
  return E.right({ document, paths: new Map(document.assets.map(({ sha256 }) => [sha256, assetPath(id, sha256)])) });
};

/**
 * Files of URLs are uploads of the first team in reach.
 *
 * @param member the member of the request that has the document
 */
export const sentDocument = async (
  { writer }: DocumentReader,
  sent: unknown,
  member: string,
): Promise<E.Either<ApiError, FoundDocument>> => {
  const [team_id = ''] = writer.team_ids;
  const resolved = await resolveFor(writer, null, team_id, sent);
  if (E.isLeft(resolved)) return E.left(projectError(resolved.left, member));
  const { document, sources } = resolved.right;
  return E.right({ document, paths: new Map(sources.map((source) => [source.asset.sha256, pathOfSource(source)])) });
};
