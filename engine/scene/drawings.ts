import type { ImageLayer, PlacedLayer, VideoLayer } from '../../domain/composition/layers.ts';
import type { MediaProperties } from '../media/media-properties.ts';
import { inkRegion, scaleDrawing, typesettingOptionsOf } from '../raster/drawing-extent.ts';
import { hasEffects } from '../raster/effects.ts';
import { croppedRegion } from '../raster/framing.ts';
import { area, type EdgePadding, type Region } from '../raster/geometry.ts';
import type { Animation, Drawing } from '../raster/raster-job.ts';
import { effectsOf } from './effects.ts';
import { fillOf } from './fill.ts';
import { framingOf } from './framing.ts';
import type { StepBase } from './scene.ts';

export type DrawnLayer = Exclude<PlacedLayer, VideoLayer>;

/** Includes the layer's opacity unless that changes over time. */
export const drawingOf = (layer: DrawnLayer, field: string, box: Region): Drawing => {
  const opacity = layer.keyframes.opacity.length > 0 ? 1 : layer.opacity;
  const common = { field, box, opacity, rotation: layer.rotation, ...effectsOf(layer) };
  switch (layer.type) {
    case 'image':
      return { ...common, kind: 'image', asset: layer.asset, ...framingOf(layer) };
    case 'shape':
      return layer.shape === 'ellipse'
        ? { ...common, kind: 'ellipse', color: layer.color, ...fillOf(layer) }
        : { ...common, kind: 'rectangle', color: layer.color, radius: layer.radius, ...fillOf(layer) };
    case 'text':
      return { ...common, kind: 'text', setting: typesettingOptionsOf(layer) };
  }
};

/**
 * Above this density, a picture has no more detail. The value is slightly lower, because a side with more pixels than
 * the picture would make libvips shift it half a pixel to the right.
 */
export const nativeImageDensity = (layer: ImageLayer, properties: MediaProperties | undefined, box: Region): number => {
  if (properties?.kind !== 'image' || properties.has_text) return Number.POSITIVE_INFINITY;
  const { fit, crop } = framingOf(layer);
  const { width, height } = croppedRegion(properties, crop);
  const [across, down] = [width / box.width, height / box.height];
  const full_density = fit === 'contain' ? Math.max(across, down) : Math.min(across, down);
  return Math.max(1, full_density * (1 - 1 / Math.min(width, height)));
};

export const drawingForBox = (drawing: Drawing, box: Region) => {
  const dense = box.width === drawing.box.width ? drawing : scaleDrawing(drawing, box, box.width / drawing.box.width);
  return { drawing: dense, region: inkRegion(dense) };
};

/** A scaled layer whose ink exceeds this area is drawn at a lower density. */
const MAX_DENSE_INK_PIXELS = 2 ** 26;
const MAX_DRAWING_PIXELS = 2 ** 27;
/** Effects need several pictures of the drawing in memory. */
const MAX_EFFECT_PIXELS = 2 ** 25;
const MAX_DENSE_EFFECT_PIXELS = 2 ** 24;
const isWithEffects = (drawing: Drawing): boolean =>
  drawing.kind !== 'fill' && drawing.kind !== 'shadow' && hasEffects(drawing);
export const maxPixelsOf = (drawing: Drawing): number =>
  drawing.kind === 'shadow' || isWithEffects(drawing) ? MAX_EFFECT_PIXELS : MAX_DRAWING_PIXELS;
export const DRAWING_TOO_LARGE = 'is too large to be drawn: use a smaller font size, shadow or box';

/** @param shownAt returns the layer's step for a maximum density */
export const drawingAtMaxDensity = <S extends Pick<StepBase, 'dense'>>(
  drawing: Drawing,
  full_density: number,
  shownAt: (max_density: number) => S,
) => {
  const most = isWithEffects(drawing) ? MAX_DENSE_EFFECT_PIXELS : MAX_DENSE_INK_PIXELS;
  for (let max = full_density; ; ) {
    const shown = shownAt(max);
    const dense = drawingForBox(drawing, shown.dense);
    const density = Math.min(max, shown.dense.width / drawing.box.width);
    const pixels = area(dense.region);
    if (pixels <= most || density <= 1) return { ...dense, shown };
    max = Math.max(1, 0.99 * density * Math.sqrt(most / pixels));
  }
};

export type PictureDrawing = Extract<Drawing, { readonly kind: 'image' }>;

export const animationOf = (
  id: string,
  { kind: _, ...drawing }: PictureDrawing,
  region: Region,
  surround: EdgePadding,
): Animation => ({ id, region, surround, ...drawing });
