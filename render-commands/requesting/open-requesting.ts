import { openReadyUploads } from '../../catalogue/uploads/ready-uploads.ts';
import type { FailedWorkLimits } from '../../domain/limits/failed-work.ts';
import { openProjects } from '../../platform/access/projects.ts';
import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { VersionedBlobs } from '../../platform/blob-store/versioned-blobs.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { createSealer } from '../../platform/seals/sealer.ts';
import { openCatalogue } from '../../read-models/catalogue/catalogue.ts';
import { openProjectDocuments } from '../../read-models/catalogue/project-documents.ts';
import { openCreditLeases } from '../../read-models/limits/credit-leases.ts';
import { openAccountRenders } from '../../read-models/renders/account-renders.ts';
import { openFailedWorkLimit } from '../../read-models/renders/failed-work.ts';
import { openFoldedRequests } from '../../read-models/renders/folded-requests.ts';
import { openRequestedNameCache } from '../../read-models/renders/fresh-names.ts';
import { openUploads } from '../../read-models/uploads/uploads.ts';
import { openCreditReservations } from '../credits/credits.ts';
import { openLedger } from '../credits/ledger.ts';
import { openWaitingRenderReservations } from '../limits/waiting-renders.ts';
import { openFoldedRenders } from './folded-renders.ts';
import { openRequestRender, type RequestRender } from './request-render.ts';

export type RequestSettings = {
  readonly renders: { readonly type: string; readonly fold_version: number };
  readonly failed_work: FailedWorkLimits;
  readonly waiting_renders: { readonly per_account: number };
  readonly credits: { readonly ledger_lag_s: number };
};

type RequestingDependencies = {
  readonly db: ReadStore['db'];
  readonly records: Pick<RecordLog, 'append' | 'log'>;
  readonly blobs: Pick<BlobStore, 'putPayload' | 'readText'>;
  /** Key trees, in the container of `blobs`. */
  readonly key_blobs: Pick<VersionedBlobs, 'create' | 'read'>;
  readonly settings: RequestSettings;
  /** Must be equal in all processes of the same API, and must never change. */
  readonly idempotency_secret: string;
  readonly logger: Logger;
  readonly clock: Clock;
};

/** Several processes can request renders of one account: each leases some of its credits. */
export const openRequesting = (
  parts: RequestingDependencies,
): { readonly requestRender: RequestRender; readonly stop: () => Promise<void> } => {
  const { db, records, blobs, key_blobs, settings, idempotency_secret, logger, clock } = parts;
  const { renders, failed_work, waiting_renders } = settings;
  const catalogue = openCatalogue(db);
  const uploads = openUploads(db);
  const account_renders = openAccountRenders(db);
  const folded = openFoldedRenders(openFoldedRequests(db), records.log, clock);
  const credits = openCreditReservations({
    ledger: openLedger(catalogue, account_renders, clock),
    leases: openCreditLeases(db, clock.now),
    places: folded.places,
    clock,
    most_lag_s: settings.credits.ledger_lag_s,
    onFailure: (error) => logger.warn({ error }, 'could not return leased credits'),
  });
  const requestRender = openRequestRender({
    projects: openProjects(catalogue),
    documents: openProjectDocuments(catalogue),
    findUploadsOf: (account_id) => openReadyUploads({ uploads, blobs, now: clock.now }, account_id),
    failed_work: { reached: openFailedWorkLimit(db, failed_work, clock), limits: failed_work },
    waiting: openWaitingRenderReservations(account_renders.countOpen, waiting_renders.per_account, clock),
    ...{ credits, folded, clock, blobs, records, idempotency_secret },
    sealer: createSealer({
      blobs: key_blobs,
      clock,
      onFailure: (error) => logger.warn({ error }, 'could not create a key tree ahead'),
    }),
    fresh_names: openRequestedNameCache(db, clock.now),
    render_type: renders.type,
    fold_version: renders.fold_version,
  });
  return { requestRender, stop: credits.stop };
};
