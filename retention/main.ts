import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import { openEvictableBlobs } from '../platform/blob-store/azure-evictable-blobs.ts';
import { openUploadBlobs } from '../platform/blob-store/azure-upload-blobs.ts';
import { BLOB_STORE, EVENT_LOG, READ_STORE, RETENTION, SCHEMA_REGISTRY } from '../platform/configuration/parts.ts';
import { mintUlid } from '../platform/identity/mint-ulid.ts';
import { throttledWarn } from '../platform/logging/throttled-warn.ts';
import { runComponent } from '../platform/process/component.ts';
import { openRecords, openStore } from '../platform/process/open-clients.ts';
import { consumerPositions } from '../platform/read-store/consumer-positions.ts';
import { stoppedPartitions } from '../platform/read-store/stopped-partitions.ts';
import { openKeyBlobs } from '../platform/seals/open-key-blobs.ts';
import { openCatchUp } from '../read-models/catch-up.ts';
import { openLeaseStore } from '../read-models/leases/leases.ts';
import { openInactiveGenerations } from '../read-models/left/left-generations.ts';
import { openInactiveRenderCleaner } from '../read-models/left/left-renders.ts';
import { ERASURES_CONSUMER } from '../read-models/retention/erasure-positions.ts';
import { heldDeletions } from '../read-models/retention/output-deletions.ts';
import { countRestoredTrees, erasureMetrics, watchUnpuncturedSeals } from './erasure/erasure-metrics.ts';
import { followErasures } from './erasure/follow-erasures.ts';
import { erasurePositions } from './erasure/positions.ts';
import { openSealErasure } from './keys/seal-erasure.ts';
import { startLeasedWork } from './lease/lease.ts';
import { watchAlarms } from './renders/alarm-metrics.ts';
import { renderSweep } from './renders/render-sweep.ts';
import { startShardSweeps } from './renders/shard-sweeps.ts';
import { renderShards } from './renders/shards.ts';
import { erasureSweeps, expirySweeps, type RetentionClients, renderSweepDependencies } from './sweeps/all-sweeps.ts';
import type { BlobKind, RemovedCounts } from './sweeps/progress.ts';
import { runSweeps, type SweepsProgress } from './sweeps/run-sweeps.ts';
import { sweepMetrics } from './sweeps/sweep-metrics.ts';
import { newestAppendTime } from './time/newest-append.ts';
import { watchClocks } from './time/time-metrics.ts';
import { trustedTime } from './time/trusted-time.ts';

/** The events that the sweeps of erasures append. */
const APPENDED = [
  ...(['RenderErased', 'ProjectErased', 'ApiKeyRevoked', 'InvitationRevoked', 'WebhookEndpointDeleted'] as const),
  ...(['MemberRemoved', 'AccountOwnerRemoved', 'IdentityUnlinked'] as const),
] as const;

const PARTS = {
  event_log: EVENT_LOG,
  registry: SCHEMA_REGISTRY,
  read_store: READ_STORE,
  blob_store: BLOB_STORE,
  retention: RETENTION,
};

await runComponent('retention', PARTS, async (context) => {
  const { name, configuration, logger, metrics, readiness, clock } = context;
  const { blob_store, retention } = configuration;
  const store = await openStore(context, configuration.read_store);
  const records = await openRecords(context, configuration, APPENDED);
  const { log } = records;
  const blobs = openBlobStore(blob_store, readiness);
  const evictable = openEvictableBlobs(blob_store);
  const warn = throttledWarn(logger);
  const left_renders = openInactiveRenderCleaner(store.db, openInactiveGenerations(store.db, 'renders', clock.now));
  const key_blobs = openKeyBlobs(blob_store);
  const positions = erasurePositions(consumerPositions(store.db, ERASURES_CONSUMER), key_blobs);
  const seals = openSealErasure({
    ...{ db: store.db, key_blobs, logger, warn, clock, random: Math.random },
    repeatErasures: async () =>
      positions.repeatAll((await log.bounds('render-status')).map(({ partition }) => partition)),
    on_restored: countRestoredTrees(metrics),
  });
  watchUnpuncturedSeals(metrics, seals.unpunctured);
  const erasures = await followErasures({
    ...{ records, blobs, evictable, logger, clock, left: left_renders, positions },
    ...{ punctureAll: seals.punctureAll, ignored_seals: seals.ignored_seals },
    stops: stoppedPartitions(store.db, clock.now),
    on_erased: erasureMetrics(metrics, () => erasures.lag()),
  });

  const time = trustedTime({ blobTime: evictable.now, logTime: () => newestAppendTime(log), clock });
  watchClocks(time, metrics, readiness);
  watchAlarms(() => heldDeletions(store.db, time.likely()), metrics, readiness);
  const leases = openLeaseStore<SweepsProgress>(store.db, name);

  const catchUp = openCatchUp(store.db, clock);
  // The sweeps use the trusted time. A host whose clock is ahead would start passes of others again and again, and
  // would see no erasure of today.
  const sweep_clock = { ...clock, now: time.likely };
  const parts: RetentionClients = {
    ...{ store, records, blobs, evictable, leases, catchUp, time, retention, left_renders, seals, logger, warn, clock },
    sweep_clock,
    upload_blobs: openUploadBlobs(blob_store),
  };
  const erasing = erasureSweeps(parts);
  const sweeps = [...erasing.flatMap((one) => one.sweeps), ...expirySweeps(parts)];
  const onPage = sweepMetrics(
    metrics,
    () => leased,
    () => shards.endedAt(),
  );
  const render_parts = renderSweepDependencies(parts);
  const sweep_parts = { onPage, logger, clock: sweep_clock };
  const holder = `ret_${mintUlid()}`;
  const shards = startShardSweeps({
    ...{ ...sweep_parts, shards: renderShards(), holder, mintVersion: mintUlid, warn },
    sweepOf: ({ prefixes }) => renderSweep(render_parts, prefixes),
    leasesOf: (shard) => openLeaseStore<SweepsProgress>(store.db, `${name}/renders/${shard.name}`),
  });
  const leased = startLeasedWork<SweepsProgress>({
    leases,
    holder,
    work: async (held) => {
      logger.info('this process sweeps');
      const onRemoved = (kind: BlobKind) => (removed: RemovedCounts) =>
        onPage({ next: null, removed: { [kind]: removed } });
      await Promise.all([
        runSweeps(sweeps, held, sweep_parts),
        ...erasing.map(({ run, kind }) => run(held, onRemoved(kind))),
      ]);
    },
    mintVersion: mintUlid,
    clock,
    warn,
  });
  return {
    stop: async () => {
      await Promise.all([leased.stop(), shards.stop()]);
      await erasures.stop();
      await log.close();
      await store.close();
    },
  };
});
