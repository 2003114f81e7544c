import type { EventLog, PartitionBounds } from '../../platform/event-log/event-log.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { throttledWarn } from '../../platform/logging/throttled-warn.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { runRepeatedly } from '../../platform/process/repeatedly.ts';
import type { Watermarks } from '../../read-models/renders/watermarks.ts';

const EVERY_MS = 1_000;

/** When every record below `end` is folded, the partition is caught up to the time `at` (ms). */
export type Watermark = { readonly at: number; readonly end: number };

export type ReachedWatermarks = {
  readonly caught_up: ReadonlyMap<number, number>;
  readonly marks: ReadonlyMap<number, Watermark>;
};

/**
 * A mark stays until the fold reaches it, so that a partition that is never idle makes progress too.
 *
 * @param committedOffsets the offset below which every record is folded, for each assigned partition
 * @param at taken before the ends of the log were read
 */
export const reachedWatermarks = (
  marks: ReadonlyMap<number, Watermark>,
  committedOffsets: ReadonlyMap<number, number>,
  bounds: readonly Pick<PartitionBounds, 'partition' | 'end'>[],
  at: number,
): ReachedWatermarks => {
  const caught_up = new Map<number, number>();
  const next = new Map<number, Watermark>();
  for (const { partition, end } of bounds) {
    const folded = committedOffsets.get(partition);
    if (folded === undefined) continue;
    const before = marks.get(partition);
    const reached = folded >= end ? { at, end } : before !== undefined && folded >= before.end ? before : null;
    if (reached !== null) caught_up.set(partition, reached.at);
    next.set(partition, before === undefined || reached !== null ? { at, end } : before);
  }
  return { caught_up, marks: next };
};

/**
 * Writes the watermark of each assigned partition every second. The documents of all partitions are created before the
 * first watermark, so their minimum is valid for all partitions. Watermarks use the store's clock, like their readers.
 * A watermark may decrease, so that it is correct again after the clock was ahead.
 */
export const startWatermarkReports = (
  log: Pick<EventLog, 'partitions' | 'reachableBounds'>,
  topic: string,
  caught_up: Watermarks,
  committedOffsets: () => ReadonlyMap<number, number>,
  logger: Logger,
  clock: Clock,
): { readonly stop: () => Promise<void> } => {
  const warn = throttledWarn(logger);
  let marks: ReadonlyMap<number, Watermark> = new Map();
  let known = 0;

  const introduce = async (): Promise<void> => {
    if (known > 0) return;
    const partitions = await log.partitions(topic);
    await caught_up.createMissing(Array.from({ length: partitions }, (_, partition) => partition));
    known = partitions;
  };

  const report = async (): Promise<void> => {
    if (committedOffsets().size === 0) return;
    await introduce();
    const at = await caught_up.now();
    if (at === null) {
      known = 0;
      return;
    }
    const bounds = await log.reachableBounds(topic);
    const reached = reachedWatermarks(marks, committedOffsets(), bounds, at);
    marks = reached.marks;
    if (reached.caught_up.size > 0) await caught_up.report(reached.caught_up);
  };

  return runRepeatedly(clock, EVERY_MS, report, (error) => warn({ error }, 'cannot write the watermarks'));
};
