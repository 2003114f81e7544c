import { mintUlid } from '../../../platform/identity/mint-ulid.ts';
import { stoppedPartitions } from '../../../platform/read-store/stopped-partitions.ts';
import { requireCaughtUp } from '../../../read-models/catch-up.ts';
import { servingRenders } from '../../../read-models/renders/model.ts';
import { unfinishedRenders } from '../../../read-models/renders/unfinished-renders.ts';
import { startLeaderElection } from '../../../render-workers/dispatcher/leader-election.ts';
import { appendUntilKnown } from '../../../render-workers/log/append-until-known.ts';
import { createMetaFactory } from '../../../render-workers/log/record-author.ts';
import type { Program } from '../world/supervisor.ts';
import { type Cluster, contextOf } from './cluster.ts';

const ACCOUNT_CAP = 4;

export const dispatcher =
  (cluster: Cluster): Program =>
  async (life) => {
    const { records, store, logger, clock, catchUp } = contextOf(cluster, life);
    const dispatcher_id = `disp_${mintUlid()}`;
    return await startLeaderElection({
      dispatcher_id,
      records,
      stops: stoppedPartitions(store.db, clock.now),
      append: appendUntilKnown(records, logger, clock),
      renders: unfinishedRenders(servingRenders(store.db), clock),
      requireCaughtUp: () => requireCaughtUp(catchUp),
      by: createMetaFactory('dispatcher', dispatcher_id, clock),
      waited: () => undefined,
      limits: { account_cap: ACCOUNT_CAP, environment_timeout_ms: cluster.environment_timeout_ms },
      logger,
      clock,
    });
  };
