import { startProcessor } from '../platform/processor/processor.ts';
import { stoppedPartitions } from '../platform/read-store/stopped-partitions.ts';
import type { ServingGeneration } from '../read-models/generations.ts';
import { FIRST_MODEL_VERSION } from '../read-models/generations.ts';
import type { Projection } from './checkpoint/projection.ts';
import { projectionTasks } from './checkpoint/projection-task.ts';
import { watchCheckpoints } from './checkpoint/watch-checkpoints.ts';
import type { FollowedReadModel } from './generations/follow-read-model.ts';
import type { Throttle } from './generations/throttle.ts';
import type { ProjectorDependencies } from './projector-dependencies.ts';

/**
 * Each generation has its own consumer group, so a process that does not know the generation gets none of its
 * partitions. Version 1 of the read models had no generations, so its group has no number.
 */
const groupOf = (projector: string, { generation, model_version }: ServingGeneration): string =>
  model_version === FIRST_MODEL_VERSION ? projector : `${projector}-g${generation}`;

export type FollowedProjection = FollowedReadModel & {
  readonly committed: () => ReadonlyMap<number, number>;
};

export const followProjection = async <Event, After>(
  projection: Projection<Event, After>,
  projector: string,
  served: ServingGeneration,
  concurrency: number,
  throttle: Throttle,
  deps: ProjectorDependencies,
): Promise<FollowedProjection> => {
  const { topic, accept } = projection;
  const metrics = deps.metricsOf(served.generation);
  const group = groupOf(projector, served);
  const processor = await startProcessor({
    ...deps,
    group,
    topic,
    concurrency,
    accept,
    unknown: 'stop',
    open: projectionTasks(projection, { ...deps, metrics }, group, throttle),
    on_stopped: (partition) => metrics.stopped(topic, partition),
    on_restarted: (partition) => metrics.restarted(topic, partition),
    stops: stoppedPartitions(deps.store.db, deps.clock.now),
  });
  const watching = watchCheckpoints(projection.checkpoints, processor.tasks, deps.logger, deps.clock);
  return {
    stop: async () => {
      await watching.stop();
      // The next owner publishes committed records that are not published yet.
      await processor.stop();
      metrics.ended(topic);
    },
    committed: () => new Map(Array.from(processor.tasks(), ([partition, task]) => [partition, task.committed()])),
  };
};
