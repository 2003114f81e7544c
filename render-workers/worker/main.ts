import { availableParallelism, hostname } from 'node:os';
import { openWarmPrograms, warmLimitsForSlots } from '../../engine/raster/warm-programs.ts';
import { openPartClaims } from '../../engine/render/part-claims.ts';
import { openBlobStore } from '../../platform/blob-store/azure-blob-store.ts';
import { openEvictableBlobs } from '../../platform/blob-store/azure-evictable-blobs.ts';
import {
  BLOB_STORE,
  ENGINE,
  EVENT_LOG,
  SANDBOX,
  SCHEMA_REGISTRY,
  SEGMENT_CACHE,
  WORKER,
} from '../../platform/configuration/parts.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { runComponent } from '../../platform/process/component.ts';
import { openRecords } from '../../platform/process/open-clients.ts';
import { workerStopDeadlineMs } from '../../platform/process/stop-deadlines.ts';
import { openComponentSandbox } from '../../platform/sandbox/component-sandbox.ts';
import { environmentProbes } from '../environment/probes.ts';
import { createAssetCache } from '../local-files/asset-cache.ts';
import { expireLocalCopies, MAX_LOCAL_AGE_MS } from '../local-files/expiry.ts';
import { openWorkFolder } from '../local-files/work-folder.ts';
import { appendUntilKnown } from '../log/append-until-known.ts';
import { createMetaFactory } from '../log/record-author.ts';
import { attemptDeadlines } from './attempt-deadlines.ts';
import { openSegmentCaches } from './segments/segment-caches.ts';
import { startWorker } from './worker.ts';
import { workerId } from './worker-id.ts';
import { workerMetrics } from './worker-metrics.ts';

const MEDIA_CACHE_BYTES = 2 * 1024 ** 3;
const SETTLE_MS = 3_000;

const PARTS = {
  event_log: EVENT_LOG,
  registry: SCHEMA_REGISTRY,
  blob_store: BLOB_STORE,
  engine: ENGINE,
  sandbox: SANDBOX,
  worker: WORKER,
  segment_cache: SEGMENT_CACHE,
};

const APPENDS = [
  'RenderProgressed',
  'RenderingFinished',
  'RenderCompleted',
  'RenderFailed',
  'AttemptLost',
  'WorkerBeat',
] as const;

await runComponent('worker', PARTS, async (context) => {
  const { configuration, logger, metrics, readiness, clock } = context;
  const { engine, worker, segment_cache } = configuration;
  const sandbox = await openComponentSandbox(configuration.sandbox, { logger, metrics, readiness });
  // A new id per start, so that this process ignores commands for an earlier one.
  const worker_id = workerId(worker.name ?? hostname(), mintUlid());
  const records = await openRecords(context, configuration, APPENDS);
  const blobs = openBlobStore(configuration.blob_store, readiness);

  const folder = await openWorkFolder(engine.work_dir, 'worker');
  const evictable = openEvictableBlobs(configuration.blob_store);
  const segments = await openSegmentCaches(
    evictable,
    folder.segments,
    { local_bytes: segment_cache.local_bytes, local_ms: MAX_LOCAL_AGE_MS },
    logger,
  );
  const assets = createAssetCache(blobs, folder.media, MEDIA_CACHE_BYTES);
  const expiry = expireLocalCopies(
    async (before) => {
      segments.expire();
      await assets.expire(before);
    },
    logger,
    clock,
  );
  const least_free_bytes = worker.free_bytes;
  const figures = workerMetrics(metrics, () => ({ running: running.running(), slots: worker.slots }));
  const warm = openWarmPrograms(await folder.render('programs'), sandbox, warmLimitsForSlots(worker.slots));
  const running = await startWorker({
    worker_id,
    records,
    append: appendUntilKnown(records, logger, clock),
    blobs,
    assets,
    segments,
    folder,
    ffmpeg_path: engine.ffmpeg,
    ffprobe_path: engine.ffprobe,
    sandbox,
    deadlines: attemptDeadlines(worker.transfer_s),
    least_free_bytes,
    probes: environmentProbes({ folder, blobs, makeRoom: segments.clear, least_free_bytes }),
    cores: Math.max(1, Math.floor(availableParallelism() / worker.slots)),
    claims: openPartClaims(),
    warm,
    rendered: figures.rendered,
    helped: figures.helped,
    by: createMetaFactory('worker', worker_id, clock),
    slots: worker.slots,
    drain_ms: worker.drain_s * 1_000,
    logger: logger.child({ worker_id }),
    clock,
  });
  return {
    stop_within_ms: workerStopDeadlineMs(worker.drain_s),
    stop: async () => {
      await running.stop();
      await warm.close();
      await expiry.stop();
      await segments.flush(SETTLE_MS);
      await folder.remove();
      await records.log.close();
    },
  };
});
