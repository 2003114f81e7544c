import { openBlobStore } from '../platform/blob-store/azure-blob-store.ts';
import { openEvictableBlobs } from '../platform/blob-store/azure-evictable-blobs.ts';
import { BLOB_STORE, EVENT_LOG, READ_STORE, RETENTION, SCHEMA_REGISTRY } from '../platform/configuration/parts.ts';
import { mintUlid } from '../platform/identity/mint-ulid.ts';
import { throttledWarn } from '../platform/logging/throttled-warn.ts';
import { runComponent } from '../platform/process/component.ts';
import { openRecords, openStore } from '../platform/process/open-clients.ts';
import { consumerPositions } from '../platform/read-store/consumer-positions.ts';
import { stoppedPartitions } from '../platform/read-store/stopped-partitions.ts';
import { openAccountRetentions } from '../read-models/catalogue/account-retentions.ts';
import { openDeliveryRetentions } from '../read-models/catalogue/delivery-retentions.ts';
import { openErasedEntities } from '../read-models/catalogue/erased-entities.ts';
import { catalogueReadModel } from '../read-models/catalogue/management.ts';
import { openProjectFiles } from '../read-models/catalogue/project-files.ts';
import { openUserEmails } from '../read-models/catalogue/user-emails.ts';
import { onceCaughtUp, openCatchUp } from '../read-models/catch-up.ts';
import { openAnsweredDeliveries } from '../read-models/deliveries/answered-deliveries.ts';
import { openLeases } from '../read-models/leases/leases.ts';
import { openLeftCatalogue } from '../read-models/left/left-catalogue.ts';
import { openLeftGenerations } from '../read-models/left/left-generations.ts';
import { openLeftRenders } from '../read-models/left/left-renders.ts';
import { openAccountRenders } from '../read-models/renders/account-renders.ts';
import { openCompletedCounts } from '../read-models/renders/completed-counts.ts';
import { erasableRenders } from '../read-models/renders/erasable-renders.ts';
import { openProjectRenders, openUnlistedRenders } from '../read-models/renders/project-renders.ts';
import { openRenderBlobs } from '../read-models/renders/render-blobs.ts';
import { heldDeletions, outputDeletions } from '../read-models/retention/output-deletions.ts';
import { openSessions } from '../read-models/sessions/sessions.ts';
import { appendErasure } from '../render-commands/erase-render.ts';
import { erasedAccountSweeps } from './accounts/erased-account-sweep.ts';
import { deliverySweep } from './deliveries/delivery-sweep.ts';
import { eraseFiles } from './erasure/erase-files.ts';
import { erasureMetrics } from './erasure/erasure-metrics.ts';
import { followErasures } from './erasure/follow-erasures.ts';
import { erasurePositions } from './erasure/positions.ts';
import { leftSweeps } from './generations/left-sweeps.ts';
import { startLeased } from './lease/lease.ts';
import { projectFileSweep } from './projects/file-sweep.ts';
import { projectSweeps } from './projects/project-sweep.ts';
import { watchAlarms } from './renders/alarm-metrics.ts';
import { openOutputLimits } from './renders/output-limits.ts';
import { type RenderSweepParts, renderSweep } from './renders/render-sweep.ts';
import { startShardSweeps } from './renders/shard-sweeps.ts';
import { renderShards } from './renders/shards.ts';
import { segmentSweep } from './segments/segment-sweep.ts';
import type { BlobKind, Removed } from './sweeps/progress.ts';
import { runSweeps, type SweepsProgress } from './sweeps/run-sweeps.ts';
import { sweepMetrics } from './sweeps/sweep-metrics.ts';
import { newestAppend } from './time/newest-append.ts';
import { watchClocks } from './time/time-metrics.ts';
import { trustedTime } from './time/trusted-time.ts';
import { erasedUserSweeps } from './users/erased-user-sweep.ts';
import { userSweep } from './users/user-sweep.ts';

/** Sweeps that complete erasures. */
const APPENDED = [
  ...(['RenderErased', 'ProjectErased', 'ApiKeyRevoked', 'InvitationRevoked', 'WebhookEndpointDeleted'] as const),
  ...(['MemberRemoved', 'AccountOwnerRemoved', 'IdentityUnlinked'] as const),
] as const;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

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
  const left_renders = openLeftRenders(store.db, openLeftGenerations(store.db, 'renders', clock.now));
  const erasures = await followErasures({
    ...{ records, blobs, evictable, logger, clock, left: left_renders },
    positions: erasurePositions(consumerPositions(store.db, name), blobs),
    stops: stoppedPartitions(store.db, clock.now),
    on_erased: erasureMetrics(metrics, () => erasures.lag()),
  });

  const time = trustedTime({ blobTime: evictable.now, logTime: () => newestAppend(log), clock });
  watchClocks(time, metrics, readiness);
  watchAlarms(() => heldDeletions(store.db, time.likely()), metrics, readiness);
  const leases = openLeases<SweepsProgress>(store.db, name);

  const catalogue = { records, read_model: catalogueReadModel(store.db), clock };
  const catchUp = openCatchUp(store.db, clock);
  const catalogueEnd = async () => (await log.bounds('catalogue-events'))[0]?.end ?? 0;
  const leftovers_ms = retention.leftovers_hours * HOUR_MS;
  const render_parts: RenderSweepParts = {
    blobs: evictable,
    readRenderBlobs: onceCaughtUp(catchUp, openRenderBlobs(store.db)),
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
      // By then no part is left, because parts are swept each hour.
      used_parts_ms: (retention.segment_days + 1) * DAY_MS,
    },
    eraseAgain: (render, signal) => eraseFiles({ blobs, evictable }, render, signal),
    warn,
  };
  // Hosts whose clock is ahead would start passes of others again and again, and would see no erasure of today.
  const sweep_clock = { ...clock, now: time.likely };
  const erasing = [
    projectSweeps({
      blobs: evictable,
      erasedProjects: openErasedEntities(store.db, 'project'),
      rendersOf: openProjectRenders(store.db),
      unlistedOf: openUnlistedRenders(store.db),
      appendErasure: (erasure) => appendErasure({ renders: erasableRenders(store.db), records, clock }, erasure),
      ...{ catchUp, clock: sweep_clock, warn },
    }),
    erasedAccountSweeps({
      ...{ blobs: evictable, catalogue: { ...catalogue, clock: sweep_clock }, catchUp, warn },
      erasedAccounts: openErasedEntities(store.db, 'account'),
      renders: openAccountRenders(store.db),
    }),
    erasedUserSweeps({
      ...{ blobs: evictable, catalogue: { ...catalogue, clock: sweep_clock }, warn },
      erasedUsers: openErasedEntities(store.db, 'user'),
      sessions: openSessions(store.db),
    }),
  ];
  const sweeps = [
    ...erasing.flatMap((one) => one.sweeps),
    segmentSweep(evictable, retention, logger, time),
    deliverySweep({
      retentions: openDeliveryRetentions(store.db),
      read_model: catalogue.read_model,
      deliveries: openAnsweredDeliveries(store.db),
      ...{ logger, time },
    }),
    projectFileSweep({
      ...{ blobs: evictable, catalogueEnd, leftovers_ms, time, warn },
      foldedFiles: onceCaughtUp(catchUp, openProjectFiles(store.db)),
    }),
    ...leftSweeps({
      renders: left_renders,
      catalogue: openLeftCatalogue(store.db, openLeftGenerations(store.db, 'catalogue', clock.now)),
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
      foldedEmails: onceCaughtUp(catchUp, openUserEmails(store.db)),
      leftovers_ms,
      time,
      warn,
    }),
  ];
  const onPage = sweepMetrics(
    metrics,
    () => leased,
    () => shards.endedAt(),
  );
  const sweep_parts = { onPage, logger, clock: sweep_clock };
  const holder = `ret_${mintUlid()}`;
  const shards = startShardSweeps({
    ...{ ...sweep_parts, shards: renderShards(), holder, mintVersion: mintUlid, warn },
    sweepOf: ({ prefixes }) => renderSweep(render_parts, prefixes),
    leasesOf: (shard) => openLeases<SweepsProgress>(store.db, `${name}/renders/${shard.name}`),
  });
  const leased = startLeased<SweepsProgress>({
    leases,
    holder,
    work: async (held) => {
      logger.info('this process sweeps');
      const onRemoved = (kind: BlobKind) => (removed: Removed) => onPage({ next: null, removed: { [kind]: removed } });
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
