import type { EventLog } from '../platform/event-log/event-log.ts';
import type { Topic } from '../platform/event-log/topics.ts';
import type { ServingGeneration } from '../read-models/generations.ts';
import { FIRST_MODEL_VERSION } from '../read-models/generations.ts';
import type { PartitionProcessor } from './checkpoint/partition-processor.ts';
import type { Following } from './generations/follow-read-model.ts';

/**
 * Each generation has a consumer group of its own, so that a process which does not know it keeps no partition of it.
 * Version 1 of the read models knew of no generations.
 */
export const groupOf = (projector: string, { generation, model_version }: ServingGeneration): string =>
  model_version === FIRST_MODEL_VERSION ? projector : `${projector}-g${generation}`;

/**
 * Joins the group, and hands its partitions to the follower.
 *
 * @param concurrency how many partitions are worked on at once
 */
export const followTopic = async (
  log: EventLog,
  group: string,
  topic: Topic,
  follower: PartitionProcessor,
  concurrency: number,
): Promise<Following> => {
  const subscription = await log.subscribe({
    group,
    topics: [topic],
    position: follower.position,
    on_batch: follower.onBatch,
    on_revoked: async (_topic, partitions) => await follower.release(partitions),
    concurrency,
  });
  return {
    stop: async () => {
      await follower.stop();
      await subscription.stop();
    },
  };
};
