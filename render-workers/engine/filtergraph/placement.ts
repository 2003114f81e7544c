import type { Span } from '../../../domain/composition/extents.ts';
import type { FrameRate } from '../../../domain/composition/frame-rate.ts';
import type { Region } from '../raster/geometry.ts';
import { constantWithin } from '../scene/curve.ts';
import type { Shown } from '../scene/scene.ts';
import { curveExpression, decimal, operand, withFrame } from './expressions.ts';

export const SCALING = 'flags=bicubic+accurate_rnd+full_chroma_int+full_chroma_inp';

/** The step's region on the frames `own`, as filter options; `size` is null where it is as large as it was drawn. */
export type Placement = {
  readonly size: string | null;
  readonly x: string;
  readonly y: string;
  readonly moves: boolean;
};

const whole = (value: number): number => Math.floor(value + 0.5);

/** One dimension of a region: lengths in pixels of the composition, but `pixels` in those of the step. */
type Axis = {
  readonly pixels: number;
  readonly length: number;
  /** The centre of the box, and the distance from it to the region's edge at its own size. */
  readonly middle: number;
  readonly reach: number;
  /** The shifts: the sum of the constant ones, and expressions of the others. */
  readonly fixed: number;
  readonly varying: readonly string[];
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
  };
};

/**
 * The position of a step's region in the composition: scaled about the centre of the box, then shifted, and rounded to
 * whole pixels. `late` is the number of frames from the run's first to the step's frame `own.from`.
 */
export const placement = (step: Shown, region: Region, own: Span, late: number, fps: FrameRate): Placement => {
  const scale = constantWithin(step.scale, own.from, own.until);
  const growing = curveExpression(step.scale, own.from, own.until);
  const axes = [axisOf(step, region, own, 'x', 'width'), axisOf(step, region, own, 'y', 'height')] as const;
  const expression = (of: string): string => `'${withFrame('t', fps, own.from - late, of)}'`;

  const begin = ({ middle, reach, fixed, varying }: Axis): string => {
    if (scale !== null && varying.length === 0) return String(whole(middle + reach * scale + fixed));
    const rest =
      scale === null
        ? [operand(middle + fixed), `${operand(reach)}*${growing}`]
        : [operand(middle + reach * scale + fixed)];
    return expression(`floor(${[...rest, ...varying].join('+')}+0.5)`);
  };
  const [x, y] = axes;
  const placed = {
    x: begin(x),
    y: begin(y),
    moves: scale === null || x.varying.length + y.varying.length > 0,
  };
  if (scale === null) {
    const length = ({ length }: Axis): string =>
      `'${withFrame('t', fps, 0, `max(1,floor(${decimal(length)}*${growing}+0.5))`)}'`;
    return { ...placed, size: `scale=w=${length(x)}:h=${length(y)}:eval=frame:${SCALING}` };
  }
  const [width, height] = axes.map(({ length }) => Math.max(1, whole(length * scale)));
  const asDrawn = width === x.pixels && height === y.pixels;
  return { ...placed, size: asDrawn ? null : `scale=${width}:${height}:${SCALING}` };
};
