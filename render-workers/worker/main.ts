import { openBlobStore } from '../../platform/blob-store/azure-blob-store.ts';
import { BLOB_STORE, ENGINE, EVENT_LOG, SCHEMA_REGISTRY, WORKER } from '../../platform/configuration/parts.ts';
import { openEventLog } from '../../platform/event-log/kafka-event-log.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { measuredGauge } from '../../platform/metrics/metrics.ts';
import { runComponent } from '../../platform/process/component.ts';
import { openRecordLog } from '../../platform/records/avro-record-log.ts';
import { createAssetCache } from '../files/asset-cache.ts';
import { openWorkFolder } from '../files/work-folder.ts';
import { appendUntilKnown } from '../log/append-until-known.ts';
import { author } from '../log/fact-meta.ts';
import { startWorker } from './worker.ts';

const MEDIA_CACHE_BYTES = 2 * 1024 ** 3;
/** Beyond draining: killing the engine, last words, leaving the group. */
const STOP_MARGIN_MS = 15_000;

const PARTS = {
  event_log: EVENT_LOG,
  registry: SCHEMA_REGISTRY,
  blob_store: BLOB_STORE,
  engine: ENGINE,
  worker: WORKER,
};

await runComponent('worker', PARTS, async ({ name, configuration, logger, metrics, readiness, crash }) => {
  const { engine, worker } = configuration;
  // A fresh id at each start: nothing that was sent to the process before is taken for its own.
  const worker_id = `wkr_${mintUlid()}`;
  const log = openEventLog({
    settings: configuration.event_log,
    client_id: name,
    logger,
    metrics,
    readiness,
    on_crash: crash,
  });
  const records = await openRecordLog({ log, settings: configuration.registry, logger, readiness });
  const blobs = openBlobStore(configuration.blob_store, readiness);

  const folder = await openWorkFolder(engine.work_dir, 'worker');
  const drain_ms = worker.drain_s * 1_000;
  const running = await startWorker({
    worker_id,
    records,
    append: appendUntilKnown(records, logger),
    blobs,
    assets: createAssetCache(blobs, folder.media, MEDIA_CACHE_BYTES),
    folder,
    ffmpeg_path: engine.ffmpeg,
    ffprobe_path: engine.ffprobe,
    by: author('worker', worker_id),
    slots: worker.slots,
    drain_ms,
    logger: logger.child({ worker_id }),
  });
  measuredGauge(metrics, 'worker_attempts', 'Attempts under way, and slots', ['state'], async () => [
    { labels: { state: 'running' }, value: running.running() },
    { labels: { state: 'slots' }, value: worker.slots },
  ]);
  return {
    stop_within_ms: drain_ms + STOP_MARGIN_MS,
    stop: async () => {
      await running.stop();
      await folder.remove();
      await log.close();
    },
  };
});
