import { type FrameRate, frameAt, framesOf } from './frame-rate.ts';
import type { Grouped } from './layer-groups.ts';
import type { Layer, PlacedLayer } from './layers.ts';
import type { LenientLayer } from './lenient-decode.ts';

type Size = { readonly width: number; readonly height: number };

type Timeline = { readonly fps: FrameRate; readonly duration: number };

/** Frames [from, until) of the composition. */
export type FrameSpan = { readonly from: number; readonly until: number };

/** The box of a visible layer, in pixels. A null side reaches to the composition's edge. */
export const layerBox = (
  layer: Pick<PlacedLayer, 'x' | 'y' | 'width' | 'height'>,
  frame: { readonly width: number; readonly height: number },
): { readonly x: number; readonly y: number; readonly width: number; readonly height: number } => ({
  x: layer.x,
  y: layer.y,
  width: layer.width ?? frame.width - layer.x,
  height: layer.height ?? frame.height - layer.y,
});

export const rotatedBounds = ({ width, height }: Size, degrees: number): Size => {
  const [cos, sin] = [Math.cos, Math.sin].map((of) => Math.abs(of((degrees * Math.PI) / 180)));
  return { width: width * (cos ?? 1) + height * (sin ?? 0), height: width * (sin ?? 0) + height * (cos ?? 1) };
};

export const largestScale = ({ keyframes }: Pick<LenientLayer, 'keyframes'>): number => {
  const scales = keyframes?.scale ?? [];
  return scales.length === 0 ? 1 : Math.max(...scales.map(({ value }) => value));
};

export const scaledSize = ({ width, height }: Size, factor: number): Size => ({
  width: width * factor,
  height: height * factor,
});

/**
 * The frames in which a layer shows. It ends with its groups. A `duration` of "media" counts to the end of the composition, because only the
 * media file has the source's length.
 */
export const visibleFrames = (
  layer: Pick<Layer, 'start' | 'duration'> & Pick<Grouped, 'groups'>,
  composition: Timeline,
): FrameSpan => {
  const frames = framesOf(composition.duration, composition.fps);
  const end =
    layer.duration === null || layer.duration === 'media'
      ? frames
      : frameAt(layer.start + layer.duration, composition.fps);
  const until = (layer.groups ?? []).reduce(
    (until, group) => Math.min(until, visibleFrames(group, composition).until),
    Math.min(frames, end),
  );
  return { from: frameAt(layer.start, composition.fps), until };
};

/** The layer stays until the end of the transition, even if its own duration ends before or after. */
export const framesUntilReplaced = (
  { start, groups }: Pick<Layer, 'start'> & Pick<Grouped, 'groups'>,
  next: { readonly start: number; readonly transition: { readonly duration: number } },
  composition: Timeline,
): FrameSpan =>
  visibleFrames(
    { start, duration: next.start + next.transition.duration - start, ...(groups === undefined ? {} : { groups }) },
    composition,
  );
