import { openBlobStore } from '../../platform/blob-store/azure-blob-store.ts';
import { BLOB_STORE, ENGINE, EVENT_LOG, READ_STORE, SCHEMA_REGISTRY } from '../../platform/configuration/parts.ts';
import { consumerPositions } from '../../platform/consumer-position/consumer-positions.ts';
import { openEventLog } from '../../platform/event-log/kafka-event-log.ts';
import { mintUlid } from '../../platform/identity/mint-ulid.ts';
import { measuredGauge } from '../../platform/metrics/metrics.ts';
import { runComponent } from '../../platform/process/component.ts';
import { openReadStore } from '../../platform/read-store/mongodb-read-store.ts';
import { openRecordLog } from '../../platform/records/avro-record-log.ts';
import { createAssetCache } from '../files/asset-cache.ts';
import { openWorkFolder } from '../files/work-folder.ts';
import { appendUntilKnown } from '../log/append-until-known.ts';
import { author } from '../log/fact-meta.ts';
import { initializingCheck } from './initializing-check.ts';
import { preparationQueue } from './preparation-queue.ts';
import { prepare } from './prepare.ts';
import { startPreparer } from './preparer.ts';
import { findVersion } from './project-versions.ts';

const LIMITS = { at_once: 32, at_once_per_account: 4 };
const PREPARATION_MS = 120_000;
const MEDIA_CACHE_BYTES = 2 * 1024 ** 3;

const PARTS = {
  event_log: EVENT_LOG,
  registry: SCHEMA_REGISTRY,
  read_store: READ_STORE,
  blob_store: BLOB_STORE,
  engine: ENGINE,
};

await runComponent('preparer', PARTS, async ({ name, configuration, logger, metrics, readiness, crash }) => {
  const log = openEventLog({
    settings: configuration.event_log,
    client_id: name,
    logger,
    metrics,
    readiness,
    on_crash: crash,
  });
  const records = await openRecordLog({ log, settings: configuration.registry, logger, readiness });
  const store = await openReadStore({ settings: configuration.read_store, app_name: name, logger, readiness });
  const blobs = openBlobStore(configuration.blob_store, readiness);

  const folder = await openWorkFolder(configuration.engine.work_dir, 'preparer');
  const queue = preparationQueue(LIMITS);
  const parts = {
    versions: findVersion(store, logger),
    blobs,
    assets: createAssetCache(blobs, folder.media, MEDIA_CACHE_BYTES),
    folder,
    ffprobe_path: configuration.engine.ffprobe,
    limit_ms: PREPARATION_MS,
  };
  const preparer = await startPreparer({
    records,
    append: appendUntilKnown(records, logger),
    positions: consumerPositions(store.db, 'preparer'),
    queue,
    isInitializing: initializingCheck(store),
    prepare: (render, stop) => prepare(render, parts, stop),
    by: author('preparer', `prep_${mintUlid()}`),
    logger,
    crash,
  });
  measuredGauge(metrics, 'preparer_renders', 'Renders in preparation, and those that wait', ['state'], async () => [
    { labels: { state: 'running' }, value: queue.running() },
    { labels: { state: 'waiting' }, value: queue.waiting() },
  ]);
  return {
    stop: async () => {
      await preparer.stop();
      await folder.remove();
      await log.close();
      await store.close();
    },
  };
});
