import { randomUUID } from 'node:crypto';
import { openAccountFiles } from '../catalogue/documents/hold-files.ts';
import { readStarters } from '../catalogue/starters/starters.ts';
import { openFetchUrls } from '../catalogue/uploads/document-urls.ts';
import { openReadyUploads } from '../catalogue/uploads/ready-uploads.ts';
import { PROJECT_CHANGE_LIMITS, PROJECT_CHECK_LIMITS } from '../domain/limits/project-changes.ts';
import { STILL_LIMITS } from '../domain/limits/stills.ts';
import { UPLOAD_RATE } from '../domain/uploads/limits.ts';
import { openApiKeyCache } from '../platform/access/api-key-cache.ts';
import { openAuthenticator } from '../platform/access/authenticator.ts';
import { openKeyUseRecorder } from '../platform/access/last-used.ts';
import { openProjects } from '../platform/access/projects.ts';
import { openRateLimits } from '../platform/access/rate-limits.ts';
import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import { openUploadBlobs } from '../platform/blob-store/azure-upload-blobs.ts';
import {
  BLOB_STORE,
  CORS,
  CREDITS,
  EVENT_LOG,
  FAILED_WORK,
  IDEMPOTENCY,
  PUBLIC_SERVER,
  RATE_LIMITS,
  READ_STORE,
  RENDERS,
  SCHEMA_REGISTRY,
  STILLS,
  STILLS_ADDRESS,
  UPLOADS,
  WAITING_RENDERS,
} from '../platform/configuration/parts.ts';
import { addFallbackRoutes } from '../platform/http-server/fallback-routes.ts';
import { runComponent } from '../platform/process/component.ts';
import { openRecords, openStore } from '../platform/process/open-clients.ts';
import { openKeyBlobs } from '../platform/seals/open-key-blobs.ts';
import { openAssetVersions } from '../read-models/catalogue/asset-versions.ts';
import { openCatalogue } from '../read-models/catalogue/catalogue.ts';
import { saveKeyUses } from '../read-models/catalogue/key-last-used.ts';
import { catalogueReadModel } from '../read-models/catalogue/management.ts';
import { openProjectDocuments } from '../read-models/catalogue/project-documents.ts';
import { behindText, isAnyBehind, logEnds, openCatchUp } from '../read-models/catch-up.ts';
import { openRateBuckets } from '../read-models/limits/rate-buckets.ts';
import { openRenders } from '../read-models/renders/renders.ts';
import { openStoredFiles } from '../read-models/stored-files/stored-files.ts';
import { openUploads } from '../read-models/uploads/uploads.ts';
import { openRequesting } from '../render-commands/requesting/open-requesting.ts';
import { openStillsService } from '../render-commands/stills/stills-service.ts';
import { addCommandRoutes } from './api.ts';

const parts = {
  public_server: PUBLIC_SERVER,
  event_log: EVENT_LOG,
  registry: SCHEMA_REGISTRY,
  read_store: READ_STORE,
  blob_store: BLOB_STORE,
  renders: RENDERS,
  idempotency: IDEMPOTENCY,
  rate_limits: RATE_LIMITS,
  failed_work: FAILED_WORK,
  waiting_renders: WAITING_RENDERS,
  credits: CREDITS,
  cors: CORS,
  stills: STILLS,
  stills_address: STILLS_ADDRESS,
  uploads: UPLOADS,
};

const APPENDS = ['RenderRequested', 'RenderFailed', 'ProjectCreated', 'ProjectVersionAdded', 'ProjectErased'] as const;

/** Shorter than the gateway's timeout for an answer, also for a request with two changes. */
const CHANGE_WAIT_MS = 10_000;

await runComponent('command-api', parts, async (context) => {
  const { configuration, logger, readiness, clock, openInterface } = context;
  const server = await openInterface(configuration.public_server);
  const blobs = openBlobStore(configuration.blob_store, readiness);
  const [records, store] = await Promise.all([
    openRecords(context, configuration, APPENDS),
    openStore(context, configuration.read_store),
  ]);

  const { db } = store;
  const catalogue = openCatalogue(db);
  const catchUp = openCatchUp(db, clock, logEnds(records.log));
  readiness.check('read_models', async () => behindText(await catchUp()));
  const use = openKeyUseRecorder(saveKeyUses(db), logger, clock);
  const buckets = openRateBuckets(db, 'command-api', randomUUID(), configuration.rate_limits);
  const authenticator = openAuthenticator(
    openApiKeyCache(catalogue, clock),
    openRateLimits(configuration.rate_limits, buckets, logger, clock),
    use,
    clock,
    isAnyBehind(catchUp),
  );
  const requesting = openRequesting({
    ...{ db, records, blobs, settings: configuration, logger, clock },
    key_blobs: openKeyBlobs(configuration.blob_store),
    idempotency_secret: configuration.idempotency.secret,
  });
  const { requestRender } = requesting;
  const cancelling = { renders: openRenders(db), records, clock };
  const still_buckets = openRateBuckets(db, 'stills', randomUUID(), STILL_LIMITS);
  const change_buckets = openRateBuckets(db, 'project-changes', randomUUID(), PROJECT_CHANGE_LIMITS);
  const check_buckets = openRateBuckets(db, 'project-checks', randomUUID(), PROJECT_CHECK_LIMITS);
  const upload_buckets = openRateBuckets(db, 'uploads', randomUUID(), UPLOAD_RATE);
  const uploading = {
    ...{ uploads: openUploads(db), blobs, upload_blobs: openUploadBlobs(configuration.blob_store) },
    stored_files: openStoredFiles(db),
    rate: openRateLimits(UPLOAD_RATE, upload_buckets, logger, clock),
    limits: configuration.uploads,
    ...{ secret: configuration.idempotency.secret, now: clock.now, clock },
  };
  const projects = {
    catalogue: { records, read_model: catalogueReadModel(db), clock, wait_timeout_ms: CHANGE_WAIT_MS },
    blobs,
    starters: readStarters(),
    findVersionWithAsset: openAssetVersions(db),
    findUploadsOf: (account_id: string) => openReadyUploads(uploading, account_id),
    fetchUrlsOf: (account_id: string) => openFetchUrls(uploading, account_id),
    filesOf: (account_id: string) => openAccountFiles(uploading, account_id),
    changes: openRateLimits(PROJECT_CHANGE_LIMITS, change_buckets, logger, clock),
    idempotency_secret: configuration.idempotency.secret,
    checks: openRateLimits(PROJECT_CHECK_LIMITS, check_buckets, logger, clock),
    stills: openRateLimits(STILL_LIMITS, still_buckets, logger, clock),
    stillsService: openStillsService({ ...configuration.stills, ...configuration.stills_address }, logger),
    ...{ projects: openProjects(catalogue), documents: openProjectDocuments(catalogue) },
  };
  addCommandRoutes(server, logger, authenticator, requestRender, cancelling, projects, uploading);
  addFallbackRoutes(server, configuration.cors.origins);

  return {
    stop: async () => {
      await requesting.stop();
      await use.stop();
      await records.log.close();
      await store.close();
    },
  };
});
