import type { BlobStore } from '../../platform/blob-store/blob-store.ts';
import type { EvictableBlobs } from '../../platform/blob-store/evictable-blobs.ts';
import type { UploadBlobs } from '../../platform/blob-store/upload-blobs.ts';
import type { Values } from '../../platform/configuration/configuration.ts';
import type { RETENTION } from '../../platform/configuration/parts.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Warn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { ReadStore } from '../../platform/read-store/read-store.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import { openAccountRetentions } from '../../read-models/catalogue/account-retentions.ts';
import { openDeliveryRetentions } from '../../read-models/catalogue/delivery-retentions.ts';
import { openErasedEntities } from '../../read-models/catalogue/erased-entities.ts';
import { catalogueReadModel } from '../../read-models/catalogue/management.ts';
import { openProjectFiles } from '../../read-models/catalogue/project-files.ts';
import { openUserEmails } from '../../read-models/catalogue/user-emails.ts';
import { type CatchUp, rejectingWhileBehind } from '../../read-models/catch-up.ts';
import { openAnsweredDeliveries } from '../../read-models/deliveries/answered-deliveries.ts';
import type { LeaseStore } from '../../read-models/leases/leases.ts';
import { openInactiveCatalogueCleaner } from '../../read-models/left/left-catalogue.ts';
import { openInactiveGenerations } from '../../read-models/left/left-generations.ts';
import type { InactiveRenderCleaner } from '../../read-models/left/left-renders.ts';
import { openAccountRenders } from '../../read-models/renders/account-renders.ts';
import { openCompletedCounts } from '../../read-models/renders/completed-counts.ts';
import { erasableRenders } from '../../read-models/renders/erasable-renders.ts';
import { openProjectRenders, openUnlistedRenders } from '../../read-models/renders/project-renders.ts';
import { openRenderBlobs } from '../../read-models/renders/render-blobs.ts';
import { outputDeletions } from '../../read-models/retention/output-deletions.ts';
import { openSessions } from '../../read-models/sessions/sessions.ts';
import { openStoredFiles } from '../../read-models/stored-files/stored-files.ts';
import { openUploads } from '../../read-models/uploads/uploads.ts';
import { appendErasure } from '../../render-commands/erase-render.ts';
import { erasedAccountSweeps } from '../accounts/erased-account-sweep.ts';
import { deliverySweep } from '../deliveries/delivery-sweep.ts';
import { eraseFiles } from '../erasure/erase-files.ts';
import { inactiveGenerationSweeps } from '../generations/left-sweeps.ts';
import { keyTreeSweep } from '../keys/key-tree-sweep.ts';
import type { SealErasure } from '../keys/seal-erasure.ts';
import { sealSweeps } from '../keys/seal-sweeps.ts';
import { projectFileSweep } from '../projects/file-sweep.ts';
import { projectSweeps } from '../projects/project-sweep.ts';
import { storedFileSweep } from '../projects/stored-file-sweep.ts';
import { openOutputLimits } from '../renders/output-limits.ts';
import type { RenderSweepDependencies } from '../renders/render-sweep.ts';
import { segmentSweep } from '../segments/segment-sweep.ts';
import type { TrustedTime } from '../time/trusted-time.ts';
import { uploadSweeps } from '../uploads/upload-sweeps.ts';
import { erasedUserSweeps } from '../users/erased-user-sweep.ts';
import { userSweep } from '../users/user-sweep.ts';
import type { SweepsProgress } from './run-sweeps.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export type RetentionClients = {
  readonly store: ReadStore;
  readonly records: RecordLog;
  readonly blobs: BlobStore;
  readonly evictable: EvictableBlobs;
  readonly upload_blobs: UploadBlobs;
  readonly leases: LeaseStore<SweepsProgress>;
  readonly catchUp: CatchUp;
  readonly time: TrustedTime;
  readonly retention: Values<typeof RETENTION>;
  readonly left_renders: InactiveRenderCleaner;
  readonly seals: SealErasure;
  readonly logger: Logger;
  readonly warn: Warn;
  readonly clock: Clock;
  /** The clock whose `now` is the trusted time. */
  readonly sweep_clock: Clock;
};

const leftoversMs = ({ retention }: RetentionClients): number => retention.leftovers_hours * HOUR_MS;

/** The parts of the sweep of renders, which runs in shards. */
export const renderSweepDependencies = (parts: RetentionClients): RenderSweepDependencies => {
  const { store, blobs, evictable, leases, catchUp, time, retention, warn } = parts;
  const leftovers_ms = leftoversMs(parts);
  return {
    blobs: evictable,
    readRenderBlobs: rejectingWhileBehind(catchUp, openRenderBlobs(store.db)),
    retentions: openAccountRetentions(store.db),
    outputLimits: openOutputLimits({
      deletions: outputDeletions(store.db),
      completed: openCompletedCounts(store.db),
      limit: retention,
      leftovers_ms,
      unlimitedUntil: async () => (await leases.read())?.progress?.renders?.last?.ended_at ?? null,
      warn,
    }),
    time,
    ages: {
      leftovers_ms,
      sources_ms: retention.sources_days * DAY_MS,
      // The list of used parts stays one day longer than the parts, which are swept each hour.
      used_parts_ms: (retention.segment_days + 1) * DAY_MS,
    },
    eraseAgain: (render, signal) => eraseFiles({ blobs, evictable }, render, signal),
    warn,
  };
};

/** The sweeps that complete the erasures of projects, accounts and users. */
export const erasureSweeps = (parts: RetentionClients) => {
  const { store, records, evictable, catchUp, seals, clock, sweep_clock, warn } = parts;
  const catalogue = { records, read_model: catalogueReadModel(store.db), clock: sweep_clock };
  return [
    projectSweeps({
      blobs: evictable,
      erasedProjects: openErasedEntities(store.db, 'project'),
      rendersOf: openProjectRenders(store.db),
      unlistedOf: openUnlistedRenders(store.db),
      stored_files: openStoredFiles(store.db),
      appendErasure: (erasure) => appendErasure({ renders: erasableRenders(store.db), records, clock }, erasure),
      ...{ catchUp, clock: sweep_clock, warn },
    }),
    erasedAccountSweeps({
      ...{ blobs: evictable, key_blobs: seals.key_blobs, catalogue, catchUp, warn },
      erasedAccounts: openErasedEntities(store.db, 'account'),
      renders: openAccountRenders(store.db),
      known_trees: seals.known_trees,
      uploads: openUploads(store.db),
      stored_files: openStoredFiles(store.db),
    }),
    erasedUserSweeps({
      ...{ blobs: evictable, catalogue, warn },
      erasedUsers: openErasedEntities(store.db, 'user'),
      sessions: openSessions(store.db),
    }),
  ];
};

/** The sweeps that remove blobs and documents by their age, and data of generations that are no longer folded. */
export const expirySweeps = (parts: RetentionClients) => {
  const { store, records, evictable, catchUp, time, retention, left_renders, seals, logger, warn, clock } = parts;
  const leftovers_ms = leftoversMs(parts);
  const catalogueEnd = async () => (await records.log.bounds('catalogue-events'))[0]?.end ?? 0;
  return [
    segmentSweep(evictable, retention, logger, time),
    ...uploadSweeps({ uploads: openUploads(store.db), blobs: evictable, upload_blobs: parts.upload_blobs, time, warn }),
    ...sealSweeps({ ...seals, clock }),
    keyTreeSweep({ ...seals, blobs: seals.key_blobs, logger }),
    deliverySweep({
      retentions: openDeliveryRetentions(store.db),
      read_model: catalogueReadModel(store.db),
      deliveries: openAnsweredDeliveries(store.db),
      ...{ logger, time },
    }),
    projectFileSweep({
      ...{ blobs: evictable, catalogueEnd, leftovers_ms, time, warn },
      foldedFiles: rejectingWhileBehind(catchUp, openProjectFiles(store.db)),
    }),
    storedFileSweep({
      blobs: evictable,
      read_model: catalogueReadModel(store.db),
      stored_files: openStoredFiles(store.db),
    }),
    ...inactiveGenerationSweeps({
      renders: left_renders,
      catalogue: openInactiveCatalogueCleaner(store.db, openInactiveGenerations(store.db, 'catalogue', clock.now)),
      erased: {
        account: openErasedEntities(store.db, 'account'),
        user: openErasedEntities(store.db, 'user'),
        project: openErasedEntities(store.db, 'project'),
      },
      logger,
    }),
    userSweep({
      blobs: evictable,
      catalogueEnd,
      foldedEmails: rejectingWhileBehind(catchUp, openUserEmails(store.db)),
      leftovers_ms,
      time,
      warn,
    }),
  ];
};
