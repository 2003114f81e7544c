import { isEnvironmentLoss } from '../../../domain/dispatch/loss-reasons.ts';
import type { ProgramLease } from '../../../engine/raster/warm-programs.ts';
import { openPartClaims } from '../../../engine/render/part-claims.ts';
import type { EvictableBlobs } from '../../../platform/blob-store/evictable-blobs.ts';
import { mintUlid } from '../../../platform/identity/mint-ulid.ts';
import { environmentProbes } from '../../../render-workers/environment/probes.ts';
import { appendUntilKnown } from '../../../render-workers/log/append-until-known.ts';
import { createMetaFactory } from '../../../render-workers/log/record-author.ts';
import { attemptDeadlines } from '../../../render-workers/worker/attempt-deadlines.ts';
import { openSegmentCaches } from '../../../render-workers/worker/segments/segment-caches.ts';
import { startWorker } from '../../../render-workers/worker/worker.ts';
import { workerId } from '../../../render-workers/worker/worker-id.ts';
import type { AnyRecord } from '../../../schemas/any-record.ts';
import { openSimulatedEvictableBlobs } from '../blobs.ts';
import { mkdtemp, removeLeftovers } from '../machine/disk.ts';
import { openRasterProcess } from '../machine/engine.ts';
import { folderOf, type Machine, UNCONFINED } from '../machine/machines.ts';
import type { Program } from '../world/supervisor.ts';
import { type Cluster, contextOf, type Disorder } from './cluster.ts';

const SLOTS = 2;
const MIN_FREE_BYTES = 1;
const DRAIN_MS = 5_000;
const TRANSFER_S = 60;
const SETTLE_MS = 5_000;
/** A small disk with a short retention. */
const CACHE = { local_bytes: 800, local_ms: 20_000 };
const NO_PROGRAM: ProgramLease = {
  files: '/nowhere',
  frames: { folder: '/nowhere', file: () => null, reserve: () => false, keep: async () => undefined },
  rasters: { find: () => undefined, keep: async () => undefined },
  open: () => openRasterProcess() as ReturnType<ProgramLease['open']>,
  release: async () => undefined,
};
/** Version 99 of a composition, which this engine cannot read. */
const UNREADABLE = Buffer.from('{"engine":99}');

/** Rewrites losses by the environment as an older worker records them. */
const asBefore = (record: AnyRecord): AnyRecord => {
  if (record.type === 'AttemptLost' && isEnvironmentLoss(record.reason)) return { ...record, reason: 'surroundings' };
  if (record.type === 'WorkerBeat') return { ...record, impediments: [], slots: record.draining ? 0 : SLOTS };
  return record;
};

const disorderOf = ({ engine_old }: Machine, counts: boolean): Disorder => ({
  says: (record) => {
    const told = record.type === 'WorkerBeat' && engine_old ? { ...record, engines: [0] } : record;
    return counts ? asBefore(told) : told;
  },
  reads: (path, bytes) => (engine_old && path.includes('/composition') ? UNREADABLE : bytes),
});

export const worker =
  (cluster: Cluster, machine: Machine): Program =>
  async (life) => {
    const counts = cluster.mutants.has('environment_counts');
    const disorder = disorderOf(machine, counts);
    const { records, blobs, logger, clock } = contextOf(cluster, life, disorder);
    // The mutant restores older behaviour: the id of a worker does not name the machine, and each loss counts.
    const worker_id = counts ? `work_${mintUlid()}` : workerId(machine.name, mintUlid());
    const work_dir = folderOf(machine.name);
    const folder = {
      ...{ media: `${work_dir}/media`, segments: `${work_dir}/segments`, remove: async () => undefined },
      render: (name: string) => mkdtemp(`${work_dir}/${name}-`),
    };
    removeLeftovers(machine.name);
    const evictable = openSimulatedEvictableBlobs(
      cluster.world,
      cluster.blobs,
      life,
      !cluster.mutants.has('parts_unhashed'),
    );
    const segments = await openSegmentCaches(evictable as EvictableBlobs, folder.segments, CACHE, logger);
    const running = await startWorker({
      worker_id,
      records,
      append: appendUntilKnown(records, logger, clock),
      blobs,
      assets: { provide: async () => new Map(), sizeOf: async () => 0 },
      segments,
      helped: () => undefined,
      claims: openPartClaims(),
      warm: { lease: async () => NO_PROGRAM },
      folder,
      ...{ ffmpeg_path: 'ffmpeg', ffprobe_path: 'ffprobe', sandbox: UNCONFINED, cores: 1, rendered: () => undefined },
      deadlines: attemptDeadlines(TRANSFER_S),
      least_free_bytes: MIN_FREE_BYTES,
      probes: environmentProbes({ folder, blobs, makeRoom: segments.clear, least_free_bytes: MIN_FREE_BYTES }),
      by: createMetaFactory('worker', worker_id, clock),
      slots: SLOTS,
      drain_ms: DRAIN_MS,
      logger,
      clock,
    });
    return {
      stop: async () => {
        await running.stop();
        await segments.flush(SETTLE_MS);
      },
    };
  };
