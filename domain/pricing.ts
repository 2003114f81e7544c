/** The master video, with its length as frames at fps_num/fps_den. */
export type PricedVideo = {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly fps_num: number;
  readonly fps_den: number;
};

/**
 * The price of a video in credits: seconds times megapixels of the master, rounded up, at least one. Integer
 * arithmetic.
 */
export const priceCredits = ({ width, height, frames, fps_num, fps_den }: PricedVideo): number =>
  Math.max(1, Math.ceil((frames * fps_den * width * height) / (fps_num * 1_000_000)));
