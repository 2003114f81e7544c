import { boolean, number, oneOf, optional, pattern, text } from '../shape/shape.ts';
import { LIMITS } from './limits.ts';

/** OpenType features as in CSS: `smcp, ss01, tnum=0`. */
const FONT_FEATURES = /^[A-Za-z0-9]{4}(?:=\d{1,2})?(?:, ?[A-Za-z0-9]{4}(?:=\d{1,2})?){0,15}$/;

/**
 * Members of a text layer that older engines do not know. `letter_spacing` is in pixels. The `ellipsis` replaces the
 * text that `max_lines` or the box cuts. Without it, only `max_lines` has one.
 */
export const TEXT_STYLE_MEMBERS = {
  text_transform: optional(oneOf('none', 'uppercase', 'lowercase', 'capitalize')),
  italic: optional(boolean),
  underline: optional(boolean),
  strike: optional(boolean),
  letter_spacing: optional(number({ min: -100, max: LIMITS.font_size })),
  tabular_figures: optional(boolean),
  font_features: optional(pattern(FONT_FEATURES, 'up to 16 OpenType features like smcp, ss01 or tnum=0')),
  max_lines: optional(number({ min: 1, max: 1000, whole: true })),
  ellipsis: optional(text({ max: 20 })),
  background_fit: optional(oneOf('box', 'text', 'lines')),
};
