import type { FrameSpan } from '../../domain/composition/extents.ts';
import type { FrameRate } from '../../domain/composition/frame-rate.ts';
import { constantWithin } from '../scene/curve.ts';
import { fadesWithin } from '../scene/hiding.ts';
import type { Step } from '../scene/scene.ts';
import { curveExpression, decimal, withFrameVariable } from './expressions.ts';

export const fadeFilters = (step: Step, own: FrameSpan, { num, den }: FrameRate): readonly string[] =>
  fadesWithin(step, own).flatMap(({ type, at, frames, dissolve }) => {
    const seconds = (count: number): string => decimal((count * den) / num);
    return dissolve !== null ? [] : `fade=type=${type}:start_time=${seconds(at)}:duration=${seconds(frames)}:alpha=1`;
  });

export const isTranslucent = (step: Step, own: FrameSpan): boolean =>
  fadesWithin(step, own).length > 0 || constantWithin(step.opacity, own.from, own.until) !== 1;

type Layer = {
  readonly label: string;
  readonly opaque: boolean;
  readonly width: number;
  readonly height: number;
  /** Keeps levels outside of the studio range, which `lutyuv` clips. For pictures that parts of a film may leave out. */
  readonly exact?: true;
};

/** `graph` continues from the layer's label, and ends at `end`. */
export type OpacityGraph = {
  readonly filters: readonly string[];
  readonly graph: readonly string[];
  readonly end: string;
};

/** The brightness of these grey frames is the layer's opacity. */
const opacityFrames = (
  step: Pick<Step, 'opacity'>,
  own: FrameSpan,
  fps: FrameRate,
  { width, height }: Layer,
): string => {
  const level = `floor(255*${curveExpression(step.opacity, own.from, own.until)}+0.5)`;
  return [
    `color=c=black:s=2x2:r=${fps.num}/${fps.den}`,
    `trim=end_frame=${own.until - own.from}`,
    'format=gray',
    `geq=lum='${withFrameVariable('T', fps, own.from, level)}'`,
    'setparams=range=pc',
    `scale=${width}:${height}:flags=neighbor:in_range=pc:out_range=pc`,
    `settb=${fps.den}/${fps.num}`,
    `setpts=N+${own.from}`,
  ].join(',');
};

export const opacityGraph = (
  step: Pick<Step, 'opacity'>,
  own: FrameSpan,
  fps: FrameRate,
  layer: Layer,
): OpacityGraph => {
  const { label, opaque, exact } = layer;
  const levels = exact === true ? 'y=val:u=val:v=val:' : '';
  const value = constantWithin(step.opacity, own.from, own.until);
  if (value === 1) return { filters: [], graph: [], end: label };
  if (value !== null) {
    // The opacity is rounded like that of the grey frames, so that a cut between two parts changes no pixel.
    return { filters: [`lutyuv=${levels}a=val*${Math.floor(255 * value + 0.5)}/255`], graph: [], end: label };
  }
  const [mask, end] = [`${label}level`, `${label}mixed`];
  if (opaque)
    return {
      filters: [],
      graph: [`${opacityFrames(step, own, fps, layer)}[${mask}]`, `[${label}][${mask}]alphamerge[${end}]`],
      end,
    };
  return {
    filters: [],
    graph: [
      `${opacityFrames(step, own, fps, layer)}[${mask}]`,
      `[${label}]split[${label}color][${label}shape]`,
      `[${label}shape]alphaextract,setparams=range=pc[${label}alpha]`,
      `[${label}alpha][${mask}]blend=all_mode=multiply[${label}thin]`,
      `[${label}color][${label}thin]alphamerge[${end}]`,
    ],
    end,
  };
};
