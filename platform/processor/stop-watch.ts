import { type LogRecord, StopPartition } from '../event-log/event-log.ts';
import { messageOf } from '../logging/message-of.ts';
import { rejectOnAbort } from '../process/abortable.ts';
import type { Clock } from '../process/clock.ts';
import type { StoppedPartition, StoppedPartitions } from '../read-store/stopped-partitions.ts';
import type { RecordLog } from '../records/record-log.ts';

/** This code cannot decode the record: its schema is missing now, or newer code wrote it. */
export class UnreadableRecord extends StopPartition {
  readonly record: LogRecord;
  constructor(record: LogRecord, message: string, by_newer_code: boolean) {
    super(message, by_newer_code);
    this.record = record;
  }
}

export type StopWatchOptions = {
  readonly records: RecordLog;
  readonly stops: StoppedPartitions | undefined;
  readonly clock: Clock;
  readonly warn: (fields: Record<string, unknown>, message: string) => void;
  /** Whether the partition is being opened. No retry can begin then. */
  readonly isOpening: () => boolean;
  /** Called at most once, when the watch has ended. */
  readonly onRetry: () => void;
};

/** Interval of reports about a stopped partition, and of checks for a requested retry. */
const TICK_MS = 2_000;
/** The record is decoded again after 1, 2, 4, 8 ticks, then after each `MAX_TICKS`. */
const MAX_TICKS = 15;

/**
 * Watches a stopped partition, because its cause can end: an operator restores a schema or repairs the log. The
 * returned function ends the watch and withdraws the report.
 */
export const watchStoppedPartition = (
  stop: StopPartition,
  at: Pick<StoppedPartition, 'group' | 'topic' | 'partition'>,
  { records, stops, clock, warn, isOpening, onRetry }: StopWatchOptions,
): (() => void) => {
  const unread = stop instanceof UnreadableRecord ? stop.record : null;
  if (unread === null && stops === undefined) return () => undefined;
  const { group, topic, partition } = at;
  const report: StoppedPartition = { group, topic, partition, offset: unread?.offset ?? null, reason: stop.message };
  const ending = new AbortController();
  let is_ticking = false;
  let is_withdrawn = false;
  let ticks = 0;
  let next_decode = 1;

  const decodesNow = async (): Promise<boolean> => {
    ticks += 1;
    if (unread === null || ticks < next_decode) return false;
    next_decode = ticks + Math.min(ticks, MAX_TICKS);
    return (await rejectOnAbort(ending.signal, records.decode(unread.value))).tag !== 'unknown';
  };
  const tick = async (): Promise<void> => {
    if (is_ticking) return;
    is_ticking = true;
    try {
      const is_asked = (await stops?.report(report)) === true;
      if (!(is_asked || (await decodesNow())) || isOpening() || ending.signal.aborted) return;
      cancel();
      is_withdrawn = true;
      await stops?.forget(report);
      if (!ending.signal.aborted) onRetry();
    } catch (error) {
      if (!ending.signal.aborted) warn({ partition, reason: messageOf(error) }, 'a stopped partition is tried again');
    } finally {
      is_ticking = false;
    }
  };
  const cancel = clock.every(TICK_MS, () => void tick());
  void stops?.report(report);
  return () => {
    ending.abort();
    cancel();
    if (!is_withdrawn) void stops?.forget(report);
  };
};
