import * as E from 'fp-ts/lib/Either.js';
import type { Heartbeat } from '../../domain/dispatch/heartbeats.ts';
import type { PartitionTask } from '../../platform/processor/partition-task.ts';
import { startProcessor } from '../../platform/processor/processor.ts';
import { endOffsets } from '../log/topic-follower.ts';
import { type ActiveDispatch, startDispatch } from './active-dispatch.ts';
import type { DispatchDependencies } from './dispatch-dependencies.ts';

const TOPIC = 'worker-heartbeats';

export type LeaderElection = {
  readonly active: () => ActiveDispatch | null;
  readonly stop: () => Promise<void>;
};

/** The owner of the only partition of `worker-heartbeats` is the leader; the consumer group elects it. */
export const startLeaderElection = async (deps: DispatchDependencies): Promise<LeaderElection> => {
  const { records, logger, clock } = deps;
  let active: ActiveDispatch | null = null;
  let stopping: Promise<void> = Promise.resolve();

  const resign = (dispatch: ActiveDispatch): void => {
    if (active === dispatch) active = null;
    logger.info('no longer the active dispatcher');
    // `stop` ends the dispatch at once. Its promise resolves when the batches in progress have ended.
    stopping = dispatch
      .stop()
      .catch((error: unknown) => logger.warn({ error }, 'could not stop reading the statuses of renders'));
  };

  const processor = await startProcessor<Heartbeat, PartitionTask<Heartbeat>>({
    ...{ records, logger, clock, group: 'dispatcher', topic: TOPIC },
    accept: (record) =>
      record.type === 'WorkerBeat' || record.type === 'DispatcherBeat' ? E.right(record) : E.left('no heartbeat'),
    unknown: 'skip',
    open: async ({ partition, signal }) => {
      // Start at the end, because old heartbeats do not describe the present.
      const start = (await endOffsets(records, TOPIC)).get(partition) ?? 0;
      signal.throwIfAborted();
      const dispatch = startDispatch(deps);
      active = dispatch;
      signal.addEventListener('abort', () => resign(dispatch), { once: true });
      return {
        start,
        process: async (entries) =>
          dispatch.onHeartbeats(entries.flatMap((entry) => (entry.tag === 'event' ? entry.event : []))),
      };
    },
  });
  return {
    active: () => active,
    stop: async () => {
      await processor.stop();
      await stopping;
    },
  };
};
