import { StopPartition, type SubscriptionOptions } from '../event-log/event-log.ts';
import { throttledWarn } from '../logging/throttled-warn.ts';
import { PartitionOwner, type SubscriptionControl } from './partition-owner.ts';
import type { PartitionTask, ProcessorOptions } from './partition-task.ts';

export type Processor<Task> = {
  readonly tasks: () => ReadonlyMap<number, Task>;
  readonly lag: () => Promise<number>;
  /** Ends all tasks. The process stays in the group until `stop`, so no other process has the partitions yet. */
  readonly end: () => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** A processor without its subscription. */
export type PartitionHandlers<Task> = Pick<SubscriptionOptions, 'position' | 'on_batch'> & {
  readonly release: (partitions: readonly number[]) => Promise<void>;
  readonly attach: (subscription: SubscriptionControl) => void;
} & Pick<Processor<Task>, 'tasks' | 'end'>;

export const partitionHandlers = <Event, Task extends PartitionTask<Event>>(
  options: Omit<ProcessorOptions<Event, Task>, 'concurrency'>,
): PartitionHandlers<Task> => {
  const logger = options.logger.child({ topic: options.topic });
  const warn = throttledWarn(logger);
  const owned = new Map<number, PartitionOwner<Event, Task>>();
  const ending = new AbortController();
  let attached: SubscriptionControl | null = null;

  const release = async (partitions: readonly number[]): Promise<void> => {
    await Promise.all(
      partitions.map(async (partition) => {
        const owner = owned.get(partition);
        owned.delete(partition);
        await owner?.release();
      }),
    );
  };

  const position = async (_topic: string, partition: number): Promise<number> => {
    const before = owned.get(partition);
    try {
      const kept = before === undefined ? null : await before.keptPosition();
      if (kept !== null) return kept;
      await release([partition]);
      if (ending.signal.aborted) return 0;
      const owner = new PartitionOwner(options, {
        ...{ partition, before: before?.state ?? null, steering: () => attached, logger, warn },
      });
      owned.set(partition, owner);
      return await owner.open();
    } catch (error) {
      const owner = owned.get(partition);
      // The partition was revoked in the meantime, so its position is not needed.
      if (owner === undefined) return 0;
      if (error instanceof StopPartition) owner.stop(error);
      throw error;
    }
  };

  return {
    position,
    // If the partition was revoked in the meantime, its next owner reads the batch again.
    on_batch: async (batch) => await owned.get(batch.partition)?.process(batch),
    release,
    attach: (subscription) => {
      attached = subscription;
    },
    tasks: () =>
      new Map(
        Array.from(owned).flatMap(([partition, { task }]) => (task === null ? [] : [[partition, task] as const])),
      ),
    end: async () => {
      ending.abort();
      await release([...owned.keys()]);
    },
  };
};

/** Processes the partitions that the group assigns, or all. Resolves after the join. */
export const startProcessor = async <Event, Task extends PartitionTask<Event>>(
  options: ProcessorOptions<Event, Task>,
): Promise<Processor<Task>> => {
  const { group, topic, concurrency = 1, reads_all = false } = options;
  const { log } = options.records;
  const handlers = partitionHandlers(options);
  const subscription = await (reads_all ? log.follow : log.subscribe)({
    group,
    topics: [topic],
    concurrency,
    on_subscription: handlers.attach,
    position: handlers.position,
    on_batch: handlers.on_batch,
    on_revoked: async (_topic, partitions) => await handlers.release(partitions),
  });
  return {
    tasks: handlers.tasks,
    lag: subscription.lag,
    end: handlers.end,
    stop: async () => {
      await handlers.end();
      await subscription.stop();
    },
  };
};
