import { type FrameSpan, visibleFrames } from '../../domain/composition/extents.ts';
import type { PlacedLayer } from '../../domain/composition/layers.ts';
import type { MediaProperties } from '../media/media-properties.ts';
import { coversLayer, opaqueRegion } from './covering.ts';
import { type Composition, hasTransition, type LayerWithTransition } from './timing.ts';

export type MediaLookup = (layer: PlacedLayer) => MediaProperties | undefined;

/** False only if `other` is above `layer` and covers it: then `layer` appears and disappears unseen. */
export const needsLowerLayerFade = (
  layer: PlacedLayer,
  other: PlacedLayer,
  composition: Composition,
  mediaOf: MediaLookup,
): boolean =>
  composition.layers.indexOf(layer) > composition.layers.indexOf(other) ||
  !coversLayer(opaqueRegion(other, mediaOf(other), composition), layer, composition);

/** `lower` and `higher` are indices of layers. During these frames, one of the layers replaces the other. */
type CrossFade = FrameSpan & { readonly id: string; readonly lower: number; readonly higher: number };

const crossFadeOf = (layer: LayerWithTransition, composition: Composition, mediaOf: MediaLookup): CrossFade | null => {
  const { layers } = composition;
  const { id, start, transition, groups = [] } = layer;
  const before = layers.find((other) => other.visible && other.id === transition.from);
  if (before === undefined || before.type === 'audio' || transition.type !== 'cross_fade') return null;
  if (
    !needsLowerLayerFade(layer, before, composition, mediaOf) ||
    !needsLowerLayerFade(before, layer, composition, mediaOf)
  )
    return null;
  const isOpaque = (one: PlacedLayer): boolean => opaqueRegion(one, mediaOf(one), composition) !== null;
  if (isOpaque(layer) && isOpaque(before)) return null;
  const { from, until } = visibleFrames({ start, duration: transition.duration, groups }, composition);
  const [lower = 0, higher = 0] = [layers.indexOf(layer), layers.indexOf(before)].sort((a, b) => a - b);
  // A picture of a group cannot be part of both pictures of a dissolve.
  if (layers.slice(lower, higher).some((one) => one.group !== layer.group)) return null;
  return { id, from, until: Math.max(from + 1, until), lower, higher };
};

const sameFrames = (a: FrameSpan, b: FrameSpan): boolean => a.from === b.from && a.until === b.until;
const overlap = (a: FrameSpan, b: FrameSpan): boolean => a.from < b.until && b.from < a.until;
const interleave = (a: CrossFade, b: CrossFade): boolean => a.lower <= b.higher && b.lower <= a.higher;

/**
 * A dissolve mixes the pictures with and without the new layers. Cross-fades on the same frames whose layers interleave
 * form one dissolve. Its id is the id of one of its layers. Null if the layers fade separately: one hides the other,
 * both are opaque, or an interleaved cross-fade has other frames.
 */
export const dissolveIdOf = (
  layer: LayerWithTransition,
  composition: Composition,
  mediaOf: MediaLookup,
): string | null => {
  const all = composition.layers
    .filter(hasTransition)
    .flatMap((one) => crossFadeOf(one, composition, mediaOf) ?? [])
    .sort((a, b) => a.lower - b.lower);
  const dissolving = all.filter(
    (one) => !all.some((other) => overlap(one, other) && !sameFrames(one, other) && interleave(one, other)),
  );
  const own = dissolving.find(({ id }) => id === layer.id);
  if (own === undefined) return null;
  let name = '';
  let highest = -1;
  for (const one of dissolving.filter((other) => sameFrames(own, other))) {
    if (one.lower > highest) name = one.id;
    highest = Math.max(highest, one.higher);
    if (one === own) return name;
  }
  return null;
};
