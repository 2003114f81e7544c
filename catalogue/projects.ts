import * as E from 'fp-ts/lib/Either.js';
import { nameRefusal } from '../domain/catalogue/decide.ts';
import { type ProjectVersion, projectVersionId } from '../domain/catalogue/entities.ts';
import { canonicalJson } from '../domain/composition/canonical-json.ts';
import type { Fault } from '../domain/composition/fault.ts';
import { decodeProjectDocument, type ProjectDocument } from '../domain/composition/project-document.ts';
import type { BlobStore } from '../platform/blob-store/blob-store.ts';
import type { CatalogueReadModel } from '../read-models/catalogue/management.ts';
import { projectDocumentPath, projectNamePath } from '../schemas/blobs/paths.ts';
import { projectNameBytes } from '../schemas/blobs/payloads.ts';
import { type ProjectView, projectView, type VersionView, versionView } from './answers.ts';
import { type CatalogueWriter, type ChangeResult, changeAndRead } from './change.ts';
import type { CatalogueFault } from './fault.ts';
import { newId } from './identity.ts';
import { withPayload } from './payloads.ts';

export const projectById = async (
  read_model: CatalogueReadModel,
  id: string,
): Promise<E.Either<CatalogueFault, ProjectView>> => {
  const project = await read_model.project(id);
  if (project !== null) return E.right(projectView(project));
  const is_pending = (await read_model.pendingVersions(id)).length > 0;
  return E.left(is_pending ? { tag: 'text_pending', project_id: id } : { tag: 'missing', kind: 'project', id });
};

export type NewProject = {
  readonly team_id: string;
  readonly name: string;
  readonly created_by: string | null;
  readonly id?: string;
};

export const createProject = async (
  catalogue: CatalogueWriter,
  blobs: BlobStore,
  { id = newId('proj'), ...wanted }: NewProject,
): Promise<E.Either<CatalogueFault, ChangeResult<ProjectView>>> =>
  withPayload(blobs, projectNamePath(id), projectNameBytes(wanted.name), (payload) =>
    changeAndRead(catalogue, { type: 'CreateProject', project_id: id, ...wanted, payload }, (read_model) =>
      projectById(read_model, id),
    ),
  );

export type NewVersion = {
  readonly project_id: string;
  /** The latest version that the caller knows; 0 if the project has none. Refused if there is a later one. */
  readonly base_version: number;
  readonly document: ProjectDocument;
};

export const addVersion = async (
  catalogue: CatalogueWriter,
  blobs: BlobStore,
  { project_id, base_version, document }: NewVersion,
): Promise<E.Either<CatalogueFault, ChangeResult<ProjectView>>> => {
  const bytes = Buffer.from(canonicalJson(document), 'utf8');
  return await withPayload(blobs, projectDocumentPath(project_id, base_version + 1), bytes, (payload) =>
    changeAndRead(catalogue, { type: 'AddVersion', project_id, base_version, payload }, (read_model) =>
      projectById(read_model, project_id),
    ),
  );
};

export const listProjects = async (
  read_model: CatalogueReadModel,
  team_id: string | null,
): Promise<readonly ProjectView[]> =>
  (await read_model.projects(team_id))
    .filter(({ inline }) => inline !== true)
    .map(projectView)
    .toSorted((a, b) => a.created_at - b.created_at);

/** `document` is null while the project has no version. */
export type ProjectWithDocument = ProjectView & { readonly document: ProjectDocument | null };

const decoded = ({ project_id, version, document }: ProjectVersion): E.Either<CatalogueFault, ProjectDocument> => {
  if (document === null) return E.left({ tag: 'version_missing', project_id, version });
  return E.mapLeft((faults: readonly Fault[]): CatalogueFault => {
    return { tag: 'invalid_project', path: `${project_id}, version ${version}`, faults };
  })(decodeProjectDocument(JSON.parse(document)));
};

/**
 * A project with the document and the name of one version.
 *
 * @param version null for the latest
 */
export const showProject = async (
  read_model: CatalogueReadModel,
  id: string,
  version: number | null = null,
): Promise<E.Either<CatalogueFault, ProjectWithDocument>> => {
  const project = await projectById(read_model, id);
  if (E.isLeft(project)) return project;
  const wanted = version ?? project.right.version;
  if (wanted === 0) return E.right({ ...project.right, document: null });
  const found = await read_model.find('project_version', projectVersionId(id, wanted));
  if (found === null) return E.left({ tag: 'version_missing', project_id: id, version: wanted });
  if (found.document === null && (await read_model.pendingVersions(id)).includes(wanted))
    return E.left({ tag: 'text_pending', project_id: id });
  const document = decoded(found);
  if (E.isLeft(document)) return document;
  const { name } = document.right;
  return E.right({ ...project.right, name, version: wanted, document: document.right });
};

export const listVersions = async (
  read_model: CatalogueReadModel,
  id: string,
): Promise<E.Either<CatalogueFault, readonly VersionView[]>> => {
  const project = await projectById(read_model, id);
  if (E.isLeft(project)) return project;
  const versions: VersionView[] = [];
  const ids = Array.from({ length: project.right.version }, (_, i) => projectVersionId(id, i + 1));
  for await (const found of read_model.versions(ids)) {
    const document = decoded(found);
    versions.push(versionView(found, E.isRight(document) ? document.right.name : null));
  }
  return E.right(versions.toSorted((a, b) => a.version - b.version));
};

/** Names belong to versions, which never change, so this adds a version with another name. */
export const renameProject = async (
  catalogue: CatalogueWriter,
  blobs: BlobStore,
  id: string,
  name: string,
): Promise<E.Either<CatalogueFault, ChangeResult<ProjectView>>> => {
  const refused = nameRefusal(name);
  if (refused !== null) return E.left(refused);
  const shown = await showProject(catalogue.read_model, id);
  if (E.isLeft(shown)) return shown;
  const { document, ...project } = shown.right;
  if (document === null) return E.left({ tag: 'no_version', project_id: id, needed_for: 'name' });
  if (document.name === name) return E.right({ ...project, repeated: true });
  return addVersion(catalogue, blobs, {
    project_id: id,
    base_version: project.version,
    document: { ...document, name },
  });
};
