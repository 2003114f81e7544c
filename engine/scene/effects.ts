import type { PlacedLayer } from '../../domain/composition/layers.ts';
import type { Effects, Shadow } from '../raster/effects.ts';

/** Null for a text, whose shadow is set with its letters. */
export const shadowOf = (layer: PlacedLayer): Shadow | null => {
  if (layer.type === 'text') return null;
  const { shadow_color = '#000000', shadow_opacity = 0, shadow_x = 2, shadow_y = 2, shadow_blur = 4 } = layer;
  if (shadow_opacity === 0) return null;
  return { color: shadow_color, opacity: shadow_opacity, x: shadow_x, y: shadow_y, blur: shadow_blur };
};

export const effectsOf = (layer: PlacedLayer): Effects => {
  const [{ blur = 0 }, shadow] = [layer, shadowOf(layer)];
  return { ...(blur === 0 ? {} : { blur }), ...(shadow === null ? {} : { shadow }) };
};

/** Whether the layer draws pixels outside its box. The blur of an image or video stays inside. */
export const exceedsBox = (layer: PlacedLayer): boolean =>
  layer.type === 'text' || shadowOf(layer) !== null || (layer.type === 'shape' && (layer.blur ?? 0) > 0);
