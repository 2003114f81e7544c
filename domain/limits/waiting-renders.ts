import type { LogPosition } from '../credits/holds.ts';

export type UnfoldedRender = {
  readonly place: LogPosition | null;
  /**
   * Until this time, in ms, the request may appear in the log at an unknown position. Null if the position is known.
   */
  readonly until: number | null;
};

/**
 * True if the render counts in addition to the read model's count.
 *
 * @param folded the offset below which everything is folded, by partition
 */
export const isUnfolded = (
  { place, until }: UnfoldedRender,
  folded: ReadonlyMap<number, number>,
  now_ms: number,
): boolean => {
  if (place !== null) return place.offset >= (folded.get(place.partition) ?? 0);
  return until === null || now_ms < until;
};
