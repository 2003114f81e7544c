import type { Collection, Db } from 'mongodb';
import { generationPointer } from '../../platform/read-store/generation-pointer.ts';
import type {
  AccountDocument,
  ApiKeyDocument,
  CatalogueIgnoredDocument,
  MembershipDocument,
  ProjectDocumentRow,
  ProjectVersionDocument,
  TeamDocument,
  UserDocument,
} from '../../schemas/read-models/catalogue-document.ts';
import { catalogueCollections } from '../../schemas/read-models/collections.ts';
import type { CheckpointDocument } from '../../schemas/read-models/render-document.ts';

/** The collections of the catalogue's current generation. */
export type CatalogueView = {
  readonly accounts: Collection<AccountDocument>;
  readonly teams: Collection<TeamDocument>;
  readonly users: Collection<UserDocument>;
  readonly memberships: Collection<MembershipDocument>;
  readonly api_keys: Collection<ApiKeyDocument>;
  readonly projects: Collection<ProjectDocumentRow>;
  readonly project_versions: Collection<ProjectVersionDocument>;
  readonly checkpoints: Collection<CheckpointDocument>;
  readonly ignored: Collection<CatalogueIgnoredDocument>;
};

export const catalogueView = async (db: Db): Promise<CatalogueView> => {
  const { entities, checkpoints, ignored } = catalogueCollections(await generationPointer(db, 'catalogue')());
  return {
    accounts: db.collection(entities.account),
    teams: db.collection(entities.team),
    users: db.collection(entities.user),
    memberships: db.collection(entities.membership),
    api_keys: db.collection(entities.api_key),
    projects: db.collection(entities.project),
    project_versions: db.collection(entities.project_version),
    checkpoints: db.collection(checkpoints),
    ignored: db.collection(ignored),
  };
};
