import type { PlacedLayer } from '../../domain/composition/layers.ts';
import { evenLength, NO_SURROUND, type Region, type Size, type Surround } from '../raster/geometry.ts';
import { type Curve, smallestOf, valueAt } from './curve.ts';
import type { Shift } from './scene.ts';

/** The filters that place a layer between pixels reach so many pixels of the frame past its edge. */
const REACH = 4;
/** At a scale of an eighth or more an edge has all the colour around it that it needs. */
const MOST = 32;
/** Of two layers that slide, each goes on so far beneath or above the other one, so that nothing shows between them. */
const OVERLAP = 2;
/** Moments between two keyframes at which it is looked up where a layer is. */
const MOMENTS = 16;

type Moving = {
  readonly box: Region;
  readonly dense: Region;
  readonly scale: Curve;
  readonly shifts: readonly Shift[];
  /** Whether its box covers the frame at all times, and hides it while it rests. */
  readonly covers: boolean;
  readonly hides: boolean;
};

/** Frames between which everything changes steadily, and some within. */
const momentsOf = (curves: readonly Curve[]): readonly number[] => {
  const edges = [...new Set(curves.flat().flatMap(({ begin, end }) => [begin, end]))].sort((a, b) => a - b);
  return edges.flatMap((edge, index) => {
    const next = edges[index + 1] ?? edge;
    return Array.from({ length: MOMENTS }, (_, part) => edge + ((next - edge) * part) / MOMENTS);
  });
};

/** Whether the box covers the frame at all times, so that no edge of it is ever seen. */
export const coversAlways = ({ box, scale, shifts }: Pick<Moving, 'box' | 'scale' | 'shifts'>, frame: Size): boolean =>
  momentsOf([scale, ...shifts.flatMap(({ x, y }) => [x, y])]).every((moment) => {
    const factor = valueAt(scale, moment);
    return (['x', 'y'] as const).every((at) => {
      const side = at === 'x' ? 'width' : 'height';
      const middle = box[at] + box[side] / 2 + shifts.reduce((sum, shift) => sum + valueAt(shift[at], moment), 0);
      const reach = (box[side] / 2) * factor;
      return middle - reach <= 0.01 && middle + reach >= frame[side] - 0.01;
    });
  });

/**
 * What surrounds a layer that glides. The edge of one that covers the frame is not to be mixed with what is transparent
 * where it lies on the frame's own edge; nor is that of one that slides beside another one.
 */
export const surroundOf = ({ type, rotation }: PlacedLayer, moving: Moving): Surround => {
  const { box, dense, scale, covers, hides } = moving;
  const least = (smallestOf(scale) * box.width) / dense.width;
  const margin = evenLength(Math.min(MOST, REACH / Math.max(least, REACH / MOST)));
  if (type === 'text' || rotation % 360 !== 0) return { ...NO_SURROUND, margin };
  if (covers) return { margin, opaque: margin };
  return { margin, opaque: hides ? OVERLAP : 0 };
};
