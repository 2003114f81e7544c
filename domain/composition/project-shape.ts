import type * as t from 'io-ts';
import { AssetEntry, StoredAsset } from './assets.ts';
import { FrameRate } from './frame-rate.ts';
import { Color, Layer } from './layers.ts';
import { LIMITS } from './limits.ts';
import { closed, listOf, number, orElse, orNull, pattern, text } from './shapes.ts';
import { CompositionId, Template } from './templates.ts';

const evenSide = number({ min: 2, max: LIMITS.side, whole: true });

/** One picture in time: sizes in pixels (even), `duration` and `poster_time` in seconds (null: at a quarter). */
export const Composition = closed({
  id: CompositionId,
  width: evenSide,
  height: evenSide,
  fps: FrameRate,
  duration: number({ above: 0, max: LIMITS.duration_s }),
  background: orElse(Color, '#000000'),
  poster_time: orNull(number({ min: 0, max: LIMITS.duration_s })),
  layers: listOf(Layer, { max: LIMITS.layers }),
});
export type Composition = t.TypeOf<typeof Composition>;

/** A smaller encode of the same picture; its width follows, rounded to even. (CRF 0 is lossless, which players refuse.) */
export const Variant = closed({
  name: pattern(/^(?!master$)[a-z0-9][a-z0-9_-]{0,31}$/, 'up to 32 of a-z, 0-9, "-" or "_", and not "master"'),
  height: number({ min: 16, max: LIMITS.side, whole: true }),
  crf: orNull(number({ min: 1, max: 51, whole: true })),
});
export type Variant = t.TypeOf<typeof Variant>;

const project = {
  name: text({ min: 1, max: LIMITS.name }),
  main_composition_id: CompositionId,
  compositions: listOf(Composition, { min: 1, max: LIMITS.compositions }),
  variants: orElse(listOf(Variant, { max: LIMITS.variants }), []),
  templates: orElse(listOf(Template, { max: LIMITS.templates }), []),
};

/** What a person writes: assets may be files beside it. Decoding fills in every default. */
export const ProjectFile = closed({
  ...project,
  assets: orElse(listOf(AssetEntry, { max: LIMITS.assets }), []),
});
export type ProjectFile = t.TypeOf<typeof ProjectFile>;

/** One version of a project as the log keeps it: every asset stored and addressed by its hash. */
export const ProjectDocument = closed({
  ...project,
  assets: orElse(listOf(StoredAsset, { max: LIMITS.assets }), []),
});
export type ProjectDocument = t.TypeOf<typeof ProjectDocument>;
