import { type PartitionBounds, StopPartition } from '../event-log/event-log.ts';
import { kafkaFault } from '../event-log/kafka-faults.ts';
import type { Logger } from '../logging/logger.ts';
import { throttledWarn } from '../logging/throttled-warn.ts';
import { SYSTEM_CLOCK } from '../process/clock.ts';
import { retry } from '../process/retry.ts';
import type { TopicPartition } from './topic-partition.ts';

/** Omits partitions that have no leader now. */
export type ReadPartitionBounds = (topic: string) => Promise<readonly PartitionBounds[]>;

const PAUSE_MS = 1_000;

/**
 * The position, or the start of the log if the topic's retention has deleted that offset. Throws `StopPartition` if a
 * permanent topic has lost records. Waits for Kafka until `closing`.
 */
export const resolveStartOffset = async (
  topicPartition: TopicPartition,
  position: number,
  {
    bounds,
    isKeptForEver,
    logger,
    closing,
  }: {
    readonly bounds: ReadPartitionBounds;
    readonly isKeptForEver: (topic: string) => boolean;
    readonly logger: Logger;
    readonly closing: AbortSignal;
  },
): Promise<number> => {
  const warn = throttledWarn(logger);
  const boundOfPartition = async (): Promise<PartitionBounds> => {
    const { topic, partition } = topicPartition;
    const bound = (await bounds(topic)).find((one) => one.partition === partition);
    if (bound === undefined) throw new Error(`partition ${partition} of ${topic} has no leader`);
    return bound;
  };
  const bound = await retry(boundOfPartition, {
    clock: SYSTEM_CLOCK,
    signal: closing,
    policy: () => PAUSE_MS,
    onFailure: (error) =>
      warn({ ...topicPartition, reason: kafkaFault(error).message }, 'waiting for the bounds of a partition'),
  });
  if (position > bound.end) {
    throw new StopPartition(`the log ends at ${bound.end}, before the position ${position}: records were lost`);
  }
  if (position >= bound.start) return position;
  if (isKeptForEver(topicPartition.topic)) {
    throw new StopPartition(`the log begins at ${bound.start}, after the position ${position}: records were lost`);
  }
  logger.warn({ ...topicPartition, position, start: bound.start }, 'retention deleted records before they were read');
  return bound.start;
};
