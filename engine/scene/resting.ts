import type { FrameSpan } from '../../domain/composition/extents.ts';
import { constantWithin } from './curve.ts';
import type { Step, StepBase, VideoStep } from './scene.ts';

const isOdd = (length: number): boolean => length % 2 !== 0;

/** True if the video's pixels are not aligned with the composition's 4:2:0 grid. Rasters are drawn with even edges. */
export const isMisalignedToChroma = ({ rotation, seen, placed }: VideoStep): boolean =>
  rotation !== 0 || [seen.x, seen.y, seen.width, seen.height, seen.x - placed.x, seen.y - placed.y].some(isOdd);

export const isUnscaledAtRest = (
  { scale, box, dense }: Pick<Step, 'scale' | 'box' | 'dense'>,
  own: FrameSpan,
): boolean =>
  box.width === dense.width && box.height === dense.height && constantWithin(scale, own.from, own.until) === 1;

/** `scale` is null unless the layer rests at one scale on whole pixels. */
export type RasterInterval = FrameSpan & { readonly scale: number | null };

const isWhole = (value: number): boolean => Math.abs(value - Math.round(value)) < 0.01;

/** Null if the layer does not lie on whole pixels during all these frames. */
const wholeScale = ({ scale, shifts, box }: StepBase, from: number, until: number): number | null => {
  const factor = constantWithin(scale, from, until);
  if (factor === null) return null;
  const is_aligned = (['x', 'y'] as const).every((at) => {
    const length = box[at === 'x' ? 'width' : 'height'];
    const offsets = shifts.map((shift) => constantWithin(shift[at], from, until));
    const start = offsets.reduce<number>(
      (sum, shift) => sum + (shift ?? Number.NaN),
      box[at] + (length * (1 - factor)) / 2,
    );
    return isWhole(length * factor) && isWhole(start);
  });
  return is_aligned ? factor : null;
};

/** @param full_density scales above it get no raster of their own, because the source has no more detail */
export const rasterIntervalsOf = (shown: StepBase, full_density: number): readonly RasterInterval[] => {
  const length = shown.until - shown.from;
  const curves = [shown.scale, ...shown.shifts.flatMap(({ x, y }) => [x, y])];
  const edges = [...new Set([0, ...curves.flat().map(({ from }) => from), length])]
    .filter((frame) => frame <= length)
    .sort((a, b) => a - b);
  const stretches: RasterInterval[] = [];
  for (const [index, until] of edges.slice(1).entries()) {
    const from = edges[index] ?? 0;
    const rests = wholeScale(shown, from, until);
    const scale = rests === null || rests > full_density ? null : rests;
    const last = stretches.at(-1);
    if (last?.scale === scale) stretches[stretches.length - 1] = { ...last, until };
    else stretches.push({ from, until, scale });
  }
  return stretches;
};
