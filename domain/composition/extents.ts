import { type FrameRate, frameAt, framesOf } from './frame-rate.ts';
import type { Layer, PlacedLayer } from './layers.ts';

/** The box of a layer that is seen, in pixels; a side left out reaches to the composition's edge. */
export const boxOf = (
  layer: PlacedLayer,
  frame: { readonly width: number; readonly height: number },
): { readonly x: number; readonly y: number; readonly width: number; readonly height: number } => ({
  x: layer.x,
  y: layer.y,
  width: layer.width ?? frame.width - layer.x,
  height: layer.height ?? frame.height - layer.y,
});

/** What of a composition decides where and when its layers show. */
export type Bounded = {
  readonly width: number;
  readonly height: number;
  readonly fps: FrameRate;
  /** Seconds. */
  readonly duration: number;
  readonly layers: readonly Layer[];
};

/** Frames [from, until) on which a layer shows, within the composition's. */
export const framesShown = (
  layer: Layer,
  composition: Pick<Bounded, 'fps' | 'duration'>,
): { readonly from: number; readonly until: number } => {
  const frames = framesOf(composition.duration, composition.fps);
  const end = layer.duration === null ? frames : frameAt(layer.start + layer.duration, composition.fps);
  return { from: frameAt(layer.start, composition.fps), until: Math.min(frames, end) };
};
