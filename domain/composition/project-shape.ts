import type * as t from 'io-ts';
import { listOf, literalOr, number, orNull, pattern, text, withDefault } from '../shape/shape.ts';
import { strictObject } from '../shape/strict-object.ts';
import { AssetEntry, StoredAsset } from './assets.ts';
import { DocumentLayer } from './document-layers.ts';
import { DEFAULT_ENGINE_VERSION, ENGINE_VERSION } from './engine-version.ts';
import { FrameRate } from './frame-rate.ts';
import { LIMITS } from './limits.ts';
import { Color } from './names.ts';
import { CompositionId, Template } from './templates.ts';
import { Quality, VideoCodec } from './video-codecs.ts';

const evenSide = number({ min: 2, max: LIMITS.side, whole: true });

/**
 * `width` and `height` are in pixels and even. `duration` and `poster_time` are in seconds; null is a quarter of the
 * duration. The duration "auto" is the end of the last layer.
 */
export const Composition = strictObject({
  id: CompositionId,
  width: evenSide,
  height: evenSide,
  fps: FrameRate,
  duration: literalOr('auto', number({ above: 0, max: LIMITS.duration_s })),
  background: withDefault(Color, '#000000'),
  poster_time: orNull(number({ min: 0, max: LIMITS.duration_s })),
  layers: listOf(DocumentLayer, { max: LIMITS.layers }),
});
export type Composition = t.TypeOf<typeof Composition>;

/**
 * The `crf` is on the codec's own scale, and lower is better. It cannot be 0: that is lossless, which players refuse.
 * Null takes the CRF of the quality.
 */
const encoded = {
  codec: withDefault(VideoCodec, 'h264'),
  quality: withDefault(Quality, 'standard'),
  crf: orNull(number({ min: 1, max: 63, whole: true })),
};

/** An additional encode of the same picture, at most as high. Its width keeps the aspect ratio, rounded to even. */
export const Variant = strictObject({
  name: pattern(/^(?!master$)[a-z0-9][a-z0-9_-]{0,31}$/, 'up to 32 of a-z, 0-9, "-" or "_", and not "master"'),
  height: number({ min: 16, max: LIMITS.side, whole: true }),
  ...encoded,
});
export type Variant = t.TypeOf<typeof Variant>;

export const Master = strictObject(encoded);
export type Master = t.TypeOf<typeof Master>;

export const Preview = strictObject({
  height: withDefault(number({ min: 16, max: 480, whole: true }), 240),
  start: withDefault(number({ min: 0, max: LIMITS.duration_s }), 0),
  duration: withDefault(number({ above: 0, max: 10 }), 3),
  fps: withDefault(number({ min: 1, max: 30, whole: true }), 10),
});
export type Preview = t.TypeOf<typeof Preview>;

const engine = number({ min: 1, max: ENGINE_VERSION, whole: true });

const project = {
  name: text({ min: 1, max: LIMITS.name }),
  main_composition_id: CompositionId,
  compositions: listOf(Composition, { min: 1, max: LIMITS.compositions }),
  master: withDefault(Master, { codec: 'h264', quality: 'standard', crf: null }),
  variants: withDefault(listOf(Variant, { max: LIMITS.variants }), []),
  preview: orNull(Preview),
  templates: withDefault(listOf(Template, { max: LIMITS.templates }), []),
};

/**
 * The project file that a person writes. The `engine` fixes the version of the drawing rules, so that the project keeps
 * its look. Decoding fills in all defaults, and drops `$schema`, which is for editors.
 */
export const ProjectFile = strictObject(
  {
    ...project,
    engine: withDefault(engine, ENGINE_VERSION),
    assets: withDefault(listOf(AssetEntry, { max: LIMITS.assets }), []),
  },
  { $schema: orNull(text({ max: 2000 })) },
);
export type ProjectFile = t.TypeOf<typeof ProjectFile>;

/** One stored version of a project. All its assets are in the store, addressed by their hashes. */
export const ProjectDocument = strictObject({
  ...project,
  engine: withDefault(engine, DEFAULT_ENGINE_VERSION),
  assets: withDefault(listOf(StoredAsset, { max: LIMITS.assets }), []),
});
export type ProjectDocument = t.TypeOf<typeof ProjectDocument>;
