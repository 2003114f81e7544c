import type { IndexDescription } from 'mongodb';
import type { Indexes } from '../platform/read-store/create-indexes.ts';
import { COLLECTIONS, catalogueCollections, renderCollections } from '../read-models/collections.ts';

/** Readers take a render's progress as unknown after this long without a beat. */
const LIVE_PROGRESS_EXPIRES_S = 60;

/** After its hour: for clocks that differ, and for whoever wants to look. */
const FAILED_WORK_EXPIRES_S = 3_600;

const NONE: readonly IndexDescription[] = [];

/** Collections of one generation of the renders. */
export const renderIndexes = (generation: number): Indexes => {
  const names = renderCollections(generation);
  return new Map([
    [
      names.renders,
      [
        { key: { by_project: 1 } },
        { key: { by_project_status: 1 } },
        // Without the status: an entry stands for each token, and would be written anew at every change.
        { key: { search: 1, position: 1 } },
        { key: { open: 1 }, partialFilterExpression: { open: true } },
        { key: { account_id: 1, open: 1 }, partialFilterExpression: { open: true } },
      ],
    ],
    [names.ledger, [{ key: { account_id: 1 } }]],
    [names.checkpoints, NONE],
    [names.caught_up, NONE],
  ]);
};

/** Collections of one generation of the catalogue. */
export const catalogueIndexes = (generation: number): Indexes => {
  const { checkpoints, ignored, entities } = catalogueCollections(generation);
  return new Map([
    [checkpoints, NONE],
    [ignored, NONE],
    [entities.account, NONE],
    [entities.credit_grant, NONE],
    [entities.team, [{ key: { account_id: 1 } }]],
    [entities.user, NONE],
    [entities.membership, [{ key: { team_id: 1 } }, { key: { user_id: 1 } }]],
    [entities.api_key, [{ key: { secret_sha256: 1 } }]],
    [entities.project, [{ key: { by_team: 1 } }, { key: { search: 1, position: 1 } }]],
    [entities.project_version, NONE],
    [entities.webhook_endpoint, [{ key: { team_id: 1 } }]],
    [entities.team_webhooks, NONE],
  ]);
};

/** Collections that belong to no generation. */
export const COMMON_INDEXES: Indexes = new Map([
  [COLLECTIONS.quarantine, NONE],
  [COLLECTIONS.live_progress, [{ key: { at: 1 }, expireAfterSeconds: LIVE_PROGRESS_EXPIRES_S }]],
  [COLLECTIONS.failed_work, [{ key: { until: 1 }, expireAfterSeconds: FAILED_WORK_EXPIRES_S }]],
]);
