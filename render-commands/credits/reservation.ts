import type { LogPosition } from '../../domain/credits/holds.ts';

/** A reservation of credits, or of a place, for a render. The caller calls exactly one of the three, once. */
export type RenderReservation = {
  /** The event was appended at this position. */
  readonly confirm: (place: LogPosition) => void;
  /** The event was not appended, and will not be. */
  readonly release: () => void;
  /** It is unknown whether the event was appended. */
  readonly markUnknown: () => void;
};

export const NOTHING_RESERVED: RenderReservation = {
  confirm: () => undefined,
  release: () => undefined,
  markUnknown: () => undefined,
};
