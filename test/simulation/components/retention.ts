import { mintUlid } from '../../../platform/identity/mint-ulid.ts';
import { throttledWarn, type Warn } from '../../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import { type ConsumerPositions, consumerPositions } from '../../../platform/read-store/consumer-positions.ts';
import { stoppedPartitions } from '../../../platform/read-store/stopped-partitions.ts';
import { openAccountRetentions } from '../../../read-models/catalogue/account-retentions.ts';
import { openErasedEntities } from '../../../read-models/catalogue/erased-entities.ts';
import { catalogueReadModel } from '../../../read-models/catalogue/management.ts';
import { openProjectFiles } from '../../../read-models/catalogue/project-files.ts';
import { rejectingWhileBehind } from '../../../read-models/catch-up.ts';
import { openLeaseStore } from '../../../read-models/leases/leases.ts';
import { openInactiveCatalogueCleaner } from '../../../read-models/left/left-catalogue.ts';
import { openInactiveGenerations } from '../../../read-models/left/left-generations.ts';
import { type InactiveRenderCleaner, openInactiveRenderCleaner } from '../../../read-models/left/left-renders.ts';
import { openAccountRenders } from '../../../read-models/renders/account-renders.ts';
import { openCompletedCounts } from '../../../read-models/renders/completed-counts.ts';
import { erasableRenders } from '../../../read-models/renders/erasable-renders.ts';
import { openProjectRenders, openUnlistedRenders } from '../../../read-models/renders/project-renders.ts';
import { openRenderBlobs } from '../../../read-models/renders/render-blobs.ts';
import { ERASURES_CONSUMER } from '../../../read-models/retention/erasure-positions.ts';
import { outputDeletions } from '../../../read-models/retention/output-deletions.ts';
import { openSessions } from '../../../read-models/sessions/sessions.ts';
import { openStoredFiles } from '../../../read-models/stored-files/stored-files.ts';
import { openUploads } from '../../../read-models/uploads/uploads.ts';
import { appendErasure } from '../../../render-commands/erase-render.ts';
import { erasedAccountSweeps } from '../../../retention/accounts/erased-account-sweep.ts';
import { eraseFiles } from '../../../retention/erasure/erase-files.ts';
import { followErasures } from '../../../retention/erasure/follow-erasures.ts';
import { type ErasurePositions, erasurePositions } from '../../../retention/erasure/positions.ts';
import { inactiveGenerationSweeps } from '../../../retention/generations/left-sweeps.ts';
import { keyTreeSweep } from '../../../retention/keys/key-tree-sweep.ts';
import { openSealErasure, type SealErasure } from '../../../retention/keys/seal-erasure.ts';
import { sealSweeps } from '../../../retention/keys/seal-sweeps.ts';
import { startLeasedWork } from '../../../retention/lease/lease.ts';
import { projectFileSweep } from '../../../retention/projects/file-sweep.ts';
import { projectSweeps } from '../../../retention/projects/project-sweep.ts';
import { openOutputLimits } from '../../../retention/renders/output-limits.ts';
import { renderSweep } from '../../../retention/renders/render-sweep.ts';
import { startShardSweeps } from '../../../retention/renders/shard-sweeps.ts';
import type { ErasedSweeps } from '../../../retention/sweeps/erased-sweeps.ts';
import { runSweeps, type Sweep, type SweepsProgress } from '../../../retention/sweeps/run-sweeps.ts';
import { newestAppendTime } from '../../../retention/time/newest-append.ts';
import { trustedTime } from '../../../retention/time/trusted-time.ts';
import { erasedUserSweeps } from '../../../retention/users/erased-user-sweep.ts';
import { keyTreeAt, RENDERS_PATH } from '../../../schemas/blobs/paths.ts';
import { openSimulatedEvictableBlobs } from '../blobs.ts';
import type { Program } from '../world/supervisor.ts';
import { type Cluster, type Context, contextOf } from './cluster.ts';

/**
 * Hours and days of the service, scaled down. The age of leftovers is longer than 25 s, because a process can be frozen
 * that long between a payload and its event.
 */
export const AGES = { leftovers_ms: 45_000, sources_ms: 30_000, used_parts_ms: 60_000 } as const;
/** A day of the service, scaled down. */
const PASS_EVERY_MS = 15_000;
const NAME = 'retention';
const NO_LIMIT = { max_share_percent: 100, share_min_renders: 1_000 };
/** Shards for the ids of a small world. */
const SHARDS = [
  { name: 'keyed', prefixes: [`${RENDERS_PATH}rend_00`] },
  { name: 'timed', prefixes: [`${RENDERS_PATH}rend_01`] },
];

const often = (sweep: Sweep): Sweep => ({ ...sweep, every_ms: Math.min(sweep.every_ms, PASS_EVERY_MS) });

/** Positions without notes in the blob store, so that a restore of it is not noticed. */
const withoutNotes = (store: ConsumerPositions): ErasurePositions => ({
  load: (partition) => store.load('render-status', partition),
  save: async (partition, next) => {
    await store.save('render-status', partition, next);
    return true;
  },
  isCurrent: async () => true,
  repeatAll: async () => undefined,
});

const openSeals = ({ store, records, key_blobs, logger, clock }: Context, positions: ErasurePositions): SealErasure =>
  openSealErasure({
    ...{ db: store.db, key_blobs, logger, warn: throttledWarn(logger), clock, random: Math.random },
    repeatErasures: async () =>
      positions.repeatAll((await records.log.bounds('render-status')).map(({ partition }) => partition)),
    on_restored: () => undefined,
  });

const sweepsOfKeys = ({ mutants }: Cluster, { logger, clock }: Context, seals: SealErasure) => {
  const ignored_seals = { ...seals.ignored_seals, unpunctured: async () => [] };
  return [
    ...sealSweeps({ ...seals, clock, ...(mutants.has('ignored_seal_kept') ? { ignored_seals } : {}) }),
    keyTreeSweep({ ...seals, blobs: seals.key_blobs, logger }),
  ];
};

type Evictable = ReturnType<typeof openSimulatedEvictableBlobs>;

const withoutTrees = (evictable: Evictable): Evictable => ({
  ...evictable,
  list: async (...of) => {
    const page = await evictable.list(...of);
    return { ...page, found: page.found.filter(({ path }) => keyTreeAt(path) === null) };
  },
});

/** The sweeps that complete the erasures of projects, accounts and users. */
const erasureSweeps = (
  { mutants }: Cluster,
  { store: { db }, records, clock, catchUp }: Context,
  {
    evictable,
    seals,
    sweep_clock,
    warn,
  }: {
    readonly evictable: Evictable;
    readonly seals: SealErasure;
    readonly sweep_clock: Clock;
    readonly warn: Warn;
  },
): readonly ErasedSweeps[] => {
  const catalogue = { records, read_model: catalogueReadModel(db), clock: sweep_clock };
  return [
    projectSweeps({
      blobs: evictable,
      erasedProjects: openErasedEntities(db, 'project'),
      rendersOf: openProjectRenders(db),
      unlistedOf: openUnlistedRenders(db),
      stored_files: openStoredFiles(db),
      appendErasure: (erasure) => appendErasure({ renders: erasableRenders(db), records, clock }, erasure),
      ...{ catchUp, clock: sweep_clock, warn },
    }),
    erasedAccountSweeps({
      blobs: mutants.has('account_keys_kept') ? withoutTrees(evictable) : evictable,
      ...{ key_blobs: seals.key_blobs, known_trees: seals.known_trees, catalogue, catchUp, warn },
      erasedAccounts: openErasedEntities(db, 'account'),
      renders: openAccountRenders(db),
      uploads: openUploads(db),
      stored_files: openStoredFiles(db),
    }),
    erasedUserSweeps({
      ...{ blobs: evictable, catalogue, warn },
      erasedUsers: openErasedEntities(db, 'user'),
      sessions: openSessions(db),
    }),
  ];
};

const onePage = (evictable: Evictable): Evictable => ({
  ...evictable,
  list: async (...of) => ({ ...(await evictable.list(...of)), next: null }),
});

const sweepsOfLeft = ({ store: { db }, logger, clock }: Context, renders: InactiveRenderCleaner): readonly Sweep[] =>
  inactiveGenerationSweeps({
    ...{ renders, logger },
    catalogue: openInactiveCatalogueCleaner(db, openInactiveGenerations(db, 'catalogue', clock.now)),
    erased: {
      project: openErasedEntities(db, 'project'),
      user: openErasedEntities(db, 'user'),
      account: openErasedEntities(db, 'account'),
    },
  });

export const retention =
  (cluster: Cluster): Program =>
  async (life) => {
    const context = contextOf(cluster, life);
    const { records, store, blobs, key_blobs, logger, clock, catchUp } = context;
    const { mutants } = cluster;
    const { log } = records;
    const evictable = openSimulatedEvictableBlobs(cluster.world, cluster.blobs, life);
    const warn = throttledWarn(logger);
    const erased_once = mutants.has('erased_once');
    const left_renders = openInactiveRenderCleaner(store.db, openInactiveGenerations(store.db, 'renders', clock.now));
    const stored_positions = consumerPositions(store.db, ERASURES_CONSUMER);
    const positions = mutants.has('puncture_not_repeated')
      ? withoutNotes(stored_positions)
      : erasurePositions(stored_positions, key_blobs);
    const seals = openSeals(context, positions);
    const erasures = await followErasures({
      ...{ records, blobs, evictable: erased_once ? onePage(evictable) : evictable, logger, clock },
      left: left_renders,
      positions,
      punctureAll: mutants.has('puncture_forgotten') ? async () => undefined : seals.punctureAll,
      ignored_seals: seals.ignored_seals,
      stops: stoppedPartitions(store.db, clock.now),
      on_erased: () => undefined,
    });
    const trusted = trustedTime({ blobTime: evictable.now, logTime: () => newestAppendTime(log), clock });
    const time = mutants.has('one_clock_deletes') ? { ...trusted, now: async () => Number.MAX_SAFE_INTEGER } : trusted;
    const leases = openLeaseStore<SweepsProgress>(store.db, NAME);
    const holder = `ret_${mintUlid()}`;
    const sweep_clock = { ...clock, now: time.likely };
    const sweep_parts = { onPage: () => undefined, logger, clock: sweep_clock };
    const shards = startShardSweeps({
      ...{ ...sweep_parts, shards: SHARDS, holder, mintVersion: mintUlid, warn },
      sweepOf: ({ prefixes }) =>
        often(
          renderSweep(
            {
              blobs: evictable,
              readRenderBlobs: rejectingWhileBehind(catchUp, openRenderBlobs(store.db)),
              retentions: openAccountRetentions(store.db),
              outputLimits: openOutputLimits({
                deletions: outputDeletions(store.db),
                completed: openCompletedCounts(store.db),
                ...{ limit: NO_LIMIT, leftovers_ms: AGES.leftovers_ms, warn },
                unlimitedUntil: async () => (await leases.read())?.progress?.renders?.last?.ended_at ?? null,
              }),
              ...{ time, ages: AGES, warn },
              eraseAgain: async (render, signal) =>
                erased_once ? null : await eraseFiles({ blobs, evictable }, render, signal),
            },
            prefixes,
          ),
        ),
      leasesOf: (shard) => openLeaseStore<SweepsProgress>(store.db, `${NAME}/renders/${shard.name}`),
    });
    const erasing = erasureSweeps(cluster, context, { evictable, seals, sweep_clock, warn });
    const sweeps = [
      ...erasing.flatMap((one) => one.sweeps),
      ...sweepsOfLeft(context, left_renders),
      ...sweepsOfKeys(cluster, context, seals),
      projectFileSweep({
        blobs: evictable,
        catalogueEnd: async () => (await log.bounds('catalogue-events'))[0]?.end ?? 0,
        ...{ leftovers_ms: AGES.leftovers_ms, time, warn },
        foldedFiles: rejectingWhileBehind(catchUp, openProjectFiles(store.db)),
      }),
    ].map(often);
    const leased = startLeasedWork<SweepsProgress>({
      ...{ leases, holder, mintVersion: mintUlid, clock, warn },
      work: async (held) => {
        await Promise.all([
          runSweeps(sweeps, held, sweep_parts),
          ...erasing.map((one) => one.run(held, () => undefined)),
        ]);
      },
    });
    return {
      stop: async () => {
        await Promise.all([leased.stop(), shards.stop()]);
        await erasures.stop();
      },
    };
  };
