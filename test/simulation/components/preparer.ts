import * as E from 'fp-ts/lib/Either.js';
import { mintUlid } from '../../../platform/identity/mint-ulid.ts';
import { consumerPositions } from '../../../platform/read-store/consumer-positions.ts';
import { stoppedPartitions } from '../../../platform/read-store/stopped-partitions.ts';
import type { RecordLog } from '../../../platform/records/record-log.ts';
import { openCatalogue } from '../../../read-models/catalogue/catalogue.ts';
import { rejectingWhileBehind } from '../../../read-models/catch-up.ts';
import { servingRenders } from '../../../read-models/renders/model.ts';
import { openRenderRequests } from '../../../read-models/renders/render-requests.ts';
import { waitingRenders } from '../../../read-models/renders/waiting-renders.ts';
import { environmentProbes } from '../../../render-workers/environment/probes.ts';
import { appendUntilKnown } from '../../../render-workers/log/append-until-known.ts';
import { createMetaFactory } from '../../../render-workers/log/record-author.ts';
import { accountLimits } from '../../../render-workers/preparer/account-limits.ts';
import { accountWindows } from '../../../render-workers/preparer/account-windows.ts';
import { openDiskBudget } from '../../../render-workers/preparer/disk-budget.ts';
import { openEnvironmentGate } from '../../../render-workers/preparer/environment-gate.ts';
import { needsPreparationCheck } from '../../../render-workers/preparer/initializing-check.ts';
import { type PrepareDependencies, prepare } from '../../../render-workers/preparer/prepare.ts';
import { startPreparer } from '../../../render-workers/preparer/preparer.ts';
import { findVersion } from '../../../render-workers/preparer/project-versions.ts';
import { createRequestReader } from '../../../render-workers/preparer/request-reader.ts';
import { openAccountSlots } from '../../../render-workers/queue/account-slots.ts';
import { mkdtemp } from '../machine/disk.ts';
import { folderOf, UNCONFINED } from '../machine/machines.ts';
import type { Life } from '../world/life.ts';
import type { Program } from '../world/supervisor.ts';
import { type Cluster, contextOf } from './cluster.ts';

/** So few slots that one account can delay another in a small world. */
export const PREPARATION_SLOTS = { at_once: 4, at_once_per_account: 2, at_once_reserved: 1 };
const WINDOWS = { most: 12, part: 2 };
const NO_WINDOWS = { most: Number.MAX_SAFE_INTEGER, part: 1 };
const LOOK_MS = 250;
const FREE_BYTES = 2 ** 40;

/** A partition with too much unfinished work pauses, as before the introduction of windows. */
const pausing = (records: RecordLog, isFull: () => boolean, { clock }: Life): RecordLog => ({
  ...records,
  log: {
    ...records.log,
    subscribe: (options) =>
      records.log.subscribe({
        ...options,
        on_batch: async (batch) => {
          while (isFull()) await clock.sleep(LOOK_MS);
          await options.on_batch(batch);
        },
      }),
  },
});

/** @param runs is called with each preparation that starts, and returns a function to call at its end */
export const preparer =
  (cluster: Cluster, machine: string, runs: (render_id: string, account_id: string) => () => void): Program =>
  async (life) => {
    const { records, store, logger, clock, catchUp, blobs, seals, crash } = contextOf(cluster, life);
    const { mutants, environment_timeout_ms } = cluster;
    const renders = servingRenders(store.db);
    const requests = openRenderRequests(renders);
    const work_dir = folderOf(machine);
    const folder = {
      ...{ media: `${work_dir}/media`, segments: `${work_dir}/segments`, remove: async () => undefined },
      render: (name: string) => mkdtemp(`${work_dir}/${name}-`),
    };
    const notFetched: PrepareDependencies['fetcher']['fetch'] = async () => E.right([]);
    const parts: PrepareDependencies = {
      versions: findVersion(openCatalogue(store.db), logger, clock),
      readRequest: createRequestReader({ blobs, seals, requests }),
      blobs,
      assets: { provide: async () => new Map(), sizeOf: async () => 0 },
      fetcher: { fetch: notFetched },
      uploads: { find: async () => null },
      folder,
      disk: openDiskBudget({
        ...{ most_bytes: FREE_BYTES, least_free_bytes: 1, freeBytes: async () => FREE_BYTES, logger, clock },
      }),
      ffprobe_path: 'ffprobe',
      sandbox: UNCONFINED,
      looks: openAccountSlots(PREPARATION_SLOTS),
      limit_ms: 120_000,
      download_ms: 90_000,
      logger,
      clock,
    };
    const probes = environmentProbes({ folder, blobs, makeRoom: async () => undefined, least_free_bytes: 1 });
    const gate = openEnvironmentGate(probes, logger, clock);
    const windows = accountWindows(mutants.has('no_windows') ? NO_WINDOWS : WINDOWS);
    const preparing = await startPreparer({
      records: mutants.has('no_windows') ? pausing(records, () => windows.held() >= WINDOWS.most, life) : records,
      append: appendUntilKnown(records, logger, clock),
      stops: stoppedPartitions(store.db, clock.now),
      positions: consumerPositions(store.db, 'preparer'),
      slots: openAccountSlots(PREPARATION_SLOTS),
      windows,
      gate: mutants.has('preparation_fails') ? { ...gate, isOpen: () => true } : gate,
      environment_timeout_ms,
      paused: new Set(),
      isInitializing: needsPreparationCheck(rejectingWhileBehind(catchUp, requests.statusOf), logger, clock),
      ...accountLimits(store, { cpu_s_per_hour: 3_600, bytes_per_hour: FREE_BYTES }, logger, clock),
      waiting: waitingRenders(renders),
      prepare: async (render, meter, stop) => {
        const ended = runs(render.id, render.account_id);
        life.onEnd(ended);
        try {
          const outcome = await prepare(render, parts, meter, stop);
          if (E.isRight(outcome) || !mutants.has('preparation_fails')) return outcome;
          const { waits_for: _, ...fault } = outcome.left;
          return E.left(fault);
        } finally {
          ended();
        }
      },
      by: createMetaFactory('preparer', `prep_${mintUlid()}`, clock),
      logger,
      clock,
      crash,
    });
    return {
      stop: async () => {
        gate.stop();
        await preparing.stop();
      },
    };
  };
