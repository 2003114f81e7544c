import type { EntityKind } from '../domain/catalogue/entities.ts';

/** Names of the collections of one generation of each read model, and of those that belong to none. */
export const renderCollections = (generation: number) => ({
  renders: `renders_g${generation}`,
  checkpoints: `render_checkpoints_g${generation}`,
  caught_up: `render_caught_up_g${generation}`,
  ledger: `credit_ledger_g${generation}`,
  audit: `render_audit_g${generation}`,
  statistics: `render_statistics_g${generation}`,
  pending: `render_pending_names_g${generation}`,
});

export const catalogueCollections = (generation: number) => ({
  checkpoints: `catalogue_checkpoints_g${generation}`,
  ignored: `catalogue_ignored_g${generation}`,
  audit: `audit_g${generation}`,
  pending: `catalogue_pending_texts_g${generation}`,
  entities: {
    account: `accounts_g${generation}`,
    credit_grant: `credit_grants_g${generation}`,
    team: `teams_g${generation}`,
    user: `users_g${generation}`,
    membership: `memberships_g${generation}`,
    api_key: `api_keys_g${generation}`,
    project: `projects_g${generation}`,
    project_version: `project_versions_g${generation}`,
    project_thumbnail: `project_thumbnails_g${generation}`,
    webhook_endpoint: `webhook_endpoints_g${generation}`,
    team_webhooks: `team_webhooks_g${generation}`,
    account_member: `account_members_g${generation}`,
    account_usage: `account_usage_g${generation}`,
    account_limits: `account_limits_g${generation}`,
    account_retention: `account_retention_g${generation}`,
    team_roster: `team_rosters_g${generation}`,
    member_keys: `member_keys_g${generation}`,
    invitation: `invitations_g${generation}`,
    identity: `identities_g${generation}`,
    user_identities: `user_identities_g${generation}`,
  } satisfies Record<EntityKind, string>,
});

export const COLLECTIONS = {
  generations: 'generations',
  quarantine: 'quarantine',
  live_progress: 'live_progress',
  fresh_names: 'fresh_names',
  key_last_used: 'key_last_used',
  failed_work: 'failed_work',
  rate_buckets: 'rate_buckets',
  credit_leases: 'credit_leases',
  leases: 'leases',
  output_deletions: 'output_deletions',
  notary: 'notary',
  webhook_deliveries: 'webhook_deliveries',
  webhook_positions: 'webhook_positions',
  webhook_endpoint_health: 'webhook_endpoint_health',
  webhook_rebuild: 'webhook_rebuild',
  sessions: 'sessions',
  sign_ins: 'sign_ins',
} as const;
