import type { Readiness } from '../process/readiness.ts';
import type { TopicPartition } from './topic-partition.ts';
import { topicPartitionKey } from './topic-partition.ts';

/** Reports partitions to readiness that have waited ten seconds for their position. */
export type LatePositions = {
  /** Has no effect if the partition waits already, for example if a rebalance keeps it. */
  readonly begin: (topicPartition: TopicPartition) => void;
  readonly end: (topicPartition: TopicPartition) => void;
};

export const LATE_POSITION_MS = 10_000;

/**
 * @param nameOf the name of a partition in readiness; `end` clears only the problem that this object reported under it
 */
export const latePositions = (readiness: Readiness, nameOf: (key: string) => string): LatePositions => {
  const waiting = new Map<string, { readonly timer: NodeJS.Timeout; is_reported: boolean }>();
  return {
    begin: (topicPartition) => {
      const key = topicPartitionKey(topicPartition);
      if (waiting.has(key)) return;
      const wait = {
        is_reported: false,
        timer: setTimeout(() => {
          wait.is_reported = true;
          readiness.set(nameOf(key), 'its position is not known yet');
        }, LATE_POSITION_MS),
      };
      waiting.set(key, wait);
    },
    end: (topicPartition) => {
      const key = topicPartitionKey(topicPartition);
      const wait = waiting.get(key);
      if (wait === undefined) return;
      waiting.delete(key);
      clearTimeout(wait.timer);
      if (wait.is_reported) readiness.set(nameOf(key), null);
    },
  };
};
