import type { LogPosition } from '../credits/holds.ts';

/** A render that was accepted here, and that a count of the read model may not show yet. */
export type UnseenRender = {
  /** Null until the log has told. */
  readonly place: LogPosition | null;
  /** Until when it may turn up in the log at an unknown place, ms; null when its place is known. */
  readonly until: number | null;
};

/**
 * Whether it has to be counted beside what the read model shows.
 *
 * @param folded the offset below which everything is folded, by partition
 */
export const isUnseen = (
  { place, until }: UnseenRender,
  folded: ReadonlyMap<number, number>,
  now_ms: number,
): boolean => {
  if (place !== null) return place.offset >= (folded.get(place.partition) ?? 0);
  return until === null || now_ms < until;
};
