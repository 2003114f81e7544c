import { layerBox } from '../../domain/composition/extents.ts';
import type { PlacedLayer } from '../../domain/composition/layers.ts';
import type { MediaProperties } from '../media/media-properties.ts';
import { croppedRegion } from '../raster/framing.ts';
import { contains, fitInto, intersection, type Region, roundToPixels, type Size } from '../raster/geometry.ts';
import { exceedsBox } from './effects.ts';
import { isOpaqueFill } from './fill.ts';
import { framingOf, hasRoundCorners } from './framing.ts';
import { isMovedByGroup } from './group-motion.ts';

const isStatic = (layer: PlacedLayer): boolean =>
  layer.rotation % 360 === 0 &&
  layer.keyframes.position.length === 0 &&
  layer.keyframes.scale.length === 0 &&
  !isMovedByGroup(layer);

/** Assumes that the layer rests at its own size. Null if the layer may be translucent. */
const opaqueAtRest = (layer: PlacedLayer, properties: MediaProperties | undefined, frame: Size): Region | null => {
  if (layer.rotation % 360 !== 0 || layer.opacity < 1 || layer.keyframes.opacity.length > 0) return null;
  if (hasRoundCorners(layer)) return null;
  const box = roundToPixels(layerBox(layer, frame));
  switch (layer.type) {
    case 'text':
      return null;
    case 'shape':
      return layer.shape === 'rectangle' && layer.radius === 0 && (layer.blur ?? 0) === 0 && isOpaqueFill(layer)
        ? box
        : null;
    case 'video':
      return properties?.kind === 'video' && !properties.has_alpha
        ? intersection(fitInto(croppedRegion(properties, framingOf(layer).crop), box, layer.fit, 2), box)
        : null;
    case 'image':
      return properties?.kind === 'image' && properties.has_alpha === false
        ? intersection(fitInto(croppedRegion(properties, framingOf(layer).crop), box, layer.fit), box)
        : null;
  }
};

/** Null if the layer may be translucent or moves. */
export const opaqueRegion = (
  layer: PlacedLayer,
  properties: MediaProperties | undefined,
  frame: Size,
): Region | null => (isStatic(layer) ? opaqueAtRest(layer, properties, frame) : null);

export const isOpaque = (layer: PlacedLayer, properties: MediaProperties | undefined, frame: Size): boolean => {
  const region = opaqueAtRest(layer, properties, frame);
  return region !== null && !exceedsBox(layer) && contains(region, roundToPixels(layerBox(layer, frame)));
};

/** Whether `over` covers everything that is visible of `below`. */
export const coversLayer = (over: Region | null, below: PlacedLayer, frame: Size): boolean => {
  if (over === null) return false;
  const box = roundToPixels(layerBox(below, frame));
  const visible = isStatic(below) && !exceedsBox(below) ? intersection(box, { x: 0, y: 0, ...frame }) : null;
  return contains(over, visible ?? { x: 0, y: 0, width: frame.width, height: frame.height });
};
