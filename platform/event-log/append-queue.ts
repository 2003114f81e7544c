import type { Appended, AppendFault, BatchRequest } from './event-log.ts';

type BatchedRecord = BatchRequest['records'][number];

/** Records that wait to be sent together. */
export type WaitingAppend = {
  readonly topic: string;
  /** If undefined, the key of the one record decides. */
  readonly partition: number | undefined;
  readonly records: readonly BatchedRecord[];
  readonly size_bytes: number;
  /** Milliseconds of a monotonic clock, after which it is given up. */
  readonly deadline_ms: number;
  readonly appended: (places: readonly Appended[]) => void;
  readonly failed: (fault: AppendFault) => void;
};

export const MAX_WAITING_RECORDS = 10_000;
export const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** A batch is one partition's part of a send. The broker's limit (2 MiB) is for the batch, not for the record. */
export const MAX_BATCH_BYTES = 512 * 1024;
export const MAX_RECORD_BYTES = 1024 * 1024;
const MAX_SEND_BYTES = 8 * 1024 * 1024;
/** Lengths, offsets and header counts around one record. */
const OVERHEAD_BYTES = 64;

export const sizeOf = ({ key, value, headers = {} }: BatchedRecord): number =>
  Object.entries(headers).reduce(
    (sum, [name, text]) => sum + Buffer.byteLength(name) + Buffer.byteLength(text) + 8,
    OVERHEAD_BYTES + Buffer.byteLength(key) + value.length,
  );

/** What goes in the next send, and what stays, both in the order they came. */
export type Cut<A> = { readonly taken: readonly A[]; readonly left: readonly A[] };

/**
 * Takes as much as one send may carry: of each partition at most `MAX_BATCH_BYTES` (or one record that is larger),
 * and once something of a partition has to stay, so does all that comes after it there.
 */
export const cut = <A extends { readonly partition_key: string; readonly size_bytes: number }>(
  waiting: readonly A[],
): Cut<A> => {
  const sizes = new Map<string, number>();
  const full = new Set<string>();
  const taken: A[] = [];
  const left: A[] = [];
  let total = 0;
  for (const one of waiting) {
    const size = sizes.get(one.partition_key) ?? 0;
    const fits = size === 0 || size + one.size_bytes <= MAX_BATCH_BYTES;
    if (full.has(one.partition_key) || !fits || total + one.size_bytes > MAX_SEND_BYTES) {
      full.add(one.partition_key);
      left.push(one);
    } else {
      sizes.set(one.partition_key, size + one.size_bytes);
      total += one.size_bytes;
      taken.push(one);
    }
  }
  return { taken, left };
};
