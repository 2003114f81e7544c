import { type BlobStore, isBlobStoreUnavailable } from '../../../platform/blob-store/blob-store.ts';
import type { Clock } from '../../../platform/process/clock.ts';
import { createReadiness } from '../../../platform/process/readiness.ts';
import { startProjectors } from '../../../projectors/projectors.ts';
import type { Program } from '../world/supervisor.ts';
import { type Cluster, contextOf } from './cluster.ts';
import { NO_SEALS } from './no-seals.ts';

const AGAIN_MS = 1_000;

/** Payload reads are repeated until they succeed, without an abort. */
const waiting = (blobs: BlobStore, clock: Clock): BlobStore => {
  const served = async <A>(read: () => Promise<A>): Promise<A> => {
    for (;;) {
      try {
        return await read();
      } catch (error) {
        if (!isBlobStoreUnavailable(error)) throw error;
      }
      await clock.sleep(AGAIN_MS);
    }
  };
  return {
    ...blobs,
    getPayload: (payload) => served(() => blobs.getPayload(payload)),
    getSaltedPayload: (payload) => served(() => blobs.getSaltedPayload(payload)),
  };
};

export const projectors =
  (cluster: Cluster): Program =>
  async (life) => {
    const { records, store, blobs, metrics, logger, clock } = contextOf(cluster, life);
    return await startProjectors({
      records,
      store,
      blobs: cluster.mutants.has('blob_waits') ? waiting(blobs, clock) : blobs,
      seals: NO_SEALS,
      registry: metrics,
      readiness: createReadiness(),
      logger,
      clock,
    });
  };
