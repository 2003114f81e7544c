import { DRAWING_VERSION, OLDEST_NEEDED_VERSION } from './engine-version.ts';
import { FINAL_MEMBERS } from './layer-groups.ts';
import type { Layer } from './layers.ts';

/** Members of layers that older engines do not know. All of them are optional, so a layer that lacks them is as before. */
const MEMBERS_SINCE_7: ReadonlySet<string> = new Set<string>([
  ...['crop', 'flip', 'border_radius', 'blur', 'fill'],
  ...['italic', 'underline', 'strike', 'letter_spacing', 'tabular_figures', 'font_features'],
  ...['max_lines', 'ellipsis', 'background_fit'],
  ...Object.keys(FINAL_MEMBERS),
]);

/** Only texts had shadows before. */
const isShadow = (member: string): boolean => member.startsWith('shadow_');

const isJustified = (layer: Layer): boolean => layer.type === 'text' && layer.align === 'justify';

const isNewer = (layer: Layer): boolean =>
  isJustified(layer) ||
  Object.keys(layer).some((member) => MEMBERS_SINCE_7.has(member) || (layer.type !== 'text' && isShadow(member)));

/**
 * The lowest version of the drawing rules that draws these layers. So older workers can draw each composition that uses
 * nothing newer, and its cached parts stay valid.
 */
export const drawingVersionOf = (layers: readonly Layer[]): number =>
  layers.some(isNewer) ? DRAWING_VERSION : OLDEST_NEEDED_VERSION;
