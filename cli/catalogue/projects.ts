import { createHash } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { projectVersionId } from '../../domain/catalogue/entities.ts';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import type { Fault } from '../../domain/composition/fault.ts';
import { decodeProjectDocument, type ProjectDocument } from '../../domain/composition/project-document.ts';
import type { ProjectVersionDocument } from '../../read-models/catalogue/documents.ts';
import type { CliFault } from '../fault.ts';
import { type ProjectAnswer, projectAnswer, type VersionAnswer, versionAnswer } from './answers.ts';
import { type CatalogueView, catalogueView } from './catalogue-view.ts';
import { type After, type Catalogue, changeCatalogue, changed, nameRefused } from './change.ts';
import { metaOf, newId } from './identity.ts';

export const projectById = async (view: CatalogueView, id: string): Promise<E.Either<CliFault, ProjectAnswer>> => {
  const project = await view.projects.findOne({ _id: id });
  return project === null
    ? E.left({ tag: 'not_found', what: 'project', id, list: 'renderctl project list' })
    : E.right(projectAnswer(project));
};

export type NewProject = {
  readonly team_id: string;
  readonly name: string;
  readonly created_by: string | null;
  readonly id?: string;
};

/** @param is_wanted whether a project of that id that is there already is the one that is wanted */
export const createProject = async (
  catalogue: Catalogue,
  wanted: NewProject,
  is_wanted: (project: ProjectAnswer) => boolean = ({ team_id, name }) =>
    team_id === wanted.team_id && name === wanted.name,
) => {
  const { id = newId('proj'), ...rest } = wanted;
  return changed(
    catalogue,
    { type: 'ProjectCreated', meta: metaOf(catalogue.actor), project_id: id, ...rest },
    (view) => projectById(view, id),
    is_wanted,
  );
};

export type NewVersion = {
  readonly project_id: string;
  /** The version that the new one was made from: 0 for the first. Refused when it is no longer the latest. */
  readonly base_version: number;
  readonly document: ProjectDocument;
};

export const addVersion = async (
  catalogue: Catalogue,
  { project_id, base_version, document: content }: NewVersion,
): Promise<E.Either<CliFault, ProjectAnswer>> => {
  const document = canonicalJson(content);
  const document_sha256 = createHash('sha256').update(document, 'utf8').digest('hex');
  const added = await changeCatalogue(catalogue, {
    type: 'ProjectVersionAdded',
    meta: metaOf(catalogue.actor),
    project_id,
    version: base_version + 1,
    base_version,
    name: content.name,
    document,
    document_sha256,
  });
  return E.isLeft(added) ? added : projectById(added.right.view, project_id);
};

export const listProjects = async (view: CatalogueView, team_id: string | null): Promise<readonly ProjectAnswer[]> =>
  (await view.projects.find(team_id === null ? {} : { team_id }).toArray())
    .map(projectAnswer)
    .toSorted((a, b) => a.created_at - b.created_at);

/** A project and the document of one of its versions; null while it has none. */
export type ProjectWithDocument = ProjectAnswer & { readonly document: ProjectDocument | null };

const decoded = ({ project_id, version, document }: ProjectVersionDocument): E.Either<CliFault, ProjectDocument> =>
  E.mapLeft((faults: readonly Fault[]): CliFault => {
    return { tag: 'invalid_project', path: `${project_id}, version ${version}`, faults };
  })(decodeProjectDocument(JSON.parse(document)));

/**
 * A project as it stands, or as it stood in a version: its name is then that of the version.
 *
 * @param version null for the latest
 */
export const showProject = async (
  view: CatalogueView,
  id: string,
  version: number | null = null,
): Promise<E.Either<CliFault, ProjectWithDocument>> => {
  const project = await projectById(view, id);
  if (E.isLeft(project)) return project;
  const wanted = version ?? project.right.version;
  if (wanted === 0) return E.right({ ...project.right, document: null });
  const found = await view.project_versions.findOne({ _id: projectVersionId(id, wanted) });
  if (found === null)
    return E.left({
      tag: 'not_found',
      what: 'version',
      id: `${wanted} of ${id}`,
      list: `renderctl project versions ${id}`,
    });
  const document = decoded(found);
  if (E.isLeft(document)) return document;
  const { name } = document.right;
  return E.right({ ...project.right, name, version: wanted, document: document.right });
};

/** Every version of a project, oldest first. */
export const listVersions = async (
  view: CatalogueView,
  id: string,
): Promise<E.Either<CliFault, readonly VersionAnswer[]>> => {
  const project = await projectById(view, id);
  if (E.isLeft(project)) return project;
  const versions: VersionAnswer[] = [];
  const ids = Array.from({ length: project.right.version }, (_, i) => projectVersionId(id, i + 1));
  // One after the other: each may hold a document of 1 MiB.
  for await (const found of view.project_versions.find({ _id: { $in: ids } })) {
    const document = decoded(found);
    versions.push(versionAnswer(found, E.isRight(document) ? document.right.name : null));
  }
  return E.right(versions.toSorted((a, b) => a.version - b.version));
};

/** A new version on top of the latest that differs in its name only: names belong to versions, which never change. */
export const renameProject = async (
  catalogue: Catalogue,
  id: string,
  name: string,
): Promise<E.Either<CliFault, After<ProjectAnswer>>> => {
  const refused = nameRefused(name);
  if (refused !== null) return E.left(refused);
  const shown = await showProject(await catalogueView(catalogue.db), id);
  if (E.isLeft(shown)) return shown;
  const { document, ...project } = shown.right;
  if (document === null) {
    const message = `project ${id} has no version yet, and its name comes with the first; import one with "renderctl project import FOLDER --project ${id}"`;
    return E.left({ tag: 'refused', reason: 'no_version', message });
  }
  if (document.name === name) return E.right({ ...project, repeated: true });
  return addVersion(catalogue, { project_id: id, base_version: project.version, document: { ...document, name } });
};
