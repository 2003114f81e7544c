import { isDeepStrictEqual } from 'node:util';
import { area, frameRegion, NO_EDGE_PADDING, type Region, scaledBox, union } from '../raster/geometry.ts';
import type { Animation, Drawing, Raster } from '../raster/raster-job.ts';
import { constantCurve, constantWithin } from './curve.ts';
import { animationOf, drawingForBox, type PictureDrawing } from './drawings.ts';
import { rasterIntervalsOf } from './resting.ts';
import type { LayerMotion, Step, StepBase } from './scene.ts';
import type { AudioClip } from './sound-step.ts';
import type { Composition } from './timing.ts';

export type SceneBuilder = {
  readonly rasters: Raster[];
  readonly animations: Animation[];
  readonly videoTrack: Step[];
  readonly sound: AudioClip[];
  readonly unseen: LayerMotion[];
  /** Steps with an invisible layer above them: the next raster is not flattened into theirs. */
  readonly closed: Set<Step>;
};

type Dense = { readonly drawing: Drawing; readonly region: Region; readonly shown: StepBase };

/**
 * Two rasters are flattened only if their common region has at most this many times the sum of their areas. The cost of
 * an overlay is proportional to its area.
 */
const FLATTEN_WASTE = 1.5;

const isConstant = ({ from, until, fades, opacity, shifts, scale }: StepBase): boolean =>
  fades.length === 0 &&
  shifts.length === 0 &&
  constantWithin(opacity, 0, until - from) === 1 &&
  constantWithin(scale, 0, until - from) === 1;

const mixIds = ({ mixes = [] }: StepBase): string => mixes.map(({ id }) => id).join(' ');

const sameSpan = (a: StepBase, b: StepBase): boolean =>
  a.from === b.from && a.until === b.until && isConstant(a) && isConstant(b) && mixIds(a) === mixIds(b);

/** Flattens the raster into the one below if both are visible on the same frames. */
export const addRaster = (builder: SceneBuilder, drawing: Drawing, region: Region, shown: StepBase): void => {
  const last = builder.videoTrack.at(-1);
  const below = builder.rasters.at(-1);
  if (last?.kind === 'raster' && below?.id === last.raster && !builder.closed.has(last) && sameSpan(last, shown)) {
    const both = union(below.region, region);
    if (area(both) <= FLATTEN_WASTE * (area(below.region) + area(region))) {
      builder.rasters[builder.rasters.length - 1] = { ...below, region: both, drawings: [...below.drawings, drawing] };
      builder.videoTrack[builder.videoTrack.length - 1] = { ...last, hides: last.hides || shown.hides };
      return;
    }
  }
  const id = `raster-${builder.rasters.length}`;
  builder.rasters.push({ id, region, surround: shown.surround, drawings: [drawing] });
  builder.videoTrack.push({ kind: 'raster', raster: id, ...shown });
};

/** @param drawing the layer's picture at its own size, without extra density */
export const addGlidingPicture = (
  builder: SceneBuilder,
  dense: Dense,
  drawing: Drawing,
  full_density: number,
): void => {
  const ids = new Map<number | null, string>();
  for (const { from, until, scale } of rasterIntervalsOf(dense.shown, full_density)) {
    const own = scale === null ? null : drawingForBox(drawing, scaledBox(drawing.box, scale));
    const raster = own ?? dense;
    const shown = own === null ? dense.shown : { ...dense.shown, dense: own.drawing.box };
    const id = ids.get(scale) ?? `raster-${builder.rasters.length}`;
    if (!ids.has(scale))
      builder.rasters.push({ id, region: raster.region, surround: shown.surround, drawings: [raster.drawing] });
    ids.set(scale, id);
    builder.videoTrack.push({ kind: 'raster', raster: id, ...shown, stretch: { from, until } });
  }
};

/** Equal animations share a file. */
export const addAnimation = (builder: SceneBuilder, drawing: PictureDrawing, region: Region, shown: StepBase): void => {
  const animation = animationOf(`animation-${builder.animations.length}`, drawing, region, shown.surround);
  const equal = builder.animations.find((other) =>
    isDeepStrictEqual(other, { ...animation, id: other.id, field: other.field }),
  );
  if (equal === undefined) builder.animations.push(animation);
  builder.videoTrack.push({ kind: 'animation', animation: (equal ?? animation).id, ...shown });
};

/** Records an invisible layer, so that cuts and flattening are the same as if it were visible. */
export const addInvisibleLayer = (builder: SceneBuilder, { from, until, shifts, scale, ...shown }: StepBase): void => {
  builder.unseen.push({ from, until, shifts, scale });
  const last = builder.videoTrack.at(-1);
  if (last !== undefined && !sameSpan(last, { from, until, shifts, scale, ...shown })) builder.closed.add(last);
};

export const emptySceneBuilder = (composition: Composition, frames: number): SceneBuilder => {
  const builder: SceneBuilder = {
    rasters: [],
    animations: [],
    videoTrack: [],
    sound: [],
    unseen: [],
    closed: new Set(),
  };
  const whole = frameRegion(composition);
  const field = 'background';
  addRaster(
    builder,
    { kind: 'fill', color: composition.background, box: whole, opacity: 1, rotation: 0, field },
    whole,
    {
      ...{
        field,
        from: 0,
        until: frames,
        fades: [],
        shifts: [],
        box: whole,
        dense: whole,
        glides: false,
        surround: NO_EDGE_PADDING,
        letters: false,
        solid: false,
        hides: true,
      },
      ...{ opacity: constantCurve(1), scale: constantCurve(1) },
    },
  );
  return builder;
};
