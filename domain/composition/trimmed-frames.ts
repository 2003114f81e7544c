import type { FrameRate } from './frame-rate.ts';
import type { MediaLayer } from './layers.ts';

/**
 * The length of the part of a source that a layer plays, in frames of the composition, at least one.
 *
 * @param source_s the source's end, in seconds
 */
export const trimmedFrames = (
  { trim_start, trim_end, speed }: Pick<MediaLayer, 'trim_start' | 'trim_end' | 'speed'>,
  source_s: number,
  fps: FrameRate,
): number => {
  const part_s = Math.min(trim_end ?? source_s, source_s) - trim_start;
  return Math.max(1, Math.round((part_s / speed) * (fps.num / fps.den)));
};
