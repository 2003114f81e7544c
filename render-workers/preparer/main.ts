import { isLeft } from 'fp-ts/lib/Either.js';
import { openBlobStore } from '../../platform/blob-store/azure-blob-store.ts';
import {
  BLOB_STORE,
  ENGINE,
  ENVIRONMENT,
  EVENT_LOG,
  FAILED_WORK,
  OUTBOUND,
  PREPARER,
  READ_STORE,
  SANDBOX,
  SCHEMA_REGISTRY,
} from '../../platform/configuration/parts.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { type Fetcher, openFetcher } from '../../platform/outbound/https-fetch.ts';
import { outboundRules } from '../../platform/outbound/outbound-rules.ts';
import { runComponent } from '../../platform/process/component.ts';
import { openRecords, openStore } from '../../platform/process/open-clients.ts';
import { consumerPositions } from '../../platform/read-store/consumer-positions.ts';
import { stoppedPartitions } from '../../platform/read-store/stopped-partitions.ts';
import { openComponentSandbox } from '../../platform/sandbox/component-sandbox.ts';
import { openKeyBlobs } from '../../platform/seals/open-key-blobs.ts';
import { createSealOpener } from '../../platform/seals/opener.ts';
import { type Catalogue, openCatalogue } from '../../read-models/catalogue/catalogue.ts';
import { logEnds, openCatchUp, rejectingWhileBehind } from '../../read-models/catch-up.ts';
import { servingRenders } from '../../read-models/renders/model.ts';
import { openRenderRequests } from '../../read-models/renders/render-requests.ts';
import { waitingRenders } from '../../read-models/renders/waiting-renders.ts';
import { openUploads } from '../../read-models/uploads/uploads.ts';
import { environmentProbes } from '../environment/probes.ts';
import { createAssetCache } from '../local-files/asset-cache.ts';
import { expireLocalCopies } from '../local-files/expiry.ts';
import { freeBytes } from '../local-files/free-space.ts';
import { openWorkFolder } from '../local-files/work-folder.ts';
import { appendUntilKnown } from '../log/append-until-known.ts';
import { createMetaFactory } from '../log/record-author.ts';
import { accountQueue } from '../queue/account-queue.ts';
import { openAccountSlots } from '../queue/account-slots.ts';
import { makeThumbnail } from '../thumbnailer/make-thumbnail.ts';
import { openThumbnailVersions } from '../thumbnailer/shown-version.ts';
import { startThumbnailer } from '../thumbnailer/thumbnailer.ts';
import { accountLimits } from './account-limits.ts';
import { accountWindows } from './account-windows.ts';
import { openDiskBudget } from './disk-budget.ts';
import { openEnvironmentGate } from './environment-gate.ts';
import { needsPreparationCheck } from './initializing-check.ts';
import { openMediaFetcher } from './media-fetcher.ts';
import { type PrepareDependencies, prepare } from './prepare.ts';
import { startPreparer } from './preparer.ts';
import { preparerMetrics } from './preparer-metrics.ts';
import { findVersion } from './project-versions.ts';
import { createRequestReader } from './request-reader.ts';

const LIMITS = { at_once: 32, at_once_per_account: 4, at_once_reserved: 8 };
/** Renders in memory. A partition may have far more unfinished jobs, so the renders never pause a partition. */
const WINDOWS = { most: 1_800, part: 8 };
/** Concurrent media inspections; each runs one or two programs on the account's files. */
const LOOKS = { at_once: 8, at_once_per_account: 2 };
/** Concurrent thumbnails. Few, because each takes seconds of CPU time, and no request waits for it. */
const THUMBNAILS = { at_once: 2, at_once_per_account: 1 };
const PREPARATION_MS = 120_000;
/** The part of `PREPARATION_MS` for downloads. */
const DOWNLOAD_MS = 90_000;
/** Cache of projects' files: a share of the preparer's disk space. The rest is for renders in preparation. */
const MAX_CACHED_BYTES = 2 * 1024 ** 3;
const CACHED_SHARE = 1 / 4;
const MIN_FREE_BYTES = 512 * 1024 ** 2;
/** Below this free space the disk probe still reports a full disk. */
const MIN_WRITABLE_BYTES = 64 * 1024 ** 2;

const PARTS = {
  event_log: EVENT_LOG,
  registry: SCHEMA_REGISTRY,
  read_store: READ_STORE,
  blob_store: BLOB_STORE,
  engine: ENGINE,
  sandbox: SANDBOX,
  outbound: OUTBOUND,
  preparer: PREPARER,
  environment: ENVIRONMENT,
  failed_work: FAILED_WORK,
};

const APPENDS = ['RenderPrepared', 'RenderFailed', 'ProjectThumbnailMade'] as const;

type PreparationClients = Pick<
  PrepareDependencies,
  'readRequest' | 'uploads' | 'blobs' | 'folder' | 'sandbox' | 'ffprobe_path' | 'logger' | 'clock'
> & {
  readonly catalogue: Catalogue;
  readonly outside: Fetcher;
  readonly disk_bytes: number;
};

/** Divides the disk space between the cache of projects' files and the renders in preparation. */
const preparationParts = ({ catalogue, outside, disk_bytes, ...clients }: PreparationClients) => {
  const { blobs, folder, logger, clock } = clients;
  const cached_bytes = Math.min(MAX_CACHED_BYTES, Math.floor(disk_bytes * CACHED_SHARE));
  return {
    ...clients,
    versions: findVersion(catalogue, logger, clock),
    assets: createAssetCache(blobs, folder.media, cached_bytes),
    fetcher: openMediaFetcher(outside, clock),
    disk: openDiskBudget({
      most_bytes: disk_bytes - cached_bytes,
      least_free_bytes: MIN_FREE_BYTES,
      freeBytes: () => freeBytes(folder.media),
      logger,
      clock,
    }),
    looks: openAccountSlots(LOOKS),
    limit_ms: PREPARATION_MS,
    download_ms: DOWNLOAD_MS,
  };
};

await runComponent('preparer', PARTS, async (context) => {
  const { configuration, logger, metrics, readiness, clock, crash } = context;
  const rules = outboundRules(configuration.outbound);
  if (isLeft(rules)) throw new Error(rules.left);
  const sandbox = await openComponentSandbox(configuration.sandbox, { logger, metrics, readiness });
  const [records, store] = await Promise.all([
    openRecords(context, configuration, APPENDS),
    openStore(context, configuration.read_store),
  ]);
  const catalogue = openCatalogue(store.db);
  const renders = servingRenders(store.db);
  const catchUp = openCatchUp(store.db, clock, logEnds(records.log));
  const requests = openRenderRequests(renders);
  const blobs = openBlobStore(configuration.blob_store, readiness);

  const folder = await openWorkFolder(configuration.engine.work_dir, 'preparer');
  const outside = openFetcher(rules.right);
  const slots = openAccountSlots(LIMITS);
  const windows = accountWindows(WINDOWS);
  const paused = new Set<string>();
  const by = createMetaFactory('preparer', `prep_${mintUlid()}`, clock);
  const append = appendUntilKnown(records, logger, clock);
  const { ffmpeg: ffmpeg_path, ffprobe: ffprobe_path } = configuration.engine;
  const { disk_bytes } = configuration.preparer;
  const seals = createSealOpener(openKeyBlobs(configuration.blob_store), clock);
  const readRequest = createRequestReader({ blobs, seals, requests });
  const clients = { readRequest, uploads: openUploads(store.db), blobs, folder, sandbox, ffprobe_path, logger, clock };
  const parts = preparationParts({ ...clients, catalogue, outside, disk_bytes });
  const expiry = expireLocalCopies(parts.assets.expire, logger, clock);
  const gate = openEnvironmentGate(
    environmentProbes({ folder, blobs, makeRoom: async () => undefined, least_free_bytes: MIN_WRITABLE_BYTES }),
    logger,
    clock,
  );
  const stops = stoppedPartitions(store.db, clock.now);
  const preparer = await startPreparer({
    records,
    append,
    stops,
    positions: consumerPositions(store.db, 'preparer'),
    slots,
    windows,
    gate,
    environment_timeout_ms: configuration.environment.timeout_s * 1_000,
    paused,
    // A read model that is behind would cause prepared renders to be prepared again.
    isInitializing: needsPreparationCheck(rejectingWhileBehind(catchUp, requests.statusOf), logger, clock),
    ...accountLimits(store, configuration.failed_work, logger, clock),
    waiting: waitingRenders(renders),
    prepare: (render, meter, stop) => prepare(render, parts, meter, stop),
    by,
    logger,
    clock,
    crash,
  });
  const thumbnails = accountQueue(THUMBNAILS);
  const thumbnailer = await startThumbnailer({
    records,
    append,
    stops,
    positions: consumerPositions(store.db, 'thumbnailer'),
    queue: thumbnails,
    // A read model that is behind the log may lack the latest thumbnail, which would be rendered again.
    shown: openThumbnailVersions(rejectingWhileBehind(catchUp, catalogue.thumbnailVersion), logger, clock),
    versionOf: parts.versions,
    make: (owner, version, document, stop) => makeThumbnail(owner, version, document, { ...parts, ffmpeg_path }, stop),
    by,
    logger,
    clock,
    crash,
  });
  preparerMetrics(metrics, { slots, thumbnails, paused, preparer, disk: parts.disk });
  return {
    stop: async () => {
      gate.stop();
      await expiry.stop();
      await Promise.all([preparer.stop(), thumbnailer.stop()]);
      await outside.close();
      await folder.remove();
      await records.log.close();
      await store.close();
    },
  };
});
