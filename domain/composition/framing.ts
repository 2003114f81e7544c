import type * as t from 'io-ts';
import { number, oneOf, optional, withDefault } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { LIMITS } from './limits.ts';

/** The part that stays has at least a hundredth of each side. */
const MAX_CUT = 0.99;
const ROUNDING = 1e-9;
const cut = optional(number({ min: 0, max: MAX_CUT }));

/** Fractions of the source. A missing side is 0. */
export const CropSides = strictObject({ left: cut, top: cut, right: cut, bottom: cut });
export type CropSides = t.TypeOf<typeof CropSides>;

/** Fault of sides that are valid one by one; null if the sum is valid. */
export const cropFault = ({ left = 0, top = 0, right = 0, bottom = 0 }: CropSides): string | null => {
  if (left + right > MAX_CUT + ROUNDING) return `left and right together must be <= ${MAX_CUT}`;
  return top + bottom > MAX_CUT + ROUNDING ? `top and bottom together must be <= ${MAX_CUT}` : null;
};

/**
 * How a picture from a file fills its box. The source is cropped, fitted and flipped, in this order. Then the corners of
 * the visible picture are rounded, by `border_radius` pixels.
 */
export const framed = {
  fit: withDefault(oneOf('cover', 'contain', 'fill'), 'cover'),
  crop: optional(CropSides),
  flip: optional(oneOf('horizontal', 'vertical', 'both')),
  border_radius: optional(number({ min: 0, max: LIMITS.side })),
};
