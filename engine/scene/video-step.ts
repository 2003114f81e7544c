import type { FrameSpan } from '../../domain/composition/extents.ts';
import type { VideoLayer } from '../../domain/composition/layers.ts';
import { trimmedFrames } from '../../domain/composition/trimmed-frames.ts';
import type { VideoProperties } from '../media/media-properties.ts';
import { reachOf } from '../raster/blur.ts';
import { croppedRegion } from '../raster/framing.ts';
import {
  evenLength,
  expandRegion,
  fitInto,
  frameRegion,
  intersection,
  type Region,
  type Size,
} from '../raster/geometry.ts';
import { framingOf } from './framing.ts';
import type { SourceInterval, StepBase, VideoStep } from './scene.ts';
import { isMoving } from './step-base.ts';
import type { Composition } from './timing.ts';

/**
 * Maximum ratio of the sides. A narrower source would have to be scaled to an enormous picture before it is cropped to
 * its box.
 */
const MAX_ASPECT = 16;
const isExtremeAspect = ({ width, height }: Size): boolean => Math.max(width / height, height / width) > MAX_ASPECT;

/** The member that makes the source too narrow; null if it is not. */
export const tooNarrowMember = (layer: VideoLayer, properties: VideoProperties): 'asset' | 'crop' | null => {
  if (isExtremeAspect(properties)) return 'asset';
  return isExtremeAspect(croppedRegion(properties, framingOf(layer).crop)) ? 'crop' : null;
};

const partOf = (layer: VideoLayer, { duration_s }: VideoProperties, { fps }: Composition): SourceInterval => ({
  asset: layer.asset,
  begins_s: layer.trim_start,
  cut_s: layer.trim_end,
  ends_s: Math.min(layer.trim_end ?? duration_s, duration_s),
  speed: layer.speed,
  body: layer.loop ? trimmedFrames(layer, duration_s, fps) : null,
});

export const nativeDensity = (layer: VideoLayer, properties: VideoProperties, box: Region): number => {
  const source = croppedRegion(properties, framingOf(layer).crop);
  return source.width / fitInto(source, box, layer.fit, 2).width;
};

/** Each field becomes a frame if the video needs about as many frames as the source has fields, or more. */
const showsFields = ({ frame_rate }: VideoProperties, { fps }: Composition): boolean =>
  frame_rate > 0 && fps.num / fps.den >= 1.9 * frame_rate;

/** The part of the box that the video fills. */
export const videoBox = (layer: VideoLayer, properties: VideoProperties, { dense }: StepBase): Region | null => {
  const { fit, crop } = framingOf(layer);
  return intersection(fitInto(croppedRegion(properties, crop), dense, fit, 2), dense);
};

export const videoStepOf = (
  layer: VideoLayer,
  properties: VideoProperties,
  shown: StepBase & FrameSpan,
  composition: Composition,
): VideoStep | null => {
  const { dense } = shown;
  const { fit, crop, flip, radius } = framingOf(layer);
  const placed = fitInto(croppedRegion(properties, crop), dense, fit, 2);
  const inBox = videoBox(layer, properties, shown);
  const blur = ((layer.blur ?? 0) * dense.width) / shown.box.width;
  const blur_reach = evenLength(reachOf(blur));
  const is_static = layer.rotation % 360 === 0 && !isMoving(layer, composition);
  const visible =
    inBox === null || !is_static ? inBox : intersection(inBox, expandRegion(frameRegion(composition), blur_reach));
  if (visible === null) return null;
  return {
    kind: 'video',
    ...shown,
    part: partOf(layer, properties, composition),
    track: properties.track,
    decoder: properties.alpha_decoder,
    file_starts_s: properties.starts_s,
    tick_s: properties.tick_s,
    seekable: properties.seekable,
    coded: properties.coded,
    key_frames_s: properties.key_frames_s,
    color: properties.color,
    interlaced: properties.interlaced,
    by_field: properties.interlaced && showsFields(properties, composition),
    transparent: properties.has_alpha,
    rotation: ((layer.rotation % 360) + 360) % 360,
    placed,
    seen: visible,
    ...(crop === undefined ? {} : { crop }),
    ...(flip === undefined ? {} : { flip }),
    ...(blur === 0 ? {} : { blur }),
    ...(radius === undefined || inBox === null
      ? {}
      : { corners: { radius: (radius * dense.width) / shown.box.width, of: inBox } }),
  };
};
