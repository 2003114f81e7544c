import type { Readiness } from '../process/readiness.ts';
import { keyOf } from './assignment.ts';
import type { TopicPartition } from './starting-point.ts';

/** Says in readiness which partitions wait for their position, from ten seconds on. */
export type LatePositions = {
  /** Nothing happens if the partition waits already, as through a rebalance that keeps it. */
  readonly begin: (topicPartition: TopicPartition) => void;
  readonly end: (topicPartition: TopicPartition) => void;
};

export const LATE_POSITION_MS = 10_000;

/** @param nameOf what readiness calls a partition; whatever else was said of it is kept */
export const latePositions = (readiness: Readiness, nameOf: (key: string) => string): LatePositions => {
  const waiting = new Map<string, { readonly timer: NodeJS.Timeout; is_told: boolean }>();
  return {
    begin: (topicPartition) => {
      const key = keyOf(topicPartition);
      if (waiting.has(key)) return;
      const its = {
        is_told: false,
        timer: setTimeout(() => {
          its.is_told = true;
          readiness.set(nameOf(key), 'its position is not known yet');
        }, LATE_POSITION_MS),
      };
      waiting.set(key, its);
    },
    end: (topicPartition) => {
      const key = keyOf(topicPartition);
      const its = waiting.get(key);
      if (its === undefined) return;
      waiting.delete(key);
      clearTimeout(its.timer);
      if (its.is_told) readiness.set(nameOf(key), null);
    },
  };
};
