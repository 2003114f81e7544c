import { StopPartition, type SubscriptionOptions } from '../event-log/event-log.ts';
import { SYSTEM_CLOCK } from '../process/clock.ts';
import { retry } from '../process/retry.ts';
import type { ConsumerEvent } from './partition-events.ts';
import { parseTopicPartitionKey } from './topic-partition.ts';

export type PositionSearch = {
  readonly position: SubscriptionOptions['position'];
  readonly startOf: (key: string, position: number, signal: AbortSignal) => Promise<number>;
  readonly signal: AbortSignal;
  readonly onFailure: (error: unknown) => void;
};

/**
 * Retries a failed call of `position` until it succeeds, the partition stops or the signal aborts. Rejects if the start
 * of the log cannot be determined.
 */
export const findPosition = async (
  { key, generation }: { readonly key: string; readonly generation: number },
  { position, startOf, signal, onFailure }: PositionSearch,
): Promise<ConsumerEvent> => {
  const { topic, partition } = parseTopicPartitionKey(key);
  try {
    const wanted = await retry(() => position(topic, partition), {
      ...{ clock: SYSTEM_CLOCK, signal, onFailure },
      isTransient: (error) => !(error instanceof StopPartition),
    });
    if (signal.aborted) return { tag: 'not_positioned', key, generation, reason: null };
    return { tag: 'positioned', key, generation, offset: await startOf(key, wanted, signal) };
  } catch (error) {
    if (error instanceof StopPartition) return { tag: 'not_positioned', key, generation, reason: error.message };
    if (signal.aborted) return { tag: 'not_positioned', key, generation, reason: null };
    throw error;
  }
};
