import type { EntityKind } from '../../domain/catalogue/entities.ts';

/** Names of the collections of one generation of each read model, and of those that belong to none. */
export const renderCollections = (generation: number) => ({
  renders: `renders_g${generation}`,
  checkpoints: `render_checkpoints_g${generation}`,
  caught_up: `render_caught_up_g${generation}`,
  ledger: `credit_ledger_g${generation}`,
});

export const catalogueCollections = (generation: number) => ({
  checkpoints: `catalogue_checkpoints_g${generation}`,
  ignored: `catalogue_ignored_g${generation}`,
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
  } satisfies Record<EntityKind, string>,
});

export const COLLECTIONS = {
  generations: 'generations',
  quarantine: 'quarantine',
  live_progress: 'live_progress',
  key_last_used: 'key_last_used',
  consumer_positions: 'consumer_positions',
  failed_work: 'failed_work',
  webhook_deliveries: 'webhook_deliveries',
  webhook_positions: 'webhook_positions',
  webhook_endpoint_health: 'webhook_endpoint_health',
} as const;

/**
 * What the documents of a read model hold: another version needs another generation, folded from the first record.
 * Whoever reads a version must also bear the one before it, which serves until its successor is complete.
 */
export const MODEL_VERSIONS = { renders: 2, catalogue: 2 } as const;

export type ReadModel = keyof typeof MODEL_VERSIONS;

/** The version that came before versions had a pointer each. */
export const FIRST_MODEL_VERSION = 1;

/** `generations`: the generation of one version of a read model; `_id` is `<read model>@<version>`. */
export type GenerationDocument = {
  readonly _id: string;
  readonly read_model: ReadModel;
  readonly model_version: number;
  readonly generation: number;
  /** False while it is folded for the first time. Readers use the newest version that serves and that they know. */
  readonly serving: boolean;
  /** Where each partition ended when its making began; it serves no sooner than it got there. */
  readonly ends: readonly number[];
};

/**
 * `generations`: the pointer of version 1 of a read model, and all that code of that version looks at. 0 where there
 * never was a version 1: such code then folds a generation of its own, and not into one that it does not understand.
 */
export type FirstGenerationDocument = { readonly _id: ReadModel; readonly current: number };

/** `generations`: numbers are given once; `_id` is `<read model>#`. */
export type GenerationCountDocument = { readonly _id: string; readonly given: number };
