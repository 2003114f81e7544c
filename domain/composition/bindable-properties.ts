import { keyframeMember } from './keyframes.ts';
import type { LayerType } from './layers.ts';
import type { FieldKind } from './templates.ts';

type BindableProperties = { readonly [property: string]: FieldKind };

const TIMED: BindableProperties = { visible: 'toggle', start: 'number', duration: 'number' };
const FADED: BindableProperties = { fade_in: 'number', fade_out: 'number' };
/**
 * All members of a transition except `from`: like ids and types, the replaced layer is a fixed part of the composition.
 */
const TRANSITION: BindableProperties = {
  'transition.type': 'text',
  'transition.duration': 'number',
  'transition.direction': 'text',
  'transition.sound': 'text',
};
const PLACED: BindableProperties = {
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
const HEARD: BindableProperties = {
  trim_start: 'number',
  trim_end: 'number',
  speed: 'number',
  volume: 'number',
  loop: 'toggle',
};

const BLURRED: BindableProperties = { blur: 'number' };
const SHADOWED: BindableProperties = {
  shadow_color: 'color',
  shadow_opacity: 'number',
  shadow_x: 'number',
  shadow_y: 'number',
  shadow_blur: 'number',
};
const FRAMED: BindableProperties = { fit: 'text', flip: 'text', border_radius: 'number' };

/** The properties of layers that a template field can set, with the field's kind. */
const BINDABLE: { readonly [T in LayerType]: BindableProperties } = {
  video: { ...PLACED, ...HEARD, ...FRAMED, ...SHADOWED, ...BLURRED, asset: 'video' },
  image: { ...PLACED, ...FRAMED, ...SHADOWED, ...BLURRED, asset: 'image' },
  text: {
    ...PLACED,
    text: 'text',
    language: 'text',
    hyphenate: 'toggle',
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
    ...SHADOWED,
    ...BLURRED,
    text_transform: 'text',
    italic: 'toggle',
    underline: 'toggle',
    strike: 'toggle',
    letter_spacing: 'number',
    tabular_figures: 'toggle',
    font_features: 'text',
    max_lines: 'number',
    ellipsis: 'text',
    background_fit: 'text',
  },
  shape: { ...PLACED, ...SHADOWED, ...BLURRED, shape: 'text', color: 'color', radius: 'number' },
  group: { ...TIMED, ...FADED, x: 'number', y: 'number', width: 'number', height: 'number', opacity: 'number' },
  audio: { ...TIMED, ...FADED, ...HEARD, asset: 'audio' },
};

export const kindOfProperty = (type: LayerType, property: string): FieldKind | null => {
  if (type !== 'audio' && keyframeMember(property) !== null) return 'number';
  return Object.hasOwn(BINDABLE[type], property) ? (BINDABLE[type][property] ?? null) : null;
};

const OF_COMPOSITION: BindableProperties = { duration: 'number', background: 'color' };

export const kindOfCompositionProperty = (property: string): FieldKind | null =>
  Object.hasOwn(OF_COMPOSITION, property) ? (OF_COMPOSITION[property] ?? null) : null;

export const COMPOSITION_PROPERTIES: readonly string[] = Object.keys(OF_COMPOSITION);

export const bindablePropertiesOf = (type: LayerType): readonly string[] => Object.keys(BINDABLE[type]);
