import type * as t from 'io-ts';
import { listOf, number, oneOf, optional } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { LIMITS } from './limits.ts';
import { Color } from './names.ts';

export const GradientStop = strictObject({
  offset: number({ min: 0, max: 1 }),
  color: Color,
  opacity: optional(number({ min: 0, max: 1 })),
});

/**
 * A gradient of CSS. The `angle` is that of a linear gradient's line, or of a conic gradient's start, in degrees,
 * clockwise from the top.
 */
export const Gradient = strictObject({
  type: oneOf('linear', 'radial', 'conic'),
  angle: optional(number({ min: -360, max: 360 })),
  stops: listOf(GradientStop, { min: 2, max: LIMITS.stops }),
});
export type Gradient = t.TypeOf<typeof Gradient>;
