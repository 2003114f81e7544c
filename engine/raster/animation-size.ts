import { area, evenAround, type Region } from './geometry.ts';

/** Bytes of one animation's frames on disk. */
const LIMIT_BYTES = 2 ** 30;
const BYTES_PER_PIXEL = 4;

export const isTooLarge = (frames: number, region: Region): boolean =>
  frames * area(evenAround(region)) * BYTES_PER_PIXEL > LIMIT_BYTES;

/** A message that follows the image's name. */
export const TOO_LARGE =
  'has too many and too large frames: show it in a smaller box, or convert it to a video (WebM keeps what is transparent)';
