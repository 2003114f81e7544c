import { gapLeaf, recordLeaf } from '../../proofs/records/record-leaf.ts';
import type { EventLog } from '../event-log/event-log.ts';
import type { NotarizedPartition } from './notarized-topics.ts';

const MAX_AT_ONCE = 4_096;

/** Offsets without a record have leaves too. Rejects if the log no longer has the records. */
export async function* partitionLeaves(
  log: Pick<EventLog, 'replay'>,
  { topic, partition }: NotarizedPartition,
  from: number,
  to: number,
): AsyncIterable<readonly Buffer[]> {
  let leaves: Buffer[] = [];
  let next = from;
  const fill = (end: number): void => {
    for (; next < end; next += 1) leaves.push(gapLeaf(next));
  };
  for await (const record of log.replay(topic, partition, from, to)) {
    fill(record.offset);
    leaves.push(recordLeaf(record));
    next = record.offset + 1;
    if (leaves.length >= MAX_AT_ONCE) {
      yield leaves;
      leaves = [];
    }
  }
  fill(to);
  if (leaves.length > 0) yield leaves;
}

export const allLeaves = async (
  log: Pick<EventLog, 'replay'>,
  place: NotarizedPartition,
  from: number,
  to: number,
): Promise<readonly Buffer[]> => {
  const all: Buffer[] = [];
  for await (const leaves of partitionLeaves(log, place, from, to)) all.push(...leaves);
  return all;
};
