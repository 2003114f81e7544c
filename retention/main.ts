import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import { openEvictableBlobs } from '../platform/blob-store/azure-evictable-blobs.ts';
import { BLOB_STORE, EVENT_LOG, READ_STORE, RETENTION, SCHEMA_REGISTRY } from '../platform/configuration/parts.ts';
import { mintUlid } from '../platform/identity/mint-ulid.ts';
import { sparingWarnings } from '../platform/logging/sparing-warnings.ts';
import { runComponent } from '../platform/process/component.ts';
import { openRecords, openStore } from '../platform/process/open-clients.ts';
import { consumerPositions } from '../platform/read-store/consumer-positions.ts';
import { stoppedPartitions } from '../platform/read-store/stopped-partitions.ts';
import { openLeases } from '../read-models/leases/leases.ts';
import { erasureMetrics } from './erasure/erasure-metrics.ts';
import { followErasures } from './erasure/follow-erasures.ts';
import { erasurePositions } from './erasure/positions.ts';
import { startLeased } from './lease/lease.ts';
import { segmentSweep } from './segments/segment-sweep.ts';
import { runSweeps, type SweepsProgress } from './sweeps/run-sweeps.ts';
import { sweepMetrics } from './sweeps/sweep-metrics.ts';

const PARTS = {
  event_log: EVENT_LOG,
  registry: SCHEMA_REGISTRY,
  read_store: READ_STORE,
  blob_store: BLOB_STORE,
  retention: RETENTION,
};

await runComponent('retention', PARTS, async (context) => {
  const { name, configuration, logger, metrics, readiness, clock } = context;
  const store = await openStore(context, configuration.read_store);
  const records = await openRecords(context, configuration, []);
  const blobs = openBlobStore(configuration.blob_store, readiness);
  const evictable = openEvictableBlobs(configuration.blob_store);
  const erasures = await followErasures({
    ...{ records, blobs, evictable, logger, clock },
    positions: erasurePositions(consumerPositions(store.db, name), blobs),
    stops: stoppedPartitions(store.db, clock.now),
    on_erased: erasureMetrics(metrics, () => erasures.lag()),
  });
  const sweeps = [segmentSweep(evictable, configuration.retention, logger, clock)];
  const onPage = sweepMetrics(metrics, () => leased);
  const leased = startLeased<SweepsProgress>({
    leases: openLeases(store.db, name),
    holder: `ret_${mintUlid()}`,
    work: async (held) => {
      logger.info('this process sweeps');
      await runSweeps(sweeps, held, onPage, logger, clock);
    },
    mintVersion: mintUlid,
    clock,
    warn: sparingWarnings(logger),
  });
  return {
    stop: async () => {
      await leased.stop();
      await erasures.stop();
      await records.log.close();
      await store.close();
    },
  };
});
