import type { Entity, Project } from '../../domain/catalogue/entities.ts';
import { searchTokens } from '../../domain/search/words.ts';
import {
  type AccountDocument,
  type ApiKeyDocument,
  type CreditGrantDocument,
  type MembershipDocument,
  type ProjectDocumentRow,
  type ProjectThumbnailDocument,
  type ProjectVersionDocument,
  projectOf,
  type TeamDocument,
  type TeamWebhooksDocument,
  type UserDocument,
  type WebhookEndpointDocument,
} from '../../read-models/catalogue/documents.ts';
import { listPosition } from '../../read-models/position.ts';

/** A document of any of the catalogue's collections. */
export type EntityDocument =
  | AccountDocument
  | CreditGrantDocument
  | TeamDocument
  | UserDocument
  | MembershipDocument
  | ApiKeyDocument
  | ProjectDocumentRow
  | ProjectVersionDocument
  | ProjectThumbnailDocument
  | WebhookEndpointDocument
  | TeamWebhooksDocument;

const projectDocument = ({ id: _id, ...rest }: Project, offset: number): ProjectDocumentRow => {
  const { team_id, name, created_at } = rest;
  const position = listPosition(created_at, _id);
  return { _id, ...rest, offset, by_team: `${team_id}:${position}`, position, search: searchTokens(team_id, name) };
};

/** @param offset of the event that changed it */
export const documentOfEntity = (entity: Entity, offset: number): EntityDocument => {
  if (entity.kind === 'project') return projectDocument(entity, offset);
  const { id: _id, ...rest } = entity;
  return { _id, ...rest, offset };
};

export const entityOfDocument = (document: EntityDocument): Entity => {
  if (document.kind === 'project') return projectOf(document);
  const { _id: id, offset: _offset, ...rest } = document;
  return { id, ...rest };
};
