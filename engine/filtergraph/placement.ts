import type { FrameSpan } from '../../domain/composition/extents.ts';
import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import { evenLength, type Region, type Size } from '../raster/geometry.ts';
import { constantWithin, maxOfCurve, minOfCurve } from '../scene/curve.ts';
import { isUnscaledAtRest } from '../scene/resting.ts';
import type { StepBase } from '../scene/scene.ts';
import { EDGE_PIXELS, type LayerPixelFormat, subsampleFilters } from './chroma.ts';
import { curveExpression, decimal, mapLastStatement, parenthesizedOperand, withFrameVariable } from './expressions.ts';
import { type GlideExpressions, glideExpressions } from './gliding.ts';

export const SCALE_FLAGS = 'flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp';
/**
 * For scaling the whole frame. At half the size, Lanczos is 0.2 dB closer to the original than bicubic, and takes a
 * fifth more scaler time.
 */
export const WHOLE_FRAME_SCALE_FLAGS = SCALE_FLAGS.replace('bicubic', 'lanczos');

/**
 * Gliding layers are resampled twice, and these kernels compensate for the blur. Text has more detail than pictures,
 * and overshoot beside its edges is invisible. (Parameters of scale are whole numbers in ffmpeg 5.1.)
 */
const SHARP = `${SCALE_FLAGS}:param0=0:param1=1`;
const SHARPER = `${SCALE_FLAGS}:param0=0:param1=2`;

export type LayerPlacement = {
  readonly filters: readonly string[];
  readonly x: string;
  readonly y: string;
  readonly moves: boolean;
};

export type PlacedFrames = {
  readonly own: FrameSpan;
  /** The number of frames from the run's first to the step's frame `own.from`. */
  readonly late: number;
  readonly fps: FrameRate;
  readonly frame: Size;
  readonly form: LayerPixelFormat;
};

const whole = (value: number): number => Math.floor(value + 0.5);
const isWhole = (value: number): boolean => Math.abs(value - whole(value)) < 0.01;

/** Lengths are in pixels of the composition, except `pixels`, which are the step's own. */
type Axis = {
  readonly pixels: number;
  readonly length: number;
  /** The centre of the box, and the distance from it to the region's edge at its own size. */
  readonly middle: number;
  readonly reach: number;
  /**
   * The layer's shifts: `fixed` is the sum of the constant ones, `varying` has expressions of the others, `all` has
   * every one.
   */
  readonly fixed: number;
  readonly varying: readonly string[];
  readonly all: readonly string[];
};

const axisOf = (step: StepBase, region: Region, own: FrameSpan, at: 'x' | 'y', side: 'width' | 'height'): Axis => {
  const { box, dense } = step;
  const ratio = box[side] / dense[side];
  const values = step.shifts.map((shift) => ({
    value: constantWithin(shift[at], own.from, own.until),
    expression: curveExpression(shift[at], own.from, own.until),
  }));
  return {
    pixels: region[side],
    length: region[side] * ratio,
    middle: box[at] + box[side] / 2,
    reach: (region[at] - dense[at]) * ratio - box[side] / 2,
    fixed: values.reduce((sum, { value }) => sum + (value ?? 0), 0),
    varying: values.flatMap(({ value, expression }) => (value === null ? [expression] : [])),
    all: values.map(({ expression }) => expression),
  };
};

const axesOf = (step: StepBase, region: Region, own: FrameSpan) =>
  [axisOf(step, region, own, 'x', 'width'), axisOf(step, region, own, 'y', 'height')] as const;

const isUnchanged = (step: StepBase, region: Region, own: FrameSpan): boolean => {
  const scale = constantWithin(step.scale, own.from, own.until);
  return (
    scale !== null &&
    axesOf(step, region, own).every(
      ({ pixels, length, middle, reach, fixed, varying }) =>
        varying.length === 0 && Math.abs(length * scale - pixels) < 0.01 && isWhole(middle + reach * scale + fixed),
    )
  );
};

/** False also if subpixel positions make no difference. */
export const isGliding = (step: StepBase, region: Region, own: FrameSpan): boolean =>
  step.glides && !isUnchanged(step, region, own);

/** Whether a region with even edges in the step's own pixels is shown unchanged on even pixels. */
export const restsOnEvenPixels = (step: StepBase, region: Region, own: FrameSpan): boolean =>
  isUnscaledAtRest(step, own) &&
  !isGliding(step, region, own) &&
  axesOf(step, region, own).every(({ fixed, varying }) => varying.length === 0 && whole(fixed) % 2 === 0);

const beginOf = ({ middle, reach, fixed, varying }: Axis, scale: number | null, growing: string): string =>
  [
    ...(scale === null
      ? [parenthesizedOperand(middle + fixed), `${parenthesizedOperand(reach)}*${growing}`]
      : [parenthesizedOperand(middle + reach * scale + fixed)]),
    ...varying,
  ].join('+');

/**
 * @param begins whole pixels: numbers, or expressions of the step's frame
 * @param inLayer completes an expression for the layer's timestamps
 * @param inRun completes an expression for the run's timestamps
 */
const onEvenPixels = (
  { chroma, alpha }: LayerPixelFormat,
  max: Size & { readonly varies: boolean },
  [x, y]: readonly [number | string, number | string],
  inLayer: (expression: string) => string,
  inRun: (expression: string) => string,
): LayerPlacement => {
  const at = typeof x === 'number' && typeof y === 'number' ? { x, y } : null;
  if (at !== null && chroma === '420') return { filters: [], x: String(at.x), y: String(at.y), moves: false };
  const [width, height] = [evenLength(max.width) + 2 * EDGE_PIXELS, evenLength(max.height) + 2 * EDGE_PIXELS];
  const pad = (by: number, left: number, top: number): string =>
    `pad=${width + by}:${height + by}:${left}:${top}:color=black@0${max.varies ? ':eval=frame' : ''}`;
  if (at !== null) {
    const [left, top] = [Math.abs(at.x % 2), Math.abs(at.y % 2)];
    // Without alpha, padding is needed only to shift the layer to even pixels: such a layer already fills the frame.
    const edge = alpha || left + top > 0 ? [pad(0, left, top)] : [];
    const placed = { x: String(at.x - left), y: String(at.y - top), moves: false };
    return { filters: [...edge, ...subsampleFilters(alpha)], ...placed };
  }
  const odd = (begin: number | string): string =>
    inLayer(mapLastStatement(String(begin), (of) => `${EDGE_PIXELS}-mod(${of},2)`));
  const placed = (begin: number | string): string =>
    inRun(mapLastStatement(String(begin), (of) => `2*floor((${of})/2)`));
  return {
    filters: [
      pad(EDGE_PIXELS, EDGE_PIXELS, EDGE_PIXELS),
      `crop=${width}:${height}:${odd(x)}:${odd(y)}`,
      ...subsampleFilters(alpha),
    ],
    x: placed(x),
    y: placed(y),
    moves: true,
  };
};

/**
 * Passes each shift as a separate term. Which shifts are constant depends on the part, so adding those first would
 * round differently in each part.
 */
const glidingPlacement = (
  step: StepBase,
  region: Region,
  { own, late, fps, frame, form }: PlacedFrames,
): LayerPlacement => {
  const growing = curveExpression(step.scale, own.from, own.until);
  const glide = (axis: Axis, length: number): GlideExpressions =>
    glideExpressions({
      length: axis.length,
      largest: maxOfCurve(step.scale),
      only: maxOfCurve(step.scale) === minOfCurve(step.scale) ? maxOfCurve(step.scale) : null,
      frame: length,
      scale: growing,
      begin: [parenthesizedOperand(axis.middle), `${parenthesizedOperand(axis.reach)}*ld(1)`, ...axis.all].join('+'),
    });
  const [across, down] = axesOf(step, region, own);
  const [x, y] = [glide(across, frame.width), glide(down, frame.height)];
  // Clips the frame number, because filters evaluate sizes before the first frame, and a curve may have any value
  // outside of `own`.
  const within = `st(0,clip(ld(0),${own.from},${own.until - 1}))`;
  const layer = (of: string): string => `'${withFrameVariable('t', fps, 0, `${within};${of}`)}'`;
  const runExpression = (of: string): string => `'${withFrameVariable('t', fps, own.from - late, of)}'`;
  const max = { width: x.cut, height: y.cut, varies: true };
  const placed = onEvenPixels(form, max, [x.begin, y.begin], layer, runExpression);
  return {
    ...placed,
    filters: [
      `scale=w=${layer(x.enlarged)}:h=${layer(y.enlarged)}:eval=frame:${step.letters ? SHARPER : SHARP}`,
      `pad=${x.padded}:${y.padded}:${x.before}:${y.before}:color=black@0:eval=frame`,
      `crop=${x.cut}:${y.cut}:${layer(x.at)}:${layer(y.at)}`,
      `scale=w=${layer(x.reduced)}:h=${layer(y.reduced)}:eval=frame:${SHARP}`,
      ...placed.filters,
    ],
  };
};

const roundedPlacement = (step: StepBase, region: Region, { own, late, fps, form }: PlacedFrames): LayerPlacement => {
  const scale = constantWithin(step.scale, own.from, own.until);
  const growing = curveExpression(step.scale, own.from, own.until);
  const axes = axesOf(step, region, own);
  const [x, y] = axes;
  const begin = (axis: Axis): number | string =>
    scale !== null && axis.varying.length === 0
      ? whole(axis.middle + axis.reach * scale + axis.fixed)
      : `floor(${beginOf(axis, scale, growing)}+0.5)`;
  const layer = (of: string): string => `'${withFrameVariable('t', fps, 0, of)}'`;
  const runExpression = (of: string): string => `'${withFrameVariable('t', fps, own.from - late, of)}'`;
  const placed = (max: Size & { readonly varies: boolean }, filters: readonly string[]): LayerPlacement => {
    const on_even_pixels = onEvenPixels(form, max, [begin(x), begin(y)], layer, runExpression);
    return { ...on_even_pixels, filters: [...filters, ...on_even_pixels.filters] };
  };
  if (scale === null) {
    const length = ({ length }: Axis): string => layer(`max(1,floor(${decimal(length)}*${growing}+0.5))`);
    const max = ({ length }: Axis): number => Math.max(1, whole(length * maxOfCurve(step.scale)));
    const scaled = `scale=w=${length(x)}:h=${length(y)}:eval=frame:${SCALE_FLAGS}`;
    return placed({ width: max(x), height: max(y), varies: true }, [scaled]);
  }
  const [width, height] = [x, y].map(({ length }) => Math.max(1, whole(length * scale))) as [number, number];
  const is_unscaled = width === x.pixels && height === y.pixels;
  return placed({ width, height, varies: false }, is_unscaled ? [] : [`scale=${width}:${height}:${SCALE_FLAGS}`]);
};

export const layerPlacement = (step: StepBase, region: Region, frames: PlacedFrames): LayerPlacement =>
  isGliding(step, region, frames.own) ? glidingPlacement(step, region, frames) : roundedPlacement(step, region, frames);
