import type { Collection, Db } from 'mongodb';
import type { Indexes } from '../../platform/read-store/create-indexes.ts';
import { AUDIT_INDEXES } from '../audit/audit-indexes.ts';
import type { AuditDocument } from '../audit/documents.ts';
import type { CheckpointDocument } from '../checkpoint.ts';
import { COLLECTIONS, renderCollections } from '../collections.ts';
import { type ServingGeneration, servingCollections } from '../generations.ts';
import { PENDING_TEXTS_INDEX, type PendingName } from '../pending-texts.ts';
import type { StatisticsDocument } from '../statistics/documents.ts';
import type { LedgerDocument, RenderDocument, WatermarkDocument } from './documents.ts';

export type RenderCollections = {
  readonly renders: Collection<RenderDocument>;
  readonly ledger: Collection<LedgerDocument>;
  readonly audit: Collection<AuditDocument>;
  readonly statistics: Collection<StatisticsDocument>;
  readonly checkpoints: Collection<CheckpointDocument>;
  readonly caught_up: Collection<WatermarkDocument>;
  readonly pending: Collection<PendingName>;
};

export const renderCollectionsIn = (db: Db, generation: number): RenderCollections => {
  const names = renderCollections(generation);
  return {
    renders: db.collection(names.renders),
    ledger: db.collection(names.ledger),
    audit: db.collection(names.audit),
    statistics: db.collection(names.statistics),
    checkpoints: db.collection(names.checkpoints),
    caught_up: db.collection(names.caught_up),
    pending: db.collection(names.pending),
  };
};

/** Each call returns the collections of the generation that serves, which is looked up at most once a second. */
export type ServingRenders = () => Promise<RenderCollections & ServingGeneration>;

export const servingRenders = (db: Db): ServingRenders =>
  servingCollections(db, 'renders', (generation) => renderCollectionsIn(db, generation));

/** After this time without a heartbeat, the progress of a render is unknown. */
const LIVE_PROGRESS_EXPIRES_S = 60;

const FRESH_NAMES_EXPIRE_S = 600;

/** The counts of an hour expire this long after its end, because clocks differ, and so that operators can read them. */
const FAILED_WORK_EXPIRES_S = 3_600;

export const renderIndexes = (generation: number): Indexes => {
  const names = renderCollections(generation);
  return new Map([
    [
      names.renders,
      [
        { key: { by_project: 1 } },
        { key: { by_project_status: 1 } },
        // For the renders of a template, also in older documents.
        { key: { 'render.template_id': 1, by_project: 1 } },
        { key: { by_team_status: 1 } },
        // Without the status: otherwise every change of the status would rewrite the entries of all tokens.
        { key: { search: 1, position: 1 } },
        { key: { open: 1 }, partialFilterExpression: { open: true } },
        { key: { account_id: 1, open: 1 }, partialFilterExpression: { open: true } },
        // For the charges of an account in their order, also in older documents. No other query may imply the filter:
        // the embedded store would use this index for it and find no documents.
        {
          key: { account_id: 1, 'render.updated_at': 1, _id: 1, 'render.charged_credits': 1 },
          partialFilterExpression: { 'render.charged_credits': { $gt: 0 } },
        },
      ],
    ],
    [names.ledger, [{ key: { account_id: 1 } }]],
    [names.audit, AUDIT_INDEXES],
    [names.statistics, [{ key: { by_day: 1 } }]],
    [names.checkpoints, []],
    [names.caught_up, []],
    [names.pending, [PENDING_TEXTS_INDEX]],
  ]);
};

export const COMMON_RENDER_INDEXES: Indexes = new Map([
  [COLLECTIONS.live_progress, [{ key: { at: 1 }, expireAfterSeconds: LIVE_PROGRESS_EXPIRES_S }]],
  [COLLECTIONS.fresh_names, [{ key: { at: 1 }, expireAfterSeconds: FRESH_NAMES_EXPIRE_S }]],
  [COLLECTIONS.failed_work, [{ key: { until: 1 }, expireAfterSeconds: FAILED_WORK_EXPIRES_S }]],
]);
