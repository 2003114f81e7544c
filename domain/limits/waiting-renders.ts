import type { LogPosition } from '../credits/holds.ts';

export type UnfoldedRender = {
  readonly place: LogPosition | null;
  /**
   * Until this time, in ms, the request may appear in the log at an unknown position. Null if the position is known.
   */
  readonly until: number | null;
};

/**
 * True if the read model's count does not include the render yet, so that the caller must add it.
 *
 * @param folded by partition, the offset below which every event is folded
 */
export const isUnfolded = (
  { place, until }: UnfoldedRender,
  folded: ReadonlyMap<number, number>,
  now_ms: number,
): boolean => {
  if (place !== null) return place.offset >= (folded.get(place.partition) ?? 0);
  return until === null || now_ms < until;
};
