import { randomUUID } from 'node:crypto';
import type * as E from 'fp-ts/lib/Either.js';
import { openAccountFiles } from '../catalogue/documents/hold-files.ts';
import { createAddressCheck } from '../catalogue/endpoint-address.ts';
import { readStarters } from '../catalogue/starters/starters.ts';
import { openFetchUrls } from '../catalogue/uploads/document-urls.ts';
import { openReadyUploads } from '../catalogue/uploads/ready-uploads.ts';
import { listedWorkers } from '../domain/dispatch/listed-workers.ts';
import {
  PROJECT_CHANGE_LIMITS,
  PROJECT_CHECK_BATCH_LIMITS,
  PROJECT_CHECK_LIMITS,
} from '../domain/limits/project-changes.ts';
import { STILL_LIMITS } from '../domain/limits/stills.ts';
import { STORED_BLOCKS_RATE, UPLOAD_RATE, type UploadLimits } from '../domain/uploads/limits.ts';
import { openRateLimits, type RateLimits } from '../platform/access/rate-limits.ts';
import type { BlobStore } from '../platform/blob-store/blob-store.ts';
import type { UploadBlobs } from '../platform/blob-store/upload-blobs.ts';
import type { Values } from '../platform/configuration/configuration.ts';
import type { CURSORS, RATE_LIMITS, SESSIONS } from '../platform/configuration/parts.ts';
import { FairTurns } from '../platform/http-server/fair-turns.ts';
import type { Logger } from '../platform/logging/logger.ts';
import type { OutboundRules } from '../platform/outbound/outbound-rules.ts';
import type { Clock } from '../platform/process/clock.ts';
import { retry } from '../platform/process/retry.ts';
import { readOncePerInterval } from '../platform/read-store/fresh-read.ts';
import type { ReadStore } from '../platform/read-store/read-store.ts';
import { listStoppedPartitions } from '../platform/read-store/stopped-partitions.ts';
import { readHeartbeats } from '../platform/records/read-heartbeats.ts';
import type { RecordLog } from '../platform/records/record-log.ts';
import type { SealOpener } from '../platform/seals/opener.ts';
import type { SealSecret } from '../platform/secrets/sealed-secret.ts';
import { openAudit } from '../read-models/audit/audit.ts';
import { openAccountRetentions } from '../read-models/catalogue/account-retentions.ts';
import { openAssetVersions } from '../read-models/catalogue/asset-versions.ts';
import { openCatalogue } from '../read-models/catalogue/catalogue.ts';
import { catalogueReadModel } from '../read-models/catalogue/management.ts';
import { openOutputPolicy } from '../read-models/catalogue/output-policy.ts';
import { openProfileReader } from '../read-models/catalogue/profiles.ts';
import { openProjectDocuments } from '../read-models/catalogue/project-documents.ts';
import { openThumbnails } from '../read-models/catalogue/thumbnails.ts';
import { openVersionRows } from '../read-models/catalogue/version-rows.ts';
import { readModelStates } from '../read-models/catch-up.ts';
import { openDeliveryLog } from '../read-models/deliveries/delivery-log.ts';
import { openRateBuckets } from '../read-models/limits/rate-buckets.ts';
import { openPageReader } from '../read-models/page.ts';
import { listQuarantine } from '../read-models/quarantine.ts';
import { openAccountQueues } from '../read-models/renders/account-queues.ts';
import { erasableRenders } from '../read-models/renders/erasable-renders.ts';
import { openBoundedWaits, openRenderFinder } from '../read-models/renders/render-finder.ts';
import { openRenders } from '../read-models/renders/renders.ts';
import { openDeviceSignIns } from '../read-models/sessions/device-sign-ins.ts';
import { openSessions } from '../read-models/sessions/sessions.ts';
import { openSignIns } from '../read-models/sessions/sign-ins.ts';
import { openRenderStatistics } from '../read-models/statistics/statistics.ts';
import { openStoredFiles } from '../read-models/stored-files/stored-files.ts';
import { openUploads } from '../read-models/uploads/uploads.ts';
import { openCancelRender } from '../render-commands/cancel-render.ts';
import { eraseRender } from '../render-commands/erase-render.ts';
import type { RequestRender } from '../render-commands/requesting/request-render.ts';
import type { StillsService } from '../render-commands/stills/stills-service.ts';
import { cookieNames } from '../schemas/http/session-cookie.ts';
import { idempotencySecret } from './access/idempotency-secret.ts';
import { openPeople } from './access/people.ts';
import { findAccountAccess } from './access/reach.ts';
import type { ManagementDependencies } from './api.ts';
import { openEventIds } from './live/event-id.ts';
import { Listeners } from './live/listeners.ts';
import type { StartLiveDependencies } from './live/start-live.ts';
import { openProfilesOf } from './people/profiles.ts';
import { openStoreStatedProfile } from './people/store-stated-profile.ts';
import { openBeginSession } from './sessions/begin-session.ts';
import { openIdentityProvider } from './sign-in/provider.ts';
import type { SignInSettings } from './sign-in/settings.ts';

export type OpenManagementDependencies = {
  readonly db: ReadStore['db'];
  readonly records: RecordLog;
  readonly requestRender: RequestRender;
  readonly stillsService: StillsService;
  readonly blobs: BlobStore;
  readonly upload_blobs: UploadBlobs;
  readonly upload_limits: UploadLimits;
  readonly seals: SealOpener;
  readonly sign_in: SignInSettings;
  readonly sessions: Values<typeof SESSIONS>;
  readonly rate_limits: Values<typeof RATE_LIMITS>;
  readonly cursors: Values<typeof CURSORS>;
  readonly seal: E.Either<string, SealSecret>;
  readonly outbound: OutboundRules;
  readonly tells_answers: boolean;
  readonly isBehind: () => Promise<boolean>;
  readonly logger: Logger;
  readonly clock: Clock;
};

const MS_PER_S = 1_000;
const QUEUES_FRESH_MS = 5_000;
/** Checks of rows take this time of each turn of the event loop. */
const CHECK_TURN_MS = 5;
/** For all programs together, because each request asks the identity provider. */
const DEVICE_SIGN_IN_RATE = { per_s: 5, burst: 50 };

/** `announced`: the reads of the stream of changes. */
export type Management = ManagementDependencies & {
  readonly announced: Pick<StartLiveDependencies, 'read_model' | 'audit' | 'deliveries'>;
};

type OpenLimits = (name: string, limits: Values<typeof RATE_LIMITS>) => RateLimits;

/** All processes of all APIs share the limits with one name. */
const openLimits =
  ({ db, logger, clock }: OpenManagementDependencies): OpenLimits =>
  (name, limits) =>
    openRateLimits(limits, openRateBuckets(db, name, randomUUID(), limits), logger, clock);

const openUploading = (parts: OpenManagementDependencies) => ({
  ...{ uploads: openUploads(parts.db), blobs: parts.blobs, upload_blobs: parts.upload_blobs },
  stored_files: openStoredFiles(parts.db),
  ...{ now: parts.clock.now, clock: parts.clock },
  rate: openLimits(parts)('uploads', UPLOAD_RATE),
  block_lists: openLimits(parts)('stored-blocks', STORED_BLOCKS_RATE),
  limits: parts.upload_limits,
  secret: idempotencySecret(parts.sign_in.identity_secret, 'uploads'),
});

const filesOfAccounts = (uploads: ReturnType<typeof openUploading>) => ({
  findUploadsOf: (account_id: string) => openReadyUploads(uploads, account_id),
  fetchUrlsOf: (account_id: string) => openFetchUrls(uploads, account_id),
  filesOf: (account_id: string) => openAccountFiles(uploads, account_id),
});

const openChecking = (parts: OpenManagementDependencies) => ({
  checks: openLimits(parts)('project-checks', PROJECT_CHECK_LIMITS),
  check_batches: openLimits(parts)('project-check-batches', PROJECT_CHECK_BATCH_LIMITS),
  check_turns: new FairTurns<string>(CHECK_TURN_MS, parts.clock.monotonic),
});

/** Resolves when the store has their indexes. */
const openSessionStores = async ({ db, logger, clock }: OpenManagementDependencies) => {
  const stores = { sessions: openSessions(db), sign_ins: openSignIns(db), device_sign_ins: openDeviceSignIns(db) };
  const onFailure = (error: unknown): void => logger.warn({ error }, 'waiting for the store');
  for (const { prepare } of Object.values(stores)) await retry(prepare, { clock, onFailure });
  return stores;
};

export const openManagement = async (parts: OpenManagementDependencies): Promise<Management> => {
  const { db, records, blobs, sign_in, isBehind, clock } = parts;
  const { issuer, identity_secret, public_url } = sign_in;
  const { sessions, sign_ins, device_sign_ins } = await openSessionStores(parts);
  const [read_model, cookies] = [catalogueReadModel(db), cookieNames(public_url)];
  const { idle_s, lifetime_s, fresh_s } = parts.sessions;
  const people = openPeople({ sessions, read_model }, { idle_s }, clock);
  const storeProfile = openStoreStatedProfile({ ...parts, read_model });
  const session_parts = { sessions, people, read_model, storeProfile, clock, lifetime_s, public_url, cookies };
  const { beginSession, beginBearerSession } = openBeginSession(session_parts);
  const renders = openRenders(db);
  const waits = openBoundedWaits();
  const catalogue = openCatalogue(db);
  const listeners = new Listeners({
    ...{ people, isBehind, clock, ids: openEventIds(parts.cursors.secret), random: Math.random },
    hasPartIn: async (person, account_id) => (await findAccountAccess(read_model, person, account_id)) !== null,
  });
  const output_policy = openOutputPolicy(openAccountRetentions(db), clock);
  const deliveries = openDeliveryLog(db, clock.now);
  const audit = openAudit(db);
  const documents = openProjectDocuments(catalogue);
  const uploads = openUploading(parts);
  const limitsOf = openLimits(parts);
  const session_limits = limitsOf('management-api', parts.rate_limits);
  const commands = { records, read_model, readPage: openPageReader(parts.cursors.secret), clock };
  return {
    guards: {
      ...{ people, read_model, isBehind, public_url, cookies, clock, fresh_ms: fresh_s * MS_PER_S },
      limits: session_limits,
    },
    signing: {
      ...{ provider: openIdentityProvider(sign_in, lifetime_s, clock), sign_ins, beginSession, isBehind },
      ...{ device_sign_ins, beginBearerSession, device_limits: limitsOf('device-sign-ins', DEVICE_SIGN_IN_RATE) },
      ...{ issuer, identity_secret, public_url, cookies, clock },
    },
    sessions: {
      ...{ sessions, people, public_url, cookies, clock },
      ...{ idle_ms: idle_s * MS_PER_S, fresh_ms: fresh_s * MS_PER_S },
    },
    commands,
    profilesOf: openProfilesOf(read_model, openProfileReader(blobs, clock)),
    installation: {
      // All operators share one read per interval, because a read scans many documents.
      queues: readOncePerInterval(openAccountQueues(db), clock, QUEUES_FRESH_MS),
      // Operators who look within the same second share one read of the heartbeats.
      workers: readOncePerInterval(async () => listedWorkers(await readHeartbeats(records), clock.now())),
      readModels: () => readModelStates(db),
      stoppedPartitions: () => listStoppedPartitions(db, clock.now()),
      quarantine: (limit) => listQuarantine(db, null, limit),
    },
    projects: {
      ...{ ...commands, documents, blobs },
      starters: readStarters(),
      findVersionRows: openVersionRows(db),
      findVersionWithAsset: openAssetVersions(db),
      ...filesOfAccounts(uploads),
      changes: limitsOf('project-changes', PROJECT_CHANGE_LIMITS),
      ...openChecking(parts),
      stills: limitsOf('stills', STILL_LIMITS),
      stillsService: parts.stillsService,
    },
    uploads,
    audits: { ...commands, audit },
    statistics: { statistics: openRenderStatistics(db), clock },
    renders: {
      ...commands,
      ...{ renders, catalogue, blobs },
      seals: parts.seals,
      output_policy,
      thumbnails: openThumbnails(catalogue, blobs, output_policy),
      documents,
      ...{ deliveries, tells_answers: parts.tells_answers },
      cancel: openCancelRender({ renders, records, clock, waits }),
      findRender: openRenderFinder(renders, clock, waits),
      erase: (erasure) => eraseRender({ renders: erasableRenders(db), records, clock }, erasure),
      ...{ requestRender: parts.requestRender, limits: session_limits },
    },
    live: { listeners, cookies },
    announced: { read_model, audit, deliveries },
    endpoints: {
      ...commands,
      ...{ seal: parts.seal, checkAddress: createAddressCheck(parts.outbound), tells_answers: parts.tells_answers },
      deliveries,
    },
    accepting: { records, read_model, clock, beginSession, cookies },
  };
};
