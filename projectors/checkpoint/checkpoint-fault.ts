import type { EventLog, LogRecord } from '../../platform/event-log/event-log.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { exponentialBackOff } from '../../platform/process/retry.ts';
import { type ChainPosition, nextChainHash } from './chain.ts';

/**
 * Checks that the checkpoint was written from this log.
 *
 * @param last record `checkpoint.next - 1`; null if the log does not have it
 * @param bounds first and next offset of the partition
 */
export const checkpointChainFault = (
  checkpoint: ChainPosition,
  bounds: { readonly start: number; readonly end: number },
  last: LogRecord | null,
): string | null => {
  const { next, chain, chain_before } = checkpoint;
  if (bounds.end < next) return `the log ends at ${bounds.end}, before the checkpoint at ${next}`;
  if (next === 0) return null;
  if (last === null) return `the log no longer has record ${next - 1}`;
  if (nextChainHash(chain_before, last) !== chain) return `record ${next - 1} differs from the folded one`;
  return null;
};

export const partitionBounds = async (
  log: EventLog,
  topic: string,
  partition: number,
): Promise<{ readonly start: number; readonly end: number }> => {
  const found = (await log.reachableBounds(topic)).find((bounds) => bounds.partition === partition);
  if (found === undefined) throw new Error(`partition ${partition} of ${topic} has no leader`);
  return found;
};

const MAX_TRIES = 5;

export const lastFoldedRecord = async (
  log: EventLog,
  topic: string,
  partition: number,
  next: number,
  clock: Clock,
): Promise<LogRecord | null> => {
  if (next === 0) return null;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const [record] = await log.read([{ topic, partition, offset: next - 1 }]);
    if (record != null) return record;
    await clock.sleep(exponentialBackOff(tries));
  }
  return null;
};
