import type { LogPosition } from '../../domain/credits/holds.ts';

/**
 * A reservation of credits, or of a place among the waiting renders. The caller calls exactly one of the three
 * functions, once.
 */
export type RenderReservation = {
  /** Call this if the event was appended at this position. */
  readonly confirm: (place: LogPosition) => void;
  /** Call this if the event was not appended and never will be. */
  readonly release: () => void;
  /** Call this if it is unknown whether the event was appended. */
  readonly markUnknown: () => void;
};

export const NO_RESERVATION: RenderReservation = {
  confirm: () => undefined,
  release: () => undefined,
  markUnknown: () => undefined,
};
