export type PricedVideo = {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly fps_num: number;
  readonly fps_den: number;
};

/** A megapixel is a million pixels of each frame; a second of it costs this much, whatever the frame rate. */
export const CREDITS_PER_MEGAPIXEL_SECOND = 1;

export const MIN_CREDITS = 1;

const PIXELS_PER_MEGAPIXEL = 1_000_000;

export const priceCredits = ({ width, height, frames, fps_num, fps_den }: PricedVideo): number =>
  Math.max(
    MIN_CREDITS,
    Math.ceil((CREDITS_PER_MEGAPIXEL_SECOND * frames * fps_den * width * height) / (fps_num * PIXELS_PER_MEGAPIXEL)),
  );
