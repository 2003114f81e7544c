import type { EventLog, PartitionBounds } from '../../platform/event-log/event-log.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { sparingWarnings } from '../../platform/logging/sparing-warnings.ts';
import type { Clock } from '../../platform/process/clock.ts';
import { repeatedly } from '../../platform/process/repeatedly.ts';
import type { Watermarks } from '../../read-models/renders/watermarks.ts';

const EVERY_MS = 1_000;

/** The end of a partition at `at` (ms): once everything below `end` is folded, it was caught up at that time. */
export type Watermark = { readonly at: number; readonly end: number };

export type Reached = {
  /** Times that are reached now, by partition. */
  readonly caught_up: ReadonlyMap<number, number>;
  /** The marks to wait for from now on. */
  readonly marks: ReadonlyMap<number, Watermark>;
};

/**
 * A mark stays until it is reached, so that a partition which is never quite idle gets on too.
 *
 * @param held the offset below which everything is folded, for each partition held here
 * @param at taken before the log was asked for its ends, so all that was appended before it is below them
 */
export const reachedWatermarks = (
  marks: ReadonlyMap<number, Watermark>,
  held: ReadonlyMap<number, number>,
  bounds: readonly Pick<PartitionBounds, 'partition' | 'end'>[],
  at: number,
): Reached => {
  const caught_up = new Map<number, number>();
  const next = new Map<number, Watermark>();
  for (const { partition, end } of bounds) {
    const folded = held.get(partition);
    if (folded === undefined) continue;
    const before = marks.get(partition);
    const reached = folded >= end ? { at, end } : before !== undefined && folded >= before.end ? before : null;
    if (reached !== null) caught_up.set(partition, reached.at);
    next.set(partition, before === undefined || reached !== null ? { at, end } : before);
  }
  return { caught_up, marks: next };
};

/**
 * Writes, every second, up to when each held partition is folded: a render minted before that which is not in the
 * read model does not exist. Every partition has its document before any of them says a time, so that the earliest of
 * them speaks for all. The times are those of the store's clock, which readers compare them with. A time is set, not raised: a
 * clock that ran ahead does not claim the future once it is put right.
 */
export const reportWatermark = (
  log: Pick<EventLog, 'partitions' | 'reachableBounds'>,
  topic: string,
  caught_up: Watermarks,
  held: () => ReadonlyMap<number, number>,
  logger: Logger,
  clock: Clock,
): { readonly stop: () => Promise<void> } => {
  const warn = sparingWarnings(logger);
  let marks: ReadonlyMap<number, Watermark> = new Map();
  let known = 0;

  const introduce = async (): Promise<void> => {
    if (known > 0) return;
    const partitions = await log.partitions(topic);
    await caught_up.introduce(Array.from({ length: partitions }, (_, partition) => partition));
    known = partitions;
  };

  const report = async (): Promise<void> => {
    if (held().size === 0) return;
    await introduce();
    const at = await caught_up.now();
    if (at === null) {
      // The store has lost them.
      known = 0;
      return;
    }
    const bounds = await log.reachableBounds(topic);
    const reached = reachedWatermarks(marks, held(), bounds, at);
    marks = reached.marks;
    if (reached.caught_up.size > 0) await caught_up.report(reached.caught_up);
  };

  return repeatedly(clock, EVERY_MS, report, (error) => warn({ error }, 'could not say how far the read model is'));
};
