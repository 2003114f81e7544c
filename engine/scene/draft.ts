import { isDeepStrictEqual } from 'node:util';
import type { ImageLayer } from '../../domain/composition/layers.ts';
import { area, denseBox, frameRegion, NO_SURROUND, type Region, union } from '../raster/geometry.ts';
import type { Animation, Drawing, Raster } from '../raster/raster-job.ts';
import { constant, constantWithin } from './curve.ts';
import { animationOf, denseDrawing } from './drawings.ts';
import { stretchesOf } from './resting.ts';
import type { Motion, Shown, Step } from './scene.ts';
import type { SoundStep } from './sound-step.ts';
import type { Composition } from './timing.ts';

/** A scene under construction, from its lowest layer up. */
export type Draft = {
  readonly rasters: Raster[];
  readonly animations: Animation[];
  readonly videoTrack: Step[];
  readonly sound: SoundStep[];
  readonly unseen: Motion[];
  /** Steps with an invisible layer above them: the next raster is not flattened into theirs. */
  readonly closed: Set<Step>;
};

type Dense = { readonly drawing: Drawing; readonly region: Region; readonly shown: Shown };

/** Two rasters are flattened if the result has at most this many times their pixels: an overlay costs by its area. */
const FLATTEN_WASTE = 1.5;

const isConstant = ({ from, until, fades, opacity, shifts, scale }: Shown): boolean =>
  fades.length === 0 &&
  shifts.length === 0 &&
  constantWithin(opacity, 0, until - from) === 1 &&
  constantWithin(scale, 0, until - from) === 1;

const sameSpan = (a: Shown, b: Shown): boolean =>
  a.from === b.from && a.until === b.until && isConstant(a) && isConstant(b);

/** Adds a raster; flattens it into the one below if both are visible on the same frames. */
export const addRaster = (draft: Draft, drawing: Drawing, region: Region, shown: Shown): void => {
  const last = draft.videoTrack.at(-1);
  const below = draft.rasters.at(-1);
  if (last?.kind === 'raster' && below?.id === last.raster && !draft.closed.has(last) && sameSpan(last, shown)) {
    const both = union(below.region, region);
    if (area(both) <= FLATTEN_WASTE * (area(below.region) + area(region))) {
      draft.rasters[draft.rasters.length - 1] = { ...below, region: both, drawings: [...below.drawings, drawing] };
      draft.videoTrack[draft.videoTrack.length - 1] = { ...last, hides: last.hides || shown.hides };
      return;
    }
  }
  const id = `raster-${draft.rasters.length}`;
  draft.rasters.push({ id, region, surround: shown.surround, drawings: [drawing] });
  draft.videoTrack.push({ kind: 'raster', raster: id, ...shown });
};

/**
 * Adds a picture that glides: where it rests on whole pixels it has a raster of just that size, elsewhere the dense one.
 *
 * @param drawing of the layer's own size
 * @param full the density above which its source has no more to show
 */
export const addStretches = (draft: Draft, dense: Dense, drawing: Drawing, full: number): void => {
  const ids = new Map<number | null, string>();
  for (const { from, until, scale } of stretchesOf(dense.shown, full)) {
    const own = scale === null ? null : denseDrawing(drawing, denseBox(drawing.box, scale));
    const raster = own ?? dense;
    const shown = own === null ? dense.shown : { ...dense.shown, dense: own.drawing.box };
    const id = ids.get(scale) ?? `raster-${draft.rasters.length}`;
    if (!ids.has(scale))
      draft.rasters.push({ id, region: raster.region, surround: shown.surround, drawings: [raster.drawing] });
    ids.set(scale, id);
    draft.videoTrack.push({ kind: 'raster', raster: id, ...shown, stretch: { from, until } });
  }
};

/** Adds an animation; an equal one shares its file. */
export const addAnimation = (draft: Draft, layer: ImageLayer, drawing: Drawing, region: Region, shown: Shown): void => {
  const made = animationOf(`animation-${draft.animations.length}`, layer, drawing, region, shown.surround);
  const equal = draft.animations.find((other) =>
    isDeepStrictEqual(other, { ...made, id: other.id, field: other.field }),
  );
  if (equal === undefined) draft.animations.push(made);
  draft.videoTrack.push({ kind: 'animation', animation: (equal ?? made).id, ...shown });
};

/** Adds an invisible layer, so that cuts and flattening are the same as if it were visible. */
export const addUnseen = (draft: Draft, { from, until, shifts, scale, ...shown }: Shown): void => {
  draft.unseen.push({ from, until, shifts, scale });
  const last = draft.videoTrack.at(-1);
  if (last !== undefined && !sameSpan(last, { from, until, shifts, scale, ...shown })) draft.closed.add(last);
};

/** A scene with the background only. */
export const draftOn = (composition: Composition, frames: number): Draft => {
  const draft: Draft = { rasters: [], animations: [], videoTrack: [], sound: [], unseen: [], closed: new Set() };
  const whole = frameRegion(composition);
  const field = 'background';
  addRaster(draft, { kind: 'fill', color: composition.background, box: whole, opacity: 1, rotation: 0, field }, whole, {
    ...{
      field,
      from: 0,
      until: frames,
      fades: [],
      shifts: [],
      box: whole,
      dense: whole,
      glides: false,
      surround: NO_SURROUND,
      letters: false,
      solid: false,
      hides: true,
    },
    ...{ opacity: constant(1), scale: constant(1) },
  });
  return draft;
};
