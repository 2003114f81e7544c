import type { PlacedLayer } from '../../domain/composition/layers.ts';
import { type EdgePadding, evenLength, NO_EDGE_PADDING, type Region, type Size } from '../raster/geometry.ts';
import { type Curve, curveValueAt, minOfCurve } from './curve.ts';
import { exceedsBox } from './effects.ts';
import { hasRoundCorners } from './framing.ts';
import type { PositionShift } from './scene.ts';

/**
 * The filters that place a layer at subpixel positions read this many pixels of the composition beyond the layer's
 * edge.
 */
const REACH = 4;
/** Maximum width of the margin. At a scale of an eighth or more, this much colour around an edge is enough. */
const MAX_MARGIN = 32;
/** Each of two sliding layers continues this far below or above the other one, so that no gap shows between them. */
const OVERLAP = 2;
/** Number of times between two keyframes at which a layer's position is sampled. */
const SAMPLES = 16;

type GlidingLayer = {
  readonly box: Region;
  readonly dense: Region;
  readonly scale: Curve;
  readonly shifts: readonly PositionShift[];
  /** Whether the layer's box always covers the frame, and whether the layer hides the frame at rest. */
  readonly covers: boolean;
  readonly hides: boolean;
};

/** Frames at which positions are sampled: the ends of all curve pieces, and some frames between them. */
const sampleTimes = (curves: readonly Curve[]): readonly number[] => {
  const edges = [...new Set(curves.flat().flatMap(({ begin, end }) => [begin, end]))].sort((a, b) => a - b);
  return edges.flatMap((edge, index) => {
    const next = edges[index + 1] ?? edge;
    return Array.from({ length: SAMPLES }, (_, part) => edge + ((next - edge) * part) / SAMPLES);
  });
};

export const alwaysCoversFrame = (
  { box, scale, shifts }: Pick<GlidingLayer, 'box' | 'scale' | 'shifts'>,
  frame: Size,
): boolean =>
  sampleTimes([scale, ...shifts.flatMap(({ x, y }) => [x, y])]).every((time) => {
    const factor = curveValueAt(scale, time);
    return (['x', 'y'] as const).every((at) => {
      const side = at === 'x' ? 'width' : 'height';
      const middle = box[at] + box[side] / 2 + shifts.reduce((sum, shift) => sum + curveValueAt(shift[at], time), 0);
      const reach = (box[side] / 2) * factor;
      return middle - reach <= 0.01 && middle + reach >= frame[side] - 0.01;
    });
  });

/** The edge of a layer that covers the frame, or slides next to another one, must not blend with transparent pixels. */
export const edgePaddingOf = (layer: PlacedLayer, moving: GlidingLayer): EdgePadding => {
  const { box, dense, scale, covers, hides } = moving;
  const min_scale = (minOfCurve(scale) * box.width) / dense.width;
  const margin = evenLength(Math.min(MAX_MARGIN, REACH / Math.max(min_scale, REACH / MAX_MARGIN)));
  const is_soft = hasRoundCorners(layer) || (layer.type !== 'video' && exceedsBox(layer));
  if (is_soft || layer.rotation % 360 !== 0) return { ...NO_EDGE_PADDING, margin };
  if (covers) return { margin, opaque: margin };
  return { margin, opaque: hides ? OVERLAP : 0 };
};
