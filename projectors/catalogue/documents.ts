import type { Entity } from '../../domain/catalogue/entities.ts';
import type {
  AccountDocument,
  ApiKeyDocument,
  CreditGrantDocument,
  MembershipDocument,
  ProjectDocumentRow,
  ProjectVersionDocument,
  TeamDocument,
  UserDocument,
} from '../../schemas/read-models/catalogue-document.ts';
import { listPosition } from '../../schemas/read-models/position.ts';

/** A document of any of the catalogue's collections. */
export type EntityDocument =
  | AccountDocument
  | CreditGrantDocument
  | TeamDocument
  | UserDocument
  | MembershipDocument
  | ApiKeyDocument
  | ProjectDocumentRow
  | ProjectVersionDocument;

/** @param offset of the event that changed it */
export const documentOfEntity = (entity: Entity, offset: number): EntityDocument => {
  if (entity.kind === 'project') {
    const { id: _id, ...rest } = entity;
    return { _id, ...rest, offset, by_team: `${entity.team_id}:${listPosition(entity.created_at, _id)}` };
  }
  const { id: _id, ...rest } = entity;
  return { _id, ...rest, offset };
};

export const entityOfDocument = (document: EntityDocument): Entity => {
  if (document.kind === 'project') {
    const { _id: id, offset: _offset, by_team: _by_team, ...rest } = document;
    return { id, ...rest };
  }
  const { _id: id, offset: _offset, ...rest } = document;
  return { id, ...rest };
};
