import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as t from 'io-ts';
import { chosenBy } from '../shape/json-schema.ts';
import { boolean, either, lines, number, oneOf, orElse, orNull, Shape, text } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { Keyframes } from './keyframes.ts';
import { LIMITS } from './limits.ts';
import { Color, LanguageTag, LocalId } from './names.ts';
import { Transition } from './transitions.ts';

const seconds = orElse(number({ min: 0, max: LIMITS.duration_s }), 0);
const position = orElse(number({ min: -LIMITS.side, max: LIMITS.side }), 0);
const side = orNull(number({ above: 0, max: 2 * LIMITS.side }));
const fit = orElse(oneOf('cover', 'contain', 'fill'), 'cover');
const opacity = number({ min: 0, max: 1 });

/** Of every layer. Times in seconds of the composition; `duration` null: up to the composition's end. */
const timed = {
  id: LocalId,
  visible: orElse(boolean, true),
  start: seconds,
  duration: orNull(number({ above: 0, max: LIMITS.duration_s })),
};

/**
 * Of every layer that is seen. Pixels of the composition; `width` or `height` null: up to its right or lower edge.
 * `rotation` is in degrees, clockwise, about the middle of the box. While a property has keyframes they stand for it.
 */
const placed = {
  ...timed,
  x: position,
  y: position,
  width: side,
  height: side,
  rotation: orElse(number({ min: -360, max: 360 }), 0),
  opacity: orElse(opacity, 1),
  fade_in: seconds,
  fade_out: seconds,
  keyframes: Keyframes,
  transition: orNull(Transition),
};

/**
 * Of every layer that is heard. The part of the source between `trim_start` and `trim_end` (null: its end), in seconds of
 * the source, is played `speed` times as fast. `volume` is a factor; `loop` begins that part again when it ends.
 * `duration` "media": as long as that part plays.
 */
const heard = {
  asset: LocalId,
  duration: orNull(either('media', number({ above: 0, max: LIMITS.duration_s }))),
  trim_start: seconds,
  trim_end: orNull(number({ above: 0, max: LIMITS.source_s })),
  speed: orElse(number({ min: 0.1, max: 10 }), 1),
  volume: orElse(number({ min: 0, max: 4 }), 1),
  loop: orElse(boolean, false),
};

const AnyLayer = strictObject({ id: LocalId });

/** A video's fades are of its picture and its sound. Where its source ends early, its last frame stays. */
export const VideoLayer = strictObject({ type: oneOf('video'), ...placed, ...heard, fit });
export type VideoLayer = t.TypeOf<typeof VideoLayer>;

export const ImageLayer = strictObject({ type: oneOf('image'), ...placed, asset: LocalId, fit });
export type ImageLayer = t.TypeOf<typeof ImageLayer>;

/**
 * Wrapped to `width`, cut at the box's lower edge. `line_height` is a factor of `font_size`, which is in pixels, as all
 * sizes are. `background` fills the box behind the text (null: nothing does), `padding` keeps the text from its edges.
 * `language` chooses between forms of letters, above all of Han characters (null: the font's usual ones); where it has
 * patterns, `hyphenate` breaks words at the ends of lines. `align` to `left` and `right` is to sides of the box, to `start`
 * and `end` to those of each paragraph's direction.
 * The shadow is seen where `shadow_opacity` is above 0; `shadow_blur` is the standard deviation of its softness.
 */
export const TextLayer = strictObject({
  type: oneOf('text'),
  ...placed,
  text: lines({ max: LIMITS.text }),
  language: orNull(LanguageTag),
  hyphenate: orElse(boolean, false),
  font_family: orElse(text({ min: 1, max: 100 }), 'Noto Sans'),
  font_size: orElse(number({ min: 1, max: LIMITS.font_size }), 48),
  font_weight: orElse(number({ min: 100, max: 900, whole: true }), 400),
  color: orElse(Color, '#FFFFFF'),
  align: orElse(oneOf('left', 'center', 'right', 'start', 'end'), 'left'),
  vertical_align: orElse(oneOf('top', 'middle', 'bottom'), 'top'),
  line_height: orElse(number({ min: 0.5, max: 4 }), 1.2),
  shrink_to_fit: orElse(boolean, false),
  background: orNull(Color),
  background_opacity: orElse(opacity, 1),
  background_radius: orElse(number({ min: 0, max: LIMITS.side }), 0),
  padding: orElse(number({ min: 0, max: LIMITS.font_size }), 0),
  outline_color: orElse(Color, '#000000'),
  outline_width: orElse(number({ min: 0, max: 100 }), 0),
  shadow_color: orElse(Color, '#000000'),
  shadow_opacity: orElse(opacity, 0),
  shadow_x: orElse(number({ min: -LIMITS.font_size, max: LIMITS.font_size }), 2),
  shadow_y: orElse(number({ min: -LIMITS.font_size, max: LIMITS.font_size }), 2),
  shadow_blur: orElse(number({ min: 0, max: 100 }), 4),
});
export type TextLayer = t.TypeOf<typeof TextLayer>;

/** `radius` rounds a rectangle's corners, in pixels. */
export const ShapeLayer = strictObject({
  type: oneOf('shape'),
  ...placed,
  shape: orElse(oneOf('rectangle', 'ellipse'), 'rectangle'),
  color: Color,
  radius: orElse(number({ min: 0, max: LIMITS.side }), 0),
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

export type Layer = VideoLayer | ImageLayer | TextLayer | ShapeLayer | AudioLayer;
export type LayerType = Layer['type'];
export type PlacedLayer = Exclude<Layer, AudioLayer>;
export type MediaLayer = VideoLayer | AudioLayer;

export const LAYER_CODECS = {
  video: VideoLayer,
  image: ImageLayer,
  text: TextLayer,
  shape: ShapeLayer,
  audio: AudioLayer,
};
const LayerTypeCodec = oneOf<LayerType>('video', 'image', 'text', 'shape', 'audio');

const typeOf = (u: object): unknown => ('type' in u ? u.type : undefined);

/** Chosen by `type` first, so that the faults are those of the layer that was meant. */
export const Layer = new Shape<Layer>(
  'a layer',
  (u): u is Layer => Object.values(LAYER_CODECS).some((codec) => codec.is(u)),
  (u, context) => {
    if (typeof u !== 'object' || u === null || Array.isArray(u)) return t.failure(u, context);
    const type = typeOf(u);
    return pipe(
      LayerTypeCodec.validate(type, t.appendContext(context, 'type', LayerTypeCodec, type)),
      E.chain((known): t.Validation<Layer> => LAYER_CODECS[known].validate(u, context)),
    );
  },
  chosenBy('type', {
    video: VideoLayer.schema,
    image: ImageLayer.schema,
    text: TextLayer.schema,
    shape: ShapeLayer.schema,
    audio: AudioLayer.schema,
  }),
);

/** The valid properties of a layer that may be invalid; of one of unknown type, at most its id. */
export const lenientLayerMembers = (u: unknown) => {
  const type = LayerTypeCodec.decode(typeof u === 'object' && u !== null ? typeOf(u) : undefined);
  return E.isRight(type) ? LAYER_CODECS[type.right].lenient(u) : AnyLayer.lenient(u);
};
