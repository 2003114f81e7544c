import { type FrameRate, frameAt, framesOf } from './frame-rate.ts';
import type { Layer, PlacedLayer } from './layers.ts';

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

/** Frames [from, until) on which a layer shows, within the composition's. */
export const framesShown = (
  layer: Pick<Layer, 'start' | 'duration'>,
  composition: { readonly fps: FrameRate; readonly duration: number },
): { readonly from: number; readonly until: number } => {
  const frames = framesOf(composition.duration, composition.fps);
  const end = layer.duration === null ? frames : frameAt(layer.start + layer.duration, composition.fps);
  return { from: frameAt(layer.start, composition.fps), until: Math.min(frames, end) };
};
