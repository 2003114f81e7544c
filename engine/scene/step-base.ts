import { type FrameSpan, largestScale } from '../../domain/composition/extents.ts';
import { largestGroupScale } from '../../domain/composition/layer-groups.ts';
import type { PlacedLayer } from '../../domain/composition/layers.ts';
import { area, contains, frameRegion, NO_EDGE_PADDING, type Region, scaledBox } from '../raster/geometry.ts';
import { isOpaque, opaqueRegion } from './covering.ts';
import { type Curve, changesContinuously, constantCurve, curveOf, linearRamp, roundConstantPieces } from './curve.ts';
import { dissolveIdOf, type MediaLookup, needsLowerLayerFade } from './dissolves.ts';
import { groupMotionsOf, isGlidingGroup, isMovedByGroup, mixesOf, motionInGroups } from './group-motion.ts';
import type { LayerFade, PositionShift, StepBase } from './scene.ts';
import { alwaysCoversFrame, edgePaddingOf } from './surround.ts';
import {
  type Composition,
  hasTransition,
  type LayerWithTransition,
  replacingLayer,
  transitionFrames,
} from './timing.ts';

const DIRECTIONS = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] } as const;

/** `first` and `last` are offsets in frame sizes. */
const slide = (
  { transition }: LayerWithTransition,
  at: number,
  frames: number,
  [first, last]: readonly [number, number],
  { width, height }: Composition,
): PositionShift => {
  const [across, down] = DIRECTIONS[transition.direction];
  const way = (sign: number, side: number): Curve =>
    sign === 0 ? constantCurve(0) : linearRamp(at, frames, sign * first * side, sign * last * side);
  return { x: way(across, width), y: way(down, height) };
};

const transitionsOf = (
  layer: PlacedLayer,
  length: number,
  composition: Composition,
  mediaOf: MediaLookup,
): { readonly fades: readonly LayerFade[]; readonly shifts: readonly PositionShift[] } => {
  const fades: LayerFade[] = [];
  const shifts: PositionShift[] = [];
  const { transition } = layer;
  const before = composition.layers.find(({ id, visible }) => visible && id === transition?.from);
  if (hasTransition(layer) && before !== undefined && before.type !== 'audio') {
    const frames = transitionFrames(layer, composition);
    if (layer.transition.type === 'slide') shifts.push(slide(layer, 0, frames, [-1, 0], composition));
    else if (needsLowerLayerFade(layer, before, composition, mediaOf))
      fades.push({ type: 'in', at: 0, frames, dissolve: dissolveIdOf(layer, composition, mediaOf) });
  }
  const next = replacingLayer(layer, composition);
  if (next !== undefined) {
    const frames = transitionFrames(next, composition);
    const at = length - frames;
    if (next.transition.type === 'slide') shifts.push(slide(next, at, frames, [0, 1], composition));
    else if (needsLowerLayerFade(layer, next, composition, mediaOf))
      fades.push({ type: 'out', at, frames, dissolve: dissolveIdOf(next, composition, mediaOf) });
  }
  return { fades, shifts };
};

const ownFades = (
  layer: PlacedLayer,
  length: number,
  replaced: boolean,
  { fps }: Composition,
): readonly LayerFade[] => {
  const inFrames = (time_s: number) => Math.min(length, Math.round((time_s * fps.num) / fps.den));
  const [frames_in, frames_out] = [inFrames(layer.fade_in), replaced ? 0 : inFrames(layer.fade_out)];
  return [
    ...(frames_in > 0 ? [{ type: 'in' as const, at: 0, frames: frames_in, dissolve: null }] : []),
    ...(frames_out > 0 ? [{ type: 'out' as const, at: length - frames_out, frames: frames_out, dissolve: null }] : []),
  ];
};

/** Maximum area of a scaled layer's raster, before it is scaled to its largest size. */
const MAX_DENSE_PIXELS = 4096 * 4096;

/** Pixels of the layer for one pixel of the composition, so that the layer is sharp at its largest scale. */
const densityOf = (layer: PlacedLayer, box: Region, max_density: number, headroom: number): number => {
  const largest = Math.max(1, largestScale(layer) * largestGroupScale(layer));
  return Math.max(1, Math.min(largest * headroom, max_density, Math.sqrt(MAX_DENSE_PIXELS / area(box))));
};

/**
 * Extra density, so that a moving picture is as sharp after resampling as at rest. Texts get no extra density: their
 * layout depends on their size, so lines and letters would jump when the text stops.
 */
export const DENSITY_HEADROOM = 1.25;

export const hasMotionKeyframes = (layer: PlacedLayer): boolean =>
  layer.keyframes.position.length + layer.keyframes.scale.length > 0 || isMovedByGroup(layer);

/** A slide of this layer or of its successor counts too. */
export const isMoving = (layer: PlacedLayer, composition: Composition): boolean =>
  hasMotionKeyframes(layer) ||
  [hasTransition(layer) ? layer : undefined, replacingLayer(layer, composition)].some(
    (next) => next?.transition.type === 'slide',
  );

type Placed = {
  readonly field: string;
  readonly span: FrameSpan;
  readonly box: Region;
  readonly drawn: boolean;
  /** The density above which the layer's source has no more detail. */
  readonly max_density: number;
  readonly headroom?: number;
};

export const stepBaseOf = (
  layer: PlacedLayer,
  { field, span, box, drawn, max_density, headroom = 1 }: Placed,
  composition: Composition,
  mediaOf: MediaLookup,
): StepBase => {
  const { fps } = composition;
  const { position, opacity, scale } = layer.keyframes;
  const length = span.until - span.from;
  const transitions = transitionsOf(layer, length, composition, mediaOf);
  const position_curve = {
    x: curveOf(position, ({ x }) => x - box.x, 0, fps),
    y: curveOf(position, ({ y }) => y - box.y, 0, fps),
  };
  const own_scale = curveOf(scale, ({ value }) => value, 1, fps);
  const groups = groupMotionsOf(layer, span, composition);
  const is_gliding =
    groups.some(isGlidingGroup) ||
    [own_scale, ...[position_curve, ...transitions.shifts].flatMap(({ x, y }) => [x, y])].some(changesContinuously);
  const shift = is_gliding
    ? { x: roundConstantPieces(position_curve.x), y: roundConstantPieces(position_curve.y) }
    : position_curve;
  const opaque = opaqueRegion(layer, mediaOf(layer), composition);
  const hides = opaque !== null && contains(opaque, frameRegion(composition));
  const own_shifts = [...(position.length > 0 ? [shift] : []), ...transitions.shifts];
  const { shifts, scale: scale_curve } = motionInGroups(
    groups,
    { shifts: own_shifts, scale: own_scale },
    box,
    length,
    is_gliding,
  );
  const mixes = mixesOf(layer, composition);
  const dense = scaledBox(box, densityOf(layer, box, max_density, headroom));
  const covers = is_gliding && alwaysCoversFrame({ box, scale: scale_curve, shifts }, composition);
  const fades = [
    ...ownFades(layer, length, replacingLayer(layer, composition) !== undefined, composition),
    ...transitions.fades,
  ];
  return {
    field,
    ...span,
    fades,
    opacity: curveOf(opacity, ({ value }) => value, drawn ? 1 : layer.opacity, fps),
    shifts,
    scale: scale_curve,
    glides: is_gliding,
    letters: layer.type === 'text',
    surround: is_gliding
      ? edgePaddingOf(layer, { box, dense, scale: scale_curve, shifts, covers, hides })
      : NO_EDGE_PADDING,
    solid: covers && fades.length === 0 && isOpaque(layer, mediaOf(layer), composition),
    box,
    dense,
    hides,
    ...(mixes.length === 0 ? {} : { mixes }),
  };
};
