import type { Collection, Db } from 'mongodb';
import type {
  AccountDocument,
  ApiKeyDocument,
  CatalogueIgnoredDocument,
  CreditGrantDocument,
  KeyLastUsedDocument,
  MembershipDocument,
  ProjectDocumentRow,
  ProjectVersionDocument,
  TeamDocument,
  UserDocument,
  WebhookEndpointDocument,
} from '../../read-models/catalogue/documents.ts';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';
import { COLLECTIONS, catalogueCollections } from '../../read-models/collections.ts';
import type { WebhookHealthDocument } from '../../read-models/deliveries/documents.ts';
import { generationPointer } from '../../read-models/generations.ts';

/** The collections of the catalogue's current generation. */
export type CatalogueView = {
  readonly accounts: Collection<AccountDocument>;
  readonly credit_grants: Collection<CreditGrantDocument>;
  readonly teams: Collection<TeamDocument>;
  readonly users: Collection<UserDocument>;
  readonly memberships: Collection<MembershipDocument>;
  readonly api_keys: Collection<ApiKeyDocument>;
  readonly projects: Collection<ProjectDocumentRow>;
  readonly project_versions: Collection<ProjectVersionDocument>;
  readonly webhook_endpoints: Collection<WebhookEndpointDocument>;
  readonly checkpoints: Collection<CheckpointDocument>;
  readonly ignored: Collection<CatalogueIgnoredDocument>;
  /** Of no generation: no event says when a key was used. */
  readonly key_last_used: Collection<KeyLastUsedDocument>;
  /** Of no generation, too: what the relay found out about endpoints that fail. */
  readonly webhook_health: Collection<WebhookHealthDocument>;
};

export const catalogueView = async (db: Db): Promise<CatalogueView> => {
  const { entities, checkpoints, ignored } = catalogueCollections(await generationPointer(db, 'catalogue')());
  return {
    accounts: db.collection(entities.account),
    credit_grants: db.collection(entities.credit_grant),
    teams: db.collection(entities.team),
    users: db.collection(entities.user),
    memberships: db.collection(entities.membership),
    api_keys: db.collection(entities.api_key),
    projects: db.collection(entities.project),
    project_versions: db.collection(entities.project_version),
    webhook_endpoints: db.collection(entities.webhook_endpoint),
    checkpoints: db.collection(checkpoints),
    ignored: db.collection(ignored),
    key_last_used: db.collection(COLLECTIONS.key_last_used),
    webhook_health: db.collection(COLLECTIONS.webhook_endpoint_health),
  };
};
