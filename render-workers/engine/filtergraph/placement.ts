import type { Span } from '../../../domain/composition/extents.ts';
import type { FrameRate } from '../../../domain/composition/frame-rate.ts';
import type { Region, Size } from '../raster/geometry.ts';
import { constantWithin, largestOf, smallestOf } from '../scene/curve.ts';
import type { Shown } from '../scene/scene.ts';
import { curveExpression, decimal, operand, withFrame } from './expressions.ts';
import { glideOf } from './gliding.ts';

export const SCALING = 'flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp';

/** The step's region on the frames `own`: the filters that make it as large as it is shown, and where `overlay` lays it. */
export type Placement = {
  readonly filters: readonly string[];
  readonly x: string;
  readonly y: string;
  readonly moves: boolean;
};

export type PlacedFrames = {
  readonly own: Span;
  /** The number of frames from the run's first to the step's frame `own.from`. */
  readonly late: number;
  readonly fps: FrameRate;
  readonly frame: Size;
};

const whole = (value: number): number => Math.floor(value + 0.5);
const isWhole = (value: number): boolean => Math.abs(value - whole(value)) < 0.01;

/** One dimension of a region: lengths in pixels of the composition, but `pixels` in those of the step. */
type Axis = {
  readonly pixels: number;
  readonly length: number;
  /** The centre of the box, and the distance from it to the region's edge at its own size. */
  readonly middle: number;
  readonly reach: number;
  /** The shifts: the sum of the constant ones, expressions of the others, and of all. */
  readonly fixed: number;
  readonly varying: readonly string[];
  readonly all: readonly string[];
};

const axisOf = (step: Shown, region: Region, own: Span, at: 'x' | 'y', side: 'width' | 'height'): Axis => {
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

const axesOf = (step: Shown, region: Region, own: Span) =>
  [axisOf(step, region, own, 'x', 'width'), axisOf(step, region, own, 'y', 'height')] as const;

/** Whether it lies on whole pixels, as large as it was drawn, while the frames `own` show. */
const liesAsDrawn = (step: Shown, region: Region, own: Span): boolean => {
  const scale = constantWithin(step.scale, own.from, own.until);
  return (
    scale !== null &&
    axesOf(step, region, own).every(
      ({ pixels, length, middle, reach, fixed, varying }) =>
        varying.length === 0 && Math.abs(length * scale - pixels) < 0.01 && isWhole(middle + reach * scale + fixed),
    )
  );
};

/** Whether the frames `own` of a step are placed between pixels. Where it makes no difference they are not. */
export const isGliding = (step: Shown, region: Region, own: Span): boolean =>
  step.glides && !liesAsDrawn(step, region, own);

const beginOf = ({ middle, reach, fixed, varying }: Axis, scale: number | null, growing: string): string =>
  [
    ...(scale === null
      ? [operand(middle + fixed), `${operand(reach)}*${growing}`]
      : [operand(middle + reach * scale + fixed)]),
    ...varying,
  ].join('+');

/**
 * Scaled about the centre of the box, then shifted. Numbers are not added up here: rounded in another order, the last of
 * their digits would depend on where parts are cut.
 */
const gliding = (step: Shown, region: Region, { own, late, fps, frame }: PlacedFrames): Placement => {
  const growing = curveExpression(step.scale, own.from, own.until);
  const glides = axesOf(step, region, own).map((axis, index) =>
    glideOf({
      pixels: axis.pixels,
      length: axis.length,
      largest: largestOf(step.scale),
      only: largestOf(step.scale) === smallestOf(step.scale) ? largestOf(step.scale) : null,
      frame: index === 0 ? frame.width : frame.height,
      scale: growing,
      begin: [operand(axis.middle), `${operand(axis.reach)}*ld(1)`, ...axis.all].join('+'),
    }),
  );
  const [x, y] = glides;
  if (x === undefined || y === undefined) return { filters: [], x: '0', y: '0', moves: false };
  // Filters ask for sizes before there is a frame: outside of `own` a curve may be anything.
  const within = `st(0,clip(ld(0),${own.from},${own.until - 1}))`;
  const layer = (of: string): string => `'${withFrame('t', fps, 0, `${within};${of}`)}'`;
  const composed = (of: string): string => `'${withFrame('t', fps, own.from - late, of)}'`;
  return {
    filters: [
      `scale=w=${layer(x.enlarged)}:h=${layer(y.enlarged)}:eval=frame:${SCALING}`,
      `pad=${x.padded}:${y.padded}:${x.before}:${y.before}:color=black@0:eval=frame`,
      `crop=${x.cut}:${y.cut}:${layer(x.at)}:${layer(y.at)}`,
      `scale=w=${layer(x.reduced)}:h=${layer(y.reduced)}:eval=frame:${SCALING}`,
    ],
    x: composed(x.begin),
    y: composed(y.begin),
    moves: true,
  };
};

/** The same rounded to whole pixels. */
const rounded = (step: Shown, region: Region, { own, late, fps }: PlacedFrames): Placement => {
  const scale = constantWithin(step.scale, own.from, own.until);
  const growing = curveExpression(step.scale, own.from, own.until);
  const axes = axesOf(step, region, own);
  const begin = (axis: Axis): string =>
    scale !== null && axis.varying.length === 0
      ? String(whole(axis.middle + axis.reach * scale + axis.fixed))
      : `'${withFrame('t', fps, own.from - late, `floor(${beginOf(axis, scale, growing)}+0.5)`)}'`;
  const [x, y] = axes;
  const placed = {
    x: begin(x),
    y: begin(y),
    moves: scale === null || x.varying.length + y.varying.length > 0,
  };
  if (scale === null) {
    const length = ({ length }: Axis): string =>
      `'${withFrame('t', fps, 0, `max(1,floor(${decimal(length)}*${growing}+0.5))`)}'`;
    return { ...placed, filters: [`scale=w=${length(x)}:h=${length(y)}:eval=frame:${SCALING}`] };
  }
  const [width, height] = axes.map(({ length }) => Math.max(1, whole(length * scale)));
  const asDrawn = width === x.pixels && height === y.pixels;
  return { ...placed, filters: asDrawn ? [] : [`scale=${width}:${height}:${SCALING}`] };
};

export const placement = (step: Shown, region: Region, frames: PlacedFrames): Placement =>
  isGliding(step, region, frames.own) ? gliding(step, region, frames) : rounded(step, region, frames);
