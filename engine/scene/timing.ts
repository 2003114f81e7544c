import { type FrameSpan, framesUntilReplaced, visibleFrames } from '../../domain/composition/extents.ts';
import type { FinalComposition } from '../../domain/composition/final-composition.ts';
import type { Layer, PlacedLayer } from '../../domain/composition/layers.ts';
import { trimmedFrames } from '../../domain/composition/trimmed-frames.ts';
import type { MediaProperties } from '../media/media-properties.ts';

export type Composition = FinalComposition['composition'];

export type LayerWithTransition = PlacedLayer & { readonly transition: NonNullable<PlacedLayer['transition']> };

export const hasTransition = (layer: Layer): layer is LayerWithTransition =>
  layer.type !== 'audio' && layer.visible && layer.transition !== null;

export const replacingLayer = ({ id }: Layer, { layers }: Composition): LayerWithTransition | undefined =>
  layers.filter(hasTransition).find(({ transition }) => transition.from === id);

export const transitionFrames = (
  { start, transition, groups = [] }: LayerWithTransition,
  composition: Composition,
): number => {
  const { from, until } = visibleFrames({ start, duration: transition.duration, groups }, composition);
  return Math.max(1, until - from);
};

/** End of a source's video, or of an audio file's audio, in its own seconds. */
export const sourceEnd = (properties: MediaProperties | undefined): number =>
  properties?.kind === 'video' || properties?.kind === 'audio' ? properties.duration_s : Number.POSITIVE_INFINITY;

/** The frames of a layer. The end of its media, or the layer that replaces it, may limit them. */
export const layerSpan = (
  layer: Layer,
  properties: MediaProperties | undefined,
  composition: Composition,
): FrameSpan => {
  const next = layer.type === 'audio' ? undefined : replacingLayer(layer, composition);
  if (next !== undefined) return framesUntilReplaced(layer, next, composition);
  const { from, until } = visibleFrames(layer, composition);
  if (!('trim_start' in layer) || layer.duration !== 'media') return { from, until };
  const length = trimmedFrames(layer, sourceEnd(properties), composition.fps);
  return { from, until: Math.min(until, from + length) };
};
