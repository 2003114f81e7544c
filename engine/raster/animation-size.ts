import { area, expandToEven, type Region } from './geometry.ts';

/** Limit of one animation's frames on disk. */
const MAX_BYTES = 2 ** 30;
const BYTES_PER_PIXEL = 4;

export const isAnimationTooLarge = (frames: number, region: Region): boolean =>
  frames * area(expandToEven(region)) * BYTES_PER_PIXEL > MAX_BYTES;

/** A message that follows the asset's name. */
export const ANIMATION_TOO_LARGE =
  'has too many large frames: show it in a smaller box, or convert it to a video (WebM keeps transparency)';
