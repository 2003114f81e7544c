/** How the pages of an animated image map to frames of equal length. */
export type PageTiming = {
  readonly frame_ms: number;
  /** Frames of each page, at least one. */
  readonly frames_of: readonly number[];
  /** Frames of all pages. */
  readonly frames: number;
};

/** Shorter delays mean "default"; browsers use this one. */
const SHORT_MS = 10;
const USUAL_MS = 100;
/** Where delays have no larger common measure, pages begin on this grid: half of it is below a frame's length. */
const GRID_MS = 10;

const commonMeasure = (a: number, b: number): number => (b === 0 ? a : commonMeasure(b, a % b));

/** From the delay of each page in milliseconds. */
export const pageTiming = (delays_ms: readonly number[]): PageTiming => {
  const delays = delays_ms.map((delay) => (delay <= SHORT_MS ? USUAL_MS : Math.round(delay)));
  const frame_ms = Math.max(GRID_MS, delays.reduce(commonMeasure, 0));
  let [ends_ms, frames] = [0, 0];
  const frames_of = delays.map((delay) => {
    ends_ms += delay;
    const own = Math.max(1, Math.round(ends_ms / frame_ms) - frames);
    frames += own;
    return own;
  });
  return { frame_ms, frames_of, frames };
};
