import { number, optional } from '../shape/shape.ts';
import { LIMITS } from './limits.ts';
import { Color } from './names.ts';

const offset = optional(number({ min: -LIMITS.font_size, max: LIMITS.font_size }));
/** A standard deviation, in pixels. */
const deviation = optional(number({ min: 0, max: LIMITS.blur }));

export const blurred = { blur: deviation };

/** The shadow of a layer that is no text. A layer without `shadow_opacity` has no shadow. */
export const shadowed = {
  shadow_color: optional(Color),
  shadow_opacity: optional(number({ min: 0, max: 1 })),
  shadow_x: offset,
  shadow_y: offset,
  shadow_blur: deviation,
};
