import { createHash } from 'node:crypto';
import * as E from 'fp-ts/lib/Either.js';
import { projectVersionId } from '../../domain/catalogue/entities.ts';
import { canonicalJson } from '../../domain/composition/canonical-json.ts';
import { decodeProjectDocument, type ProjectDocument } from '../../domain/composition/project-document.ts';
import type { CliFault } from '../fault.ts';
import { type ProjectAnswer, projectAnswer } from './answers.ts';
import type { CatalogueView } from './catalogue-view.ts';
import { type Catalogue, changeCatalogue } from './change.ts';
import { metaOf, newId } from './identity.ts';

const projectUnknown = (id: string): CliFault => ({
  tag: 'not_found',
  what: 'project',
  id,
  list: 'renderctl project list',
});

const shown = async (view: CatalogueView, id: string): Promise<E.Either<CliFault, ProjectAnswer>> => {
  const project = await view.projects.findOne({ _id: id });
  return project === null ? E.left(projectUnknown(id)) : E.right(projectAnswer(project));
};

export type NewProject = {
  readonly team_id: string;
  readonly name: string;
  readonly created_by: string | null;
  readonly id?: string;
};

export const createProject = async (
  catalogue: Catalogue,
  wanted: NewProject,
): Promise<E.Either<CliFault, ProjectAnswer>> => {
  const { id = newId('proj'), ...rest } = wanted;
  const meta = metaOf(catalogue.actor);
  const created = await changeCatalogue(catalogue, { type: 'ProjectCreated', meta, project_id: id, ...rest });
  return E.isLeft(created) ? created : shown(created.right.view, id);
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
  return E.isLeft(added) ? added : shown(added.right.view, project_id);
};

export const listProjects = async (view: CatalogueView, team_id: string | null): Promise<readonly ProjectAnswer[]> =>
  (await view.projects.find(team_id === null ? {} : { team_id }).toArray())
    .map(projectAnswer)
    .toSorted((a, b) => a.created_at - b.created_at);

/** A project and the document of its latest version; null while it has none. */
export type ProjectWithDocument = ProjectAnswer & { readonly document: ProjectDocument | null };

export const showProject = async (
  view: CatalogueView,
  id: string,
): Promise<E.Either<CliFault, ProjectWithDocument>> => {
  const project = await shown(view, id);
  if (E.isLeft(project)) return project;
  const version = await view.project_versions.findOne({ _id: projectVersionId(id, project.right.version) });
  if (version === null) return E.right({ ...project.right, document: null });
  const document = decodeProjectDocument(JSON.parse(version.document));
  return E.isLeft(document)
    ? E.left({ tag: 'invalid_project', path: `${id}, version ${version.version}`, faults: document.left })
    : E.right({ ...project.right, document: document.right });
};
