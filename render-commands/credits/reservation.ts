import type { LogPosition } from '../../domain/credits/holds.ts';

/** A reservation of credits, or of a place, for a render. The caller calls exactly one of the three, once. */
export type Reservation = {
  /** The event was appended at this position. */
  readonly placed: (place: LogPosition) => void;
  /** The event was not appended, and will not be. */
  readonly released: () => void;
  /** It is unknown whether the event was appended. */
  readonly unsure: () => void;
};

export const NOTHING_RESERVED: Reservation = {
  placed: () => undefined,
  released: () => undefined,
  unsure: () => undefined,
};
