import type { LogRecord } from '../../platform/event-log/event-log.ts';
import type { RecordLog } from '../../platform/records/record-log.ts';
import type { OwnedPartition, Taken } from './owned-partition.ts';
import { causeIn, changeIn, statusRecord } from './status-records.ts';

export type TakeParts = {
  readonly records: RecordLog;
  /** A record that is passed by, and why. */
  readonly on_poison: (record: LogRecord, reason: string) => void;
};

/**
 * Puts the changes in records of `render-status` into the queue of their partition. Rejects with `StopPartition` at a
 * record that this version of the code cannot read; what stands before it is in the queue then.
 */
export const takeBatch = async (
  { records, on_poison }: TakeParts,
  held: OwnedPartition,
  batch: readonly LogRecord[],
): Promise<void> => {
  const changes: Taken[] = [];
  let { taken } = held;
  try {
    for (const record of batch) {
      if (record.offset < taken) continue;
      const status = await statusRecord(records, record, on_poison);
      taken = record.offset + 1;
      if (status === null || status.source_offset <= held.last_source_offset) continue;
      held.last_source_offset = status.source_offset;
      const change = changeIn(record, status);
      if (change !== null) changes.push({ change, cause: causeIn(status) });
    }
  } finally {
    // Together: the planner must not pass what is not in the queue yet.
    held.queue = [...held.queue, ...changes];
    held.taken = taken;
  }
};
