import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import type { WatermarkDocument } from './documents.ts';

/** Whatever was appended of a render before that time (ms) is folded; minus infinity while nobody says. */
export type FoldedUntil = (render_id: string) => number;

/**
 * A partition that is stopped speaks for its own renders alone.
 *
 * @param partitions of the log; 0 where the generation does not know them
 */
export const foldedUntil = (marks: readonly WatermarkDocument[], partitions: number): FoldedUntil => {
  if (marks.length < Math.max(1, partitions)) return () => Number.NEGATIVE_INFINITY;
  const times = new Map(marks.map(({ _id, at }) => [_id, at]));
  const earliest = Math.min(...times.values());
  // Of which partition a render is follows from their number.
  if (marks.length !== partitions) return () => earliest;
  return (render_id) => times.get(partitionOfKey(render_id, partitions)) ?? Number.NEGATIVE_INFINITY;
};
