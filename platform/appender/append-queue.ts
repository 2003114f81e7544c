import type { Appended, AppendFault, BatchRequest } from '../event-log/event-log.ts';

type BatchedRecord = BatchRequest['records'][number];

export type WaitingAppend = {
  readonly records: readonly BatchedRecord[];
  readonly size_bytes: number;
  /** The append fails at this time (monotonic ms). */
  readonly deadline_ms: number;
  readonly appended: (places: readonly Appended[]) => void;
  readonly failed: (fault: AppendFault) => void;
};

export const MAX_WAITING_RECORDS = 10_000;
export const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/**
 * Maximum share of one partition in `MAX_WAITING_RECORDS` and `MAX_WAITING_BYTES`, so that a failing partition leaves
 * room for the others.
 */
export const MAX_PARTITION_SHARE = 1 / 4;
/** A batch is one partition's part of a send. The broker's limit (2 MiB) applies to batches, not to records. */
export const MAX_BATCH_BYTES = 512 * 1024;
export const MAX_RECORD_BYTES = 1024 * 1024;
export const MAX_SEND_BYTES = 8 * 1024 * 1024;
const OVERHEAD_BYTES = 64;

export const recordSizeBytes = ({ key, value, headers = {} }: BatchedRecord): number =>
  Object.entries(headers).reduce(
    (sum, [name, text]) => sum + Buffer.byteLength(name) + Buffer.byteLength(text) + 8,
    OVERHEAD_BYTES + Buffer.byteLength(key) + value.length,
  );

/** The number of appends, from the first, that fit in one batch; at least 1, even if that append is larger. */
export const countFittingAppends = (waiting: readonly Pick<WaitingAppend, 'size_bytes'>[]): number => {
  let size = 0;
  const first_too_many = waiting.findIndex(({ size_bytes }, index) => {
    size += size_bytes;
    return index > 0 && size > MAX_BATCH_BYTES;
  });
  return first_too_many < 0 ? waiting.length : first_too_many;
};

export const isPastDeadline = ({ deadline_ms }: Pick<WaitingAppend, 'deadline_ms'>, now: number): boolean =>
  deadline_ms <= now;

export class AppendQueue {
  #waiting: WaitingAppend[] = [];
  #records = 0;
  #size_bytes = 0;

  get is_empty(): boolean {
    return this.#waiting.length === 0;
  }

  hasRoomFor({ records, size_bytes }: WaitingAppend): boolean {
    return (
      this.#records + records.length <= MAX_WAITING_RECORDS * MAX_PARTITION_SHARE &&
      this.#size_bytes + size_bytes <= MAX_WAITING_BYTES * MAX_PARTITION_SHARE
    );
  }

  push(append: WaitingAppend): void {
    this.#waiting.push(append);
    this.#records += append.records.length;
    this.#size_bytes += append.size_bytes;
  }

  takeBatch(): readonly WaitingAppend[] {
    const count = countFittingAppends(this.#waiting);
    const appends = this.#waiting.slice(0, count);
    this.#keep(this.#waiting.slice(count));
    return appends;
  }

  putBack(appends: readonly WaitingAppend[]): void {
    this.#keep([...appends, ...this.#waiting]);
  }

  takeLate(now: number): readonly WaitingAppend[] {
    if (!this.#waiting.some((append) => isPastDeadline(append, now))) return [];
    const late = this.#waiting.filter((append) => isPastDeadline(append, now));
    this.#keep(this.#waiting.filter((append) => !isPastDeadline(append, now)));
    return late;
  }

  #keep(waiting: WaitingAppend[]): void {
    this.#waiting = waiting;
    this.#records = waiting.reduce((sum, { records }) => sum + records.length, 0);
    this.#size_bytes = waiting.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  }
}
