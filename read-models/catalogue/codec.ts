import { type Entity, type ErasureOrigin, hasName, type Project } from '../../domain/catalogue/entities.ts';
import { searchTokens } from '../../domain/search/words.ts';
import type { List } from '../lists.ts';
import { listPosition } from '../position.ts';
import type { EntityDocument, ProjectDocumentRow } from './documents.ts';

const erasedAt = (id: string, erased: ErasureOrigin | undefined) =>
  erased === undefined ? {} : { by_erased: listPosition(erased.at, id) };

const projectDocument = (project: Project, offset: number): ProjectDocumentRow => {
  const { id: _id, ...rest } = project;
  // An inline project, or one without a name, gets no members for lists and searches, so no query finds it.
  if (!hasName(project) || project.inline === true)
    return { _id, ...rest, offset, ...erasedAt(_id, project.erased), search: [] };
  const { team_id, name, created_at } = project;
  const position = listPosition(created_at, _id);
  return {
    ...{ _id, ...rest, offset, position },
    by_team: `${team_id}:${position}`,
    search: searchTokens(team_id, name),
  };
};

/** @param offset of the event that changed the entity */
export const documentOfEntity = (entity: Entity, offset: number): EntityDocument => {
  if (entity.kind === 'project') return projectDocument(entity, offset);
  const { id: _id, ...rest } = entity;
  return 'erased' in rest ? { _id, ...rest, offset, ...erasedAt(_id, rest.erased) } : { _id, ...rest, offset };
};

export const entityOf = <D extends { readonly _id: string; readonly offset: number; readonly by_erased?: string }>({
  _id: id,
  offset: _offset,
  by_erased: _by_erased,
  ...rest
}: D) => ({ id, ...rest });

export const projectOf = ({
  _id: id,
  offset: _offset,
  by_team: _by_team,
  by_team_skip: _by_team_skip,
  by_erased: _by_erased,
  position: _position,
  search: _search,
  ...project
}: ProjectDocumentRow): Project => ({ id, ...project });

export const entityOfDocument = (document: EntityDocument): Entity => {
  if (document.kind === 'project') return projectOf(document);
  if (document.kind === 'account') return entityOf(document);
  if (document.kind === 'user') return entityOf(document);
  const { _id: id, offset: _offset, ...rest } = document;
  return { id, ...rest };
};

export const teamProjects = (team_id: string): List => ({
  scope: team_id,
  date: { field: 'by_team', prefix: team_id },
  own: { team_id },
  shown: { search: 0 },
});
