import { partitionOfKey } from '../../platform/event-log/partition-of-key.ts';
import type { WatermarkDocument } from './documents.ts';

/** The watermark of the render's partition, ms; minus infinity without one. */
export type FoldedUntil = (render_id: string) => number;

/**
 * Uses the watermark of each render's own partition, so a blocked partition affects only its own renders.
 *
 * @param partitions of the log; 0 if the generation does not know their number
 */
export const foldedUntil = (marks: readonly WatermarkDocument[], partitions: number): FoldedUntil => {
  if (marks.length < Math.max(1, partitions)) return () => Number.NEGATIVE_INFINITY;
  const times = new Map(marks.map(({ _id, at }) => [_id, at]));
  const earliest = Math.min(...times.values());
  // Without the number of partitions, the partition of a render is unknown, so the earliest watermark counts.
  if (marks.length !== partitions) return () => earliest;
  return (render_id) => times.get(partitionOfKey(render_id, partitions)) ?? Number.NEGATIVE_INFINITY;
};
