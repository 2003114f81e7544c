import type { ImageLayer, PlacedLayer, VideoLayer } from '../../domain/composition/layers.ts';
import type { Framing } from '../raster/framing.ts';

type FramedLayer = Pick<VideoLayer | ImageLayer, 'fit' | 'crop' | 'flip' | 'border_radius'>;

export const framingOf = ({ fit, crop = {}, flip, border_radius = 0 }: FramedLayer): Framing => {
  const { left = 0, top = 0, right = 0, bottom = 0 } = crop;
  return {
    fit,
    ...(left + top + right + bottom === 0 ? {} : { crop: { left, top, right, bottom } }),
    ...(flip === undefined ? {} : { flip }),
    ...(border_radius === 0 ? {} : { radius: border_radius }),
  };
};

export const hasRoundCorners = (layer: PlacedLayer): boolean =>
  (layer.type === 'video' || layer.type === 'image') && (layer.border_radius ?? 0) > 0;
