import { type BlobStore, isBlobStoreUnavailable } from '../../../platform/blob-store/blob-store.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import { createReadiness } from '../../../platform/process/readiness.ts';
import type { SealOpener } from '../../../platform/seals/opener.ts';
import { startProjectors } from '../../../projectors/projectors.ts';
import type { Program } from '../world/supervisor.ts';
import { type Cluster, contextOf } from './cluster.ts';

const AGAIN_MS = 1_000;

/** Repeats a read until it succeeds, without an abort. */
const served = async <A>(clock: Clock, read: () => Promise<A>): Promise<A> => {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!isBlobStoreUnavailable(error)) throw error;
    }
    await clock.sleep(AGAIN_MS);
  }
};

const waitingBlobs = (blobs: BlobStore, clock: Clock): BlobStore => ({
  ...blobs,
  getPayload: (payload) => served(clock, () => blobs.getPayload(payload)),
  getSaltedPayload: (payload) => served(clock, () => blobs.getSaltedPayload(payload)),
});

const waitingOpener = ({ open }: SealOpener, clock: Clock): SealOpener => ({
  open: (record) => served(clock, () => open(record)),
});

export const projectors =
  (cluster: Cluster): Program =>
  async (life) => {
    const { records, store, blobs, seals, metrics, logger, clock } = contextOf(cluster, life);
    return await startProjectors({
      records,
      store,
      blobs: cluster.mutants.has('blob_waits') ? waitingBlobs(blobs, clock) : blobs,
      seals: cluster.mutants.has('blob_waits') ? waitingOpener(seals, clock) : seals,
      registry: metrics,
      readiness: createReadiness(),
      logger,
      clock,
    });
  };
