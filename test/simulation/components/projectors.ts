import { createReadiness } from '../../../platform/process/readiness.ts';
import { startProjectors } from '../../../projectors/projectors.ts';
import type { Program } from '../world/supervisor.ts';
import { type Cluster, contextOf } from './cluster.ts';

export const projectors =
  (cluster: Cluster): Program =>
  async (life) => {
    const { records, store, blobs, metrics, logger, clock } = contextOf(cluster, life);
    return await startProjectors({
      records,
      store,
      blobs,
      registry: metrics,
      readiness: createReadiness(),
      logger,
      clock,
    });
  };
