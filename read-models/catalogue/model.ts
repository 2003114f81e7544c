import type { Collection, Db } from 'mongodb';
import type { EntityKind } from '../../domain/catalogue/entities.ts';
import type { Indexes } from '../../platform/read-store/create-indexes.ts';
import { AUDIT_INDEXES } from '../audit/audit-indexes.ts';
import type { AuditDocument } from '../audit/documents.ts';
import type { CheckpointDocument } from '../checkpoint.ts';
import { catalogueCollections } from '../collections.ts';
import { type ServingGeneration, servingCollections } from '../generations.ts';
import { PENDING_TEXTS_INDEX, type PendingProjectText } from '../pending-texts.ts';
import type { CatalogueIgnoredDocument, EntityDocument } from './documents.ts';

/** The first version with owners, counts and limits, which rules 1 need. */
const ROLES_SINCE = 3;

export const newestRulesVersion = (model_version: number): number => (model_version < ROLES_SINCE ? 0 : 1);

export type CatalogueCollections = {
  readonly entities: <K extends EntityKind>(kind: K) => Collection<Extract<EntityDocument, { readonly kind: K }>>;
  readonly checkpoints: Collection<CheckpointDocument>;
  readonly ignored: Collection<CatalogueIgnoredDocument>;
  readonly audit: Collection<AuditDocument>;
  readonly pending: Collection<PendingProjectText>;
};

export const catalogueCollectionsIn = (db: Db, generation: number): CatalogueCollections => {
  const names = catalogueCollections(generation);
  return {
    entities: (kind) => db.collection(names.entities[kind]),
    checkpoints: db.collection(names.checkpoints),
    ignored: db.collection(names.ignored),
    audit: db.collection(names.audit),
    pending: db.collection(names.pending),
  };
};

/** Each call returns the collections of the generation that serves, which is looked up at most once a second. */
export type ServingCatalogue = () => Promise<CatalogueCollections & ServingGeneration>;

export const servingCatalogue = (db: Db): ServingCatalogue =>
  servingCollections(db, 'catalogue', (generation) => catalogueCollectionsIn(db, generation));

const BY_ERASED = { key: { by_erased: 1 }, sparse: true };

export const catalogueIndexes = (generation: number): Indexes => {
  const { checkpoints, ignored, audit, pending, entities } = catalogueCollections(generation);
  return new Map([
    [checkpoints, []],
    [ignored, []],
    [audit, AUDIT_INDEXES],
    [pending, [PENDING_TEXTS_INDEX, { key: { project_id: 1 } }]],
    [entities.account, [BY_ERASED]],
    [entities.credit_grant, [{ key: { account_id: 1 } }]],
    [entities.team, [{ key: { account_id: 1 } }]],
    [entities.user, [BY_ERASED]],
    [entities.membership, [{ key: { team_id: 1 } }, { key: { user_id: 1 } }]],
    [entities.api_key, [{ key: { secret_sha256: 1 } }, { key: { team_ids: 1 } }, { key: { user_id: 1 } }]],
    [
      entities.project,
      [{ key: { by_team: 1 } }, BY_ERASED, { key: { team_id: 1 } }, { key: { search: 1, position: 1 } }],
    ],
    [entities.project_version, [{ key: { asset_keys: 1 }, sparse: true }]],
    [entities.webhook_endpoint, [{ key: { team_id: 1 } }]],
    [entities.team_webhooks, []],
    [entities.account_member, [{ key: { account_id: 1 } }, { key: { user_id: 1 } }]],
    [entities.account_usage, []],
    [entities.account_limits, []],
    [entities.account_retention, []],
    [entities.team_roster, []],
    [entities.member_keys, []],
    [entities.invitation, [{ key: { account_id: 1 } }]],
    [entities.identity, []],
    [entities.user_identities, []],
  ]);
};
