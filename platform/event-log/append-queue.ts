import type { Appended, AppendFault, BatchRequest } from './event-log.ts';

type BatchedRecord = BatchRequest['records'][number];

/** Records that wait to be sent together. */
export type WaitingAppend = {
  readonly records: readonly BatchedRecord[];
  readonly size_bytes: number;
  /** Milliseconds of a monotonic clock, after which it is given up. */
  readonly deadline_ms: number;
  readonly appended: (places: readonly Appended[]) => void;
  readonly failed: (fault: AppendFault) => void;
};

export const MAX_WAITING_RECORDS = 10_000;
export const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** What one partition may have of both, so that one that is stuck leaves room for the others. */
export const MAX_SHARE = 1 / 4;
/** A batch is one partition's part of a send. The broker's limit (2 MiB) is for the batch, not for the record. */
export const MAX_BATCH_BYTES = 512 * 1024;
export const MAX_RECORD_BYTES = 1024 * 1024;
export const MAX_SEND_BYTES = 8 * 1024 * 1024;
/** Lengths, offsets and header counts around one record. */
const OVERHEAD_BYTES = 64;

export const sizeOf = ({ key, value, headers = {} }: BatchedRecord): number =>
  Object.entries(headers).reduce(
    (sum, [name, text]) => sum + Buffer.byteLength(name) + Buffer.byteLength(text) + 8,
    OVERHEAD_BYTES + Buffer.byteLength(key) + value.length,
  );

/** How many of a partition's appends, from the first, go in one batch: `MAX_BATCH_BYTES` of them, or one that is larger. */
export const batchLength = (waiting: readonly Pick<WaitingAppend, 'size_bytes'>[]): number => {
  let size = 0;
  const first_too_many = waiting.findIndex(({ size_bytes }, index) => {
    size += size_bytes;
    return index > 0 && size > MAX_BATCH_BYTES;
  });
  return first_too_many < 0 ? waiting.length : first_too_many;
};
