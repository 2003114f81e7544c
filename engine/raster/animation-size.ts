import { area, evenAround, type Region } from './geometry.ts';

/** Limit of one animation's frames on disk. */
const MAX_BYTES = 2 ** 30;
const BYTES_PER_PIXEL = 4;

export const isTooLarge = (frames: number, region: Region): boolean =>
  frames * area(evenAround(region)) * BYTES_PER_PIXEL > MAX_BYTES;

/** Follows the asset's name. */
export const TOO_LARGE =
  'has too many large frames: show it in a smaller box, or convert it to a video (WebM keeps transparency)';
