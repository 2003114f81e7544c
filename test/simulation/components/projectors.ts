import { startProjectors } from '../../../projectors/projectors.ts';
import type { Program } from '../world/supervisor.ts';
import { type Cluster, contextOf } from './cluster.ts';

export const projectors =
  (cluster: Cluster): Program =>
  async (life) => {
    const { records, store, metrics, logger, clock } = contextOf(cluster, life);
    return await startProjectors({ records, store, registry: metrics, logger, clock });
  };
