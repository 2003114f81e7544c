import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { discriminatedUnion } from '../shape/json-schema.ts';
import {
  boolean,
  literalOr,
  multilineText,
  number,
  oneOf,
  optional,
  orNull,
  Shape,
  text,
  withDefault,
} from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { blurred, shadowed } from './effects.ts';
import { framed } from './framing.ts';
import { Gradient } from './gradients.ts';
import { Keyframes } from './keyframes.ts';
import type { Grouped } from './layer-groups.ts';
import { LIMITS } from './limits.ts';
import { Color, LanguageTag, LocalId } from './names.ts';
import { TEXT_STYLE_MEMBERS } from './text-style.ts';
import { Transition } from './transitions.ts';
import { Visible } from './visible.ts';

const seconds = withDefault(number({ min: 0, max: LIMITS.duration_s }), 0);
const position = withDefault(number({ min: -LIMITS.side, max: LIMITS.side }), 0);
const side = orNull(number({ above: 0, max: 2 * LIMITS.side }));
const opacity = number({ min: 0, max: 1 });

/** Members of every layer, in seconds of the composition. A null `duration` reaches to the composition's end. */
const timed = {
  id: LocalId,
  visible: withDefault(Visible, true),
  start: seconds,
  duration: orNull(number({ above: 0, max: LIMITS.duration_s })),
};

/**
 * Members of every visible layer, in pixels of the composition. A null `width` or `height` reaches to the right or
 * lower edge. `rotation` is in degrees, clockwise, around the middle of the box. Keyframes of a property replace its
 * value.
 */
const placed = {
  ...timed,
  x: position,
  y: position,
  width: side,
  height: side,
  rotation: withDefault(number({ min: -360, max: 360 }), 0),
  opacity: withDefault(opacity, 1),
  fade_in: seconds,
  fade_out: seconds,
  keyframes: Keyframes,
  transition: orNull(Transition),
};

/**
 * The layer plays the source from `trim_start` to `trim_end` (null: its end), in seconds of the source. Both `speed`
 * and `volume` are factors. A `duration` of "media" is as long as this part plays once.
 */
const heard = {
  asset: LocalId,
  duration: orNull(literalOr('media', number({ above: 0, max: LIMITS.duration_s }))),
  trim_start: seconds,
  trim_end: orNull(number({ above: 0, max: LIMITS.source_s })),
  speed: withDefault(number({ min: 0.1, max: 10 }), 1),
  volume: withDefault(number({ min: 0, max: 4 }), 1),
  loop: withDefault(boolean, false),
};

const AnyLayer = strictObject({ id: LocalId });

/** A video's fades affect its picture and its sound. If the source ends early, its last frame stays. */
export const VideoLayer = strictObject({
  type: oneOf('video'),
  ...placed,
  ...heard,
  ...framed,
  ...shadowed,
  ...blurred,
});
export type VideoLayer = t.TypeOf<typeof VideoLayer>;

export const ImageLayer = strictObject({
  type: oneOf('image'),
  ...placed,
  asset: LocalId,
  ...framed,
  ...shadowed,
  ...blurred,
});
export type ImageLayer = t.TypeOf<typeof ImageLayer>;

/**
 * Text wraps at `width`, and the lower edge of the box cuts it. Sizes are in pixels; the `line_height` is a factor of
 * `font_size`. The `background` fills the box, and `padding` is the distance between text and box. The `language`
 * selects forms of letters, above all of Han characters. The `shadow_blur` is a standard deviation.
 */
export const TextLayer = strictObject({
  type: oneOf('text'),
  ...placed,
  text: multilineText({ max: LIMITS.text }),
  language: orNull(LanguageTag),
  hyphenate: withDefault(boolean, false),
  font_family: withDefault(text({ min: 1, max: 100 }), 'Noto Sans'),
  font_size: withDefault(number({ min: 1, max: LIMITS.font_size }), 48),
  font_weight: withDefault(number({ min: 100, max: 900, whole: true }), 400),
  color: withDefault(Color, '#FFFFFF'),
  align: withDefault(oneOf('left', 'center', 'right', 'start', 'end', 'justify'), 'left'),
  vertical_align: withDefault(oneOf('top', 'middle', 'bottom'), 'top'),
  line_height: withDefault(number({ min: 0.5, max: 4 }), 1.2),
  shrink_to_fit: withDefault(boolean, false),
  background: orNull(Color),
  background_opacity: withDefault(opacity, 1),
  background_radius: withDefault(number({ min: 0, max: LIMITS.side }), 0),
  padding: withDefault(number({ min: 0, max: LIMITS.font_size }), 0),
  outline_color: withDefault(Color, '#000000'),
  outline_width: withDefault(number({ min: 0, max: 100 }), 0),
  shadow_color: withDefault(Color, '#000000'),
  shadow_opacity: withDefault(opacity, 0),
  shadow_x: withDefault(number({ min: -LIMITS.font_size, max: LIMITS.font_size }), 2),
  shadow_y: withDefault(number({ min: -LIMITS.font_size, max: LIMITS.font_size }), 2),
  shadow_blur: withDefault(number({ min: 0, max: 100 }), 4),
  ...blurred,
  ...TEXT_STYLE_MEMBERS,
});
export type TextLayer = t.TypeOf<typeof TextLayer>;

export const ShapeLayer = strictObject({
  type: oneOf('shape'),
  ...placed,
  shape: withDefault(oneOf('rectangle', 'ellipse'), 'rectangle'),
  color: Color,
  radius: withDefault(number({ min: 0, max: LIMITS.side }), 0),
  fill: optional(Gradient),
  ...shadowed,
  ...blurred,
});
export type ShapeLayer = t.TypeOf<typeof ShapeLayer>;

export const AudioLayer = strictObject({
  type: oneOf('audio'),
  ...timed,
  ...heard,
  fade_in: seconds,
  fade_out: seconds,
});
export type AudioLayer = t.TypeOf<typeof AudioLayer>;

/**
 * A group in a flat list, without its layers. Its layers count times from its start, and places from its upper left
 * corner. The group's scale keeps the middle of its box.
 */
export const Group = strictObject({
  type: oneOf('group'),
  ...timed,
  x: position,
  y: position,
  width: side,
  height: side,
  opacity: withDefault(opacity, 1),
  fade_in: seconds,
  fade_out: seconds,
  keyframes: Keyframes,
});
export type Group = t.TypeOf<typeof Group>;

export type PlainLayer = VideoLayer | ImageLayer | TextLayer | ShapeLayer | AudioLayer;
export type Layer = PlainLayer & Grouped;
export type LayerType = PlainLayer['type'] | 'group';
export type PlacedLayer = Exclude<Layer, AudioLayer>;
export type MediaLayer = (VideoLayer | AudioLayer) & Grouped;

export const LAYER_CODECS = {
  video: VideoLayer,
  image: ImageLayer,
  text: TextLayer,
  shape: ShapeLayer,
  audio: AudioLayer,
};
const LayerTypeCodec = oneOf<LayerType>('video', 'image', 'text', 'shape', 'audio', 'group');

/** The codecs of all layers of a flat list. */
export const FLAT_CODECS = { ...LAYER_CODECS, group: Group };

const typeOf = (u: object): unknown => ('type' in u ? u.type : undefined);

/** Decodes `type` first, so that all faults refer to this type of layer. */
export const Layer = new Shape<Layer>(
  'a layer',
  (u): u is Layer => Object.values(LAYER_CODECS).some((codec) => codec.is(u)),
  (u, context) => {
    if (typeof u !== 'object' || u === null || Array.isArray(u)) return t.failure(u, context);
    const type = typeOf(u);
    return pipe(
      LayerTypeCodec.validate(type, t.appendContext(context, 'type', LayerTypeCodec, type)),
      E.chain(
        (known): t.Validation<Layer> =>
          known === 'group' ? t.failure(u, context, 'must not be a group') : LAYER_CODECS[known].validate(u, context),
      ),
    );
  },
  discriminatedUnion('type', {
    video: VideoLayer.schema,
    image: ImageLayer.schema,
    text: TextLayer.schema,
    shape: ShapeLayer.schema,
    audio: AudioLayer.schema,
  }),
);

export const lenientLayerMembers = (u: unknown) => {
  const type = LayerTypeCodec.decode(typeof u === 'object' && u !== null ? typeOf(u) : undefined);
  return E.isRight(type) ? FLAT_CODECS[type.right].lenient(u) : AnyLayer.lenient(u);
};
