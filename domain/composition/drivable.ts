import type { LayerType } from './layers.ts';
import type { FieldKind } from './templates.ts';

type Drivable = { readonly [property: string]: FieldKind };

const TIMED: Drivable = { visible: 'toggle', start: 'number', duration: 'number' };
const FADED: Drivable = { fade_in: 'number', fade_out: 'number' };
/** How a transition goes; which layer it comes from belongs to the composition, as ids and types do. */
const TRANSITION: Drivable = {
  'transition.type': 'text',
  'transition.duration': 'number',
  'transition.direction': 'text',
};
const PLACED: Drivable = {
  ...TIMED,
  ...FADED,
  ...TRANSITION,
  x: 'number',
  y: 'number',
  width: 'number',
  height: 'number',
  rotation: 'number',
  opacity: 'number',
};
const HEARD: Drivable = {
  trim_start: 'number',
  trim_end: 'number',
  speed: 'number',
  volume: 'number',
  loop: 'toggle',
};

/** Which properties a template's field may drive, and what kind of field it takes. Keyframes are not driven. */
const DRIVABLE: { readonly [T in LayerType]: Drivable } = {
  video: { ...PLACED, ...HEARD, fit: 'text', asset: 'video' },
  image: { ...PLACED, fit: 'text', asset: 'image' },
  text: {
    ...PLACED,
    text: 'text',
    font_family: 'text',
    font_size: 'number',
    font_weight: 'number',
    color: 'color',
    align: 'text',
    vertical_align: 'text',
    line_height: 'number',
    shrink_to_fit: 'toggle',
    background: 'color',
    background_opacity: 'number',
    background_radius: 'number',
    padding: 'number',
    outline_color: 'color',
    outline_width: 'number',
    shadow_color: 'color',
    shadow_opacity: 'number',
    shadow_x: 'number',
    shadow_y: 'number',
    shadow_blur: 'number',
  },
  shape: { ...PLACED, shape: 'text', color: 'color', radius: 'number' },
  audio: { ...TIMED, ...FADED, ...HEARD, asset: 'audio' },
};

/** The kind that drives this property, like `opacity` or `transition.duration`; null where no field can. */
export const kindOfProperty = (type: LayerType, property: string): FieldKind | null =>
  Object.hasOwn(DRIVABLE[type], property) ? (DRIVABLE[type][property] ?? null) : null;
