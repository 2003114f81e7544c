import type { Span } from '../../domain/composition/extents.ts';
import type { PlacedLayer } from '../../domain/composition/layers.ts';
import { area, contains, denseBox, frameRegion, NO_SURROUND, type Region } from '../raster/geometry.ts';
import { isOpaque, opaqueRegion } from './covering.ts';
import { type Curve, constant, curveOf, glides, ramp, restingWhole } from './curve.ts';
import { dissolveOf, type MediaOf, mustFade } from './dissolves.ts';
import type { Fade, Shift, Shown } from './scene.ts';
import { coversAlways, surroundOf } from './surround.ts';
import {
  type Composition,
  hasTransition,
  type LayerWithTransition,
  layerThatReplaces,
  transitionFrames,
} from './timing.ts';

const DIRECTIONS = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] } as const;

/** What a slide adds to a layer's place, `first` and `last` in sizes of the frame. */
const slide = (
  { transition }: LayerWithTransition,
  at: number,
  frames: number,
  [first, last]: readonly [number, number],
  { width, height }: Composition,
): Shift => {
  const [across, down] = DIRECTIONS[transition.direction];
  const way = (sign: number, side: number): Curve =>
    sign === 0 ? constant(0) : ramp(at, frames, sign * first * side, sign * last * side);
  return { x: way(across, width), y: way(down, height) };
};

/** What transitions from and to other layers do to a layer. */
const transitionsOf = (
  layer: PlacedLayer,
  length: number,
  composition: Composition,
  mediaOf: MediaOf,
): { readonly fades: readonly Fade[]; readonly shifts: readonly Shift[] } => {
  const fades: Fade[] = [];
  const shifts: Shift[] = [];
  const { transition } = layer;
  const before = composition.layers.find(({ id, visible }) => visible && id === transition?.from);
  if (hasTransition(layer) && before !== undefined && before.type !== 'audio') {
    const frames = transitionFrames(layer, composition);
    if (layer.transition.type === 'slide') shifts.push(slide(layer, 0, frames, [-1, 0], composition));
    else if (mustFade(layer, before, composition, mediaOf))
      fades.push({ type: 'in', at: 0, frames, dissolve: dissolveOf(layer, composition, mediaOf) });
  }
  const next = layerThatReplaces(layer, composition);
  if (next !== undefined) {
    const frames = transitionFrames(next, composition);
    const at = length - frames;
    if (next.transition.type === 'slide') shifts.push(slide(next, at, frames, [0, 1], composition));
    else if (mustFade(layer, next, composition, mediaOf))
      fades.push({ type: 'out', at, frames, dissolve: dissolveOf(next, composition, mediaOf) });
  }
  return { fades, shifts };
};

const ownFades = (layer: PlacedLayer, length: number, replaced: boolean, { fps }: Composition): readonly Fade[] => {
  const inFrames = (time_s: number) => Math.min(length, Math.round((time_s * fps.num) / fps.den));
  const [into, out] = [inFrames(layer.fade_in), replaced ? 0 : inFrames(layer.fade_out)];
  return [
    ...(into > 0 ? [{ type: 'in' as const, at: 0, frames: into, dissolve: null }] : []),
    ...(out > 0 ? [{ type: 'out' as const, at: length - out, frames: out, dissolve: null }] : []),
  ];
};

/** The largest area in which a layer that grows is kept, before it is made as large as it is to be. */
const MAX_DENSE_PIXELS = 4096 * 4096;

/** How many of its own pixels a layer needs for one of the composition, so that it is sharp where it is largest. */
const densityOf = ({ keyframes }: PlacedLayer, box: Region, most: number, headroom: number): number => {
  const largest = Math.max(...keyframes.scale.map(({ value }) => value), 1);
  return Math.max(1, Math.min(largest * headroom, most, Math.sqrt(MAX_DENSE_PIXELS / area(box))));
};

/**
 * A picture is resampled on its way: from so much denser pixels it stays as sharp as where it rests. A text would be set
 * otherwise at another size: its lines and letters would jump where it comes to rest.
 */
export const HEADROOM = 1.25;

export const hasPath = ({ keyframes }: PlacedLayer): boolean => keyframes.position.length + keyframes.scale.length > 0;

/** Whether it is ever anywhere but where it rests, at its own size. */
export const isMoving = (layer: PlacedLayer, composition: Composition): boolean =>
  layer.keyframes.position.length > 0 ||
  layer.keyframes.scale.length > 0 ||
  [hasTransition(layer) ? layer : undefined, layerThatReplaces(layer, composition)].some(
    (next) => next?.transition.type === 'slide',
  );

type Seen = {
  readonly field: string;
  readonly span: Span;
  readonly box: Region;
  /** Of a raster the one opacity that it has is drawn. */
  readonly drawn: boolean;
  /** The density above which its source has no more to show. */
  readonly most_density: number;
  /** The factor by which it is denser than where it is largest. */
  readonly headroom?: number;
};

export const shownOf = (
  layer: PlacedLayer,
  { field, span, box, drawn, most_density, headroom = 1 }: Seen,
  composition: Composition,
  mediaOf: MediaOf,
): Shown => {
  const { fps } = composition;
  const { position, opacity, scale } = layer.keyframes;
  const length = span.until - span.from;
  const transitions = transitionsOf(layer, length, composition, mediaOf);
  const asked = {
    x: curveOf(position, ({ x }) => x - box.x, 0, fps),
    y: curveOf(position, ({ y }) => y - box.y, 0, fps),
  };
  const grown = curveOf(scale, ({ value }) => value, 1, fps);
  const moving = [grown, ...[asked, ...transitions.shifts].flatMap(({ x, y }) => [x, y])].some(glides);
  const shift = moving ? { x: restingWhole(asked.x), y: restingWhole(asked.y) } : asked;
  const opaque = opaqueRegion(layer, mediaOf(layer), composition);
  const hides = opaque !== null && contains(opaque, frameRegion(composition));
  const shifts = [...(position.length > 0 ? [shift] : []), ...transitions.shifts];
  const dense = denseBox(box, densityOf(layer, box, most_density, headroom));
  const covers = moving && coversAlways({ box, scale: grown, shifts }, composition);
  const fades = [
    ...ownFades(layer, length, layerThatReplaces(layer, composition) !== undefined, composition),
    ...transitions.fades,
  ];
  return {
    field,
    ...span,
    fades,
    opacity: curveOf(opacity, ({ value }) => value, drawn ? 1 : layer.opacity, fps),
    shifts,
    scale: grown,
    glides: moving,
    letters: layer.type === 'text',
    surround: moving ? surroundOf(layer, { box, dense, scale: grown, shifts, covers, hides }) : NO_SURROUND,
    solid: covers && fades.length === 0 && isOpaque(layer, mediaOf(layer), composition),
    box,
    dense,
    hides,
  };
};
