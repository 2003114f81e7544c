import { join } from 'node:path';
import * as t from 'io-ts';
import { InspectionRequest } from '../media/inspection.ts';
import { Shadow, SOME_EFFECTS } from './effects.ts';
import { Fit, SOME_FRAMING } from './framing.ts';
import { Gradient } from './gradient.ts';

const Region = t.readonly(t.strict({ x: t.number, y: t.number, width: t.number, height: t.number }));

const orNull = <A>(codec: t.Type<A, A, unknown>) => t.union([codec, t.null]);

/** Lengths are in pixels, opacities from 0 to 1. */
const BaseOptions = t.strict({
  text: t.string,
  /** A BCP 47 tag. */
  language: orNull(t.string),
  /** Hyphenates words at line ends, if the language has patterns. */
  hyphenate: t.boolean,
  font_family: t.string,
  font_size: t.number,
  font_weight: t.number,
  color: t.string,
  align: t.keyof({ left: null, center: null, right: null, start: null, end: null, justify: null }),
  vertical_align: t.keyof({ top: null, middle: null, bottom: null }),
  /** The line height is a factor of the font size. */
  line_height: t.number,
  shrink_to_fit: t.boolean,
  /** Distance of the text, not of the background, from the edges of the box. */
  padding: t.number,
  background: orNull(t.readonly(t.strict({ color: t.string, opacity: t.number, radius: t.number }))),
  /** `width` is the visible width around the letters. */
  outline: orNull(t.readonly(t.strict({ color: t.string, width: t.number }))),
  /** `blur` is the standard deviation. */
  shadow: orNull(
    t.readonly(t.strict({ color: t.string, opacity: t.number, x: t.number, y: t.number, blur: t.number })),
  ),
});

/** Options that are absent where a text does not use them, so that the keys of older texts stay valid. */
const NewerOptions = t.exact(
  t.partial({
    italic: t.boolean,
    underline: t.boolean,
    strike: t.boolean,
    letter_spacing: t.number,
    /** As Pango reads them: `tnum=1, smcp`. */
    font_features: t.string,
    max_lines: t.number,
    /** Replaces the text that is cut. */
    ellipsis: t.string,
    /** The background surrounds this instead of the box. */
    background_fit: t.keyof({ text: null, lines: null }),
  }),
);

export const TypesettingOptions = t.readonly(t.intersection([BaseOptions, NewerOptions]));
export type TypesettingOptions = t.TypeOf<typeof TypesettingOptions>;

/**
 * `box` is in pixels of the frame. `rotation` is clockwise in degrees about the box's centre. `field` names the layer
 * in messages: `layers[2]`.
 */
const common = { field: t.string, box: Region, opacity: t.number, rotation: t.number };

/** The gradient `fill` replaces the colour. */
const SOME_OF_SHAPE = { ...SOME_EFFECTS, fill: Gradient };
const SOME_OF_PICTURE = { ...SOME_FRAMING, ...SOME_EFFECTS };
const Picture = t.intersection([t.type({ ...common, asset: t.string, fit: Fit }), t.partial(SOME_OF_PICTURE)]);

export const Drawing = t.union([
  t.readonly(t.strict({ kind: t.literal('fill'), ...common, color: t.string })),
  t.readonly(
    t.exact(
      t.intersection([t.type({ kind: t.literal('ellipse'), ...common, color: t.string }), t.partial(SOME_OF_SHAPE)]),
    ),
  ),
  t.readonly(
    t.exact(
      t.intersection([
        t.type({ kind: t.literal('rectangle'), ...common, color: t.string, radius: t.number }),
        t.partial(SOME_OF_SHAPE),
      ]),
    ),
  ),
  t.readonly(t.exact(t.intersection([t.type({ kind: t.literal('image') }), Picture]))),
  t.readonly(
    t.exact(
      t.intersection([
        t.type({ kind: t.literal('text'), ...common, setting: TypesettingOptions }),
        t.partial(SOME_EFFECTS),
      ]),
    ),
  ),
  /** The shadow of a video in the rounded box, without the part below it. */
  t.readonly(t.strict({ kind: t.literal('shadow'), ...common, radius: t.number, shadow: Shadow })),
]);
export type Drawing = t.TypeOf<typeof Drawing>;

const Surround = t.readonly(t.strict({ margin: t.number, opaque: t.number }));

/**
 * A raster is one picture: the drawings in order, clipped to `region`. Only the edge padding (`Surround`) lies outside
 * it.
 */
export const Raster = t.readonly(
  t.strict({ id: t.string, region: Region, surround: Surround, drawings: t.readonlyArray(Drawing) }),
);
export type Raster = t.TypeOf<typeof Raster>;

const InkedRaster = t.readonly(t.strict({ id: t.string, region: Region }));
export type InkedRaster = t.TypeOf<typeof InkedRaster>;

export const BYTES_PER_PIXEL = 4;

/** `file` contains `region` as raw RGBA with straight alpha, in sRGB. */
export type DrawnRaster = InkedRaster & { readonly file: string };

/** The engine and the raster process both compute the path, because the engine does not trust the process's answer. */
export const rasterFilePath = (folder: string, { id }: { readonly id: string }): string => join(folder, `${id}.rgba`);

/**
 * An animated image (GIF, WebP or PNG) to draw as frames, clipped to `region`. Only the edge padding (`Surround`) lies
 * outside it.
 */
export const Animation = t.readonly(
  t.exact(t.intersection([t.type({ id: t.string, region: Region, surround: Surround }), Picture])),
);
export type Animation = t.TypeOf<typeof Animation>;

const InkedAnimation = t.readonly(t.strict({ id: t.string, region: Region, frame_ms: t.number, frames: t.number }));
export type InkedAnimation = t.TypeOf<typeof InkedAnimation>;

/**
 * `frames` frames of `region` in sequence, each raw RGBA, straight alpha, sRGB. They loop. As an input of ffmpeg: `-f
 * rawvideo -pixel_format rgba -video_size WxH -framerate 1000/frame_ms -stream_loop -1 -i file`.
 */
export type DrawnAnimation = InkedAnimation & { readonly file: string };

export const RasterJob = t.strict({
  ask: t.literal('draw'),
  rasters: t.readonlyArray(Raster),
  animations: t.readonlyArray(Animation),
  assets: t.record(t.string, t.string),
  /** The names under which texts request the project's font families, by family. */
  faces: t.record(t.string, t.string),
  /** Paths of the project's font files, by those names. */
  font_files: t.record(t.string, t.readonlyArray(t.string)),
  folder: t.string,
});
export type RasterJob = t.TypeOf<typeof RasterJob>;

export const RasterAnswer = t.union([
  t.strict({
    tag: t.literal('drawn'),
    rasters: t.readonlyArray(InkedRaster),
    animations: t.readonlyArray(InkedAnimation),
  }),
  t.strict({ tag: t.literal('composition'), code: t.string, message: t.string, field: t.string }),
]);
export type RasterAnswer = t.TypeOf<typeof RasterAnswer>;

export const RasterRequest = t.union([InspectionRequest, RasterJob]);
