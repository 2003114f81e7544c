export type PageTiming = {
  readonly frame_ms: number;
  readonly frames_of: readonly number[];
  readonly frames: number;
};

/** Delays up to this length mean the default, for which browsers use 100 ms. */
const MAX_SHORT_MS = 10;
const DEFAULT_MS = 100;
/**
 * If delays have no larger common divisor, the start of each page is rounded to this grid. The error is half of it,
 * less than a frame.
 */
const GRID_MS = 10;

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b));

export const pageTiming = (delays_ms: readonly number[]): PageTiming => {
  const delays = delays_ms.map((delay) => (delay <= MAX_SHORT_MS ? DEFAULT_MS : Math.round(delay)));
  const frame_ms = Math.max(GRID_MS, delays.reduce(commonDivisor, 0));
  let [ends_ms, frames] = [0, 0];
  const frames_of = delays.map((delay) => {
    ends_ms += delay;
    const own = Math.max(1, Math.round(ends_ms / frame_ms) - frames);
    frames += own;
    return own;
  });
  return { frame_ms, frames_of, frames };
};
