import { area, evenAround, type Region } from './geometry.ts';

/** Of one animation's frames, on disk. */
const LIMIT_BYTES = 2 ** 30;
const BYTES_PER_PIXEL = 4;

export const isTooLarge = (frames: number, region: Region): boolean =>
  frames * area(evenAround(region)) * BYTES_PER_PIXEL > LIMIT_BYTES;

/** Said of an animated picture, after its name. */
export const TOO_LARGE =
  'has too many and too large frames: show it in a smaller box, or convert it to a video (WebM keeps what is transparent)';
