import type { Collection } from 'mongodb';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Clock } from '../../platform/process/clock.ts';
import type { CheckpointDocument } from '../../read-models/checkpoint.ts';
import { raiseTarget } from './checkpoint-store.ts';
import type { ProjectionTask } from './projection-task.ts';
import { StoreLost, watchStore } from './store-lost.ts';

type Watched = Pick<ProjectionTask<unknown>, 'committed' | 'reopen'>;

/**
 * Partitions whose checkpoint is missing, or lower than the offset that this process committed: the store was restored
 * from a backup or replaced. Even an empty partition has a checkpoint.
 */
export const rolledBackPartitions = (
  committedOffsets: ReadonlyMap<number, number>,
  found: readonly Pick<CheckpointDocument, '_id' | 'next' | 'closed'>[],
): readonly number[] => {
  const checkpoints = new Map(found.map((one) => [one._id, one]));
  return Array.from(committedOffsets).flatMap(([partition, committed]) => {
    const checkpoint = checkpoints.get(partition);
    if (checkpoint?.closed !== undefined) return [];
    return checkpoint === undefined || checkpoint.next < committed ? [partition] : [];
  });
};

/**
 * Checks every second that the store has all commits of this process. If it lost some, readers wait, and the partition
 * is opened again at the store's position. If it lost all checkpoints, the process ends.
 */
export const watchCheckpoints = (
  checkpoints: Collection<CheckpointDocument>,
  tasks: () => ReadonlyMap<number, Watched>,
  logger: Logger,
  clock: Clock,
): { readonly stop: () => Promise<void> } => {
  const watch = async (): Promise<void> => {
    const watched = tasks();
    // Read before the query, because the tasks commit during it.
    const committedOffsets = new Map(Array.from(watched, ([partition, task]) => [partition, task.committed()]));
    if (committedOffsets.size === 0) return;
    const found = await checkpoints.find({}).toArray();
    if (found.length === 0) throw new StoreLost(`${checkpoints.collectionName} is empty: the store was lost`);
    for (const partition of rolledBackPartitions(committedOffsets, found)) {
      const committed = committedOffsets.get(partition) ?? 0;
      logger.error({ partition, committed }, 'the store lost commits; folding their records again');
      await raiseTarget(checkpoints, partition, committed);
      watched.get(partition)?.reopen();
    }
  };

  return watchStore(watch, 'cannot check the checkpoints in the store', logger, clock);
};
