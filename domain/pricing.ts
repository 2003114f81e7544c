export type PricedVideo = {
  readonly width: number;
  readonly height: number;
  readonly frames: number;
  readonly fps_num: number;
  readonly fps_den: number;
};

export const priceCredits = ({ width, height, frames, fps_num, fps_den }: PricedVideo): number =>
  Math.max(1, Math.ceil((frames * fps_den * width * height) / (fps_num * 1_000_000)));
