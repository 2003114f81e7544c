import { type FrameRate, frameAt, framesOf } from './frame-rate.ts';
import type { Layer, PlacedLayer } from './layers.ts';

type Timeline = { readonly fps: FrameRate; readonly duration: number };

/** Frames [from, until) of the composition. */
export type Span = { readonly from: number; readonly until: number };

/** The box of a layer that is seen, in pixels; a side left out reaches to the composition's edge. */
export const boxOf = (
  layer: Pick<PlacedLayer, 'x' | 'y' | 'width' | 'height'>,
  frame: { readonly width: number; readonly height: number },
): { readonly x: number; readonly y: number; readonly width: number; readonly height: number } => ({
  x: layer.x,
  y: layer.y,
  width: layer.width ?? frame.width - layer.x,
  height: layer.height ?? frame.height - layer.y,
});

/**
 * Frames on which a layer shows, within the composition's. `duration` "media" is taken for the longest that it may be, to
 * the end: how long the source is, its file alone knows.
 */
export const framesShown = (layer: Pick<Layer, 'start' | 'duration'>, composition: Timeline): Span => {
  const frames = framesOf(composition.duration, composition.fps);
  const end =
    layer.duration === null || layer.duration === 'media'
      ? frames
      : frameAt(layer.start + layer.duration, composition.fps);
  return { from: frameAt(layer.start, composition.fps), until: Math.min(frames, end) };
};

/**
 * Frames on which a layer shows that `next` takes the place of: its own end does not count, the end of the transition
 * does.
 */
export const framesUntilReplaced = (
  layer: Pick<Layer, 'start'>,
  next: { readonly start: number; readonly transition: { readonly duration: number } },
  composition: Timeline,
): Span =>
  framesShown({ start: layer.start, duration: next.start + next.transition.duration - layer.start }, composition);
