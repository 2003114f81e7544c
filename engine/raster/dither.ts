import type { Canvas } from './canvas.ts';

/** Luma, from 0 to 255, up to which steps of one level are visible. */
const MAX_DARK_LUMA = 96;
/** Maximum difference in levels between neighbours of one gradient. */
const MAX_STEP = 2;

const red = (pixel: number): number => pixel & 255;
const green = (pixel: number): number => (pixel >> 8) & 255;
const blue = (pixel: number): number => (pixel >> 16) & 255;
const isOpaque = (pixel: number): boolean => pixel >>> 24 === 255;
const luma = (pixel: number): number => 0.2126 * red(pixel) + 0.7152 * green(pixel) + 0.0722 * blue(pixel);

const isStep = (before: number, pixel: number, after: number): boolean => {
  if (!isOpaque(before) || !isOpaque(pixel) || !isOpaque(after)) return false;
  let is_monotone = false;
  for (let shift = 0; shift < 24; shift += 8) {
    const level = (pixel >> shift) & 255;
    const [from, to] = [((before >> shift) & 255) - level, ((after >> shift) & 255) - level];
    if (Math.abs(from) > MAX_STEP || Math.abs(to) > MAX_STEP) return false;
    is_monotone ||= from * to < 0;
  }
  return is_monotone && luma(pixel) <= MAX_DARK_LUMA;
};

const markLine = (pixels: Uint32Array, marks: Uint8Array, first: number, stride: number, count: number): void => {
  const end = first + stride * count;
  for (let begin = first, at = first + stride; begin < end; at += stride) {
    const pixel = pixels[begin] ?? 0;
    if (at < end && pixels[at] === pixel) continue;
    if (begin > first && at < end && isStep(pixels[begin - stride] ?? 0, pixel, pixels[at] ?? 0))
      for (let index = begin; index < at; index += stride) marks[index] = 1;
    begin = at;
  }
};

/** Values from 0 to 63 (Bayer's matrix). */
const bayer = (x: number, y: number): number => {
  let value = 0;
  for (let bit = 0; bit < 3; bit += 1) {
    const [across, down] = [(x >> bit) & 1, (y >> bit) & 1];
    value = value * 4 + 2 * (across ^ down) + down;
  }
  return value;
};
const THRESHOLDS = Float64Array.from({ length: 64 }, (_, at) => (bayer(at % 8, Math.floor(at / 8)) + 0.5) / 64);

/** The threshold of a pixel of the frame, between 0 and 1. */
export const ditherThreshold = (x: number, y: number): number => THRESHOLDS[(y & 7) * 8 + (x & 7)] ?? 0.5;

/**
 * Luma of studio range has 219 steps for these 255, so rounding would merge every seventh step of a gradient. Some
 * pixels of a step change by one level, so that their mean keeps the exact luma. The pattern is the same for all
 * frames; flat colours, details and lighter pixels do not change.
 */
export const ditherDarkGradients = ({ region, pixels: bytes }: Canvas): void => {
  const { x, y, width, height } = region;
  const pixels = new Uint32Array(bytes.buffer, bytes.byteOffset, width * height);
  const marks = new Uint8Array(width * height);
  for (let row = 0; row < height; row += 1) markLine(pixels, marks, row * width, 1, width);
  for (let column = 0; column < width; column += 1) markLine(pixels, marks, column, width, height);
  for (let at = marks.indexOf(1); at >= 0; at = marks.indexOf(1, at + 1)) {
    const exact = (luma(pixels[at] ?? 0) * 219) / 255;
    const part = exact - Math.floor(exact);
    const threshold = ditherThreshold(x + (at % width), y + Math.floor(at / width));
    const change = (part > threshold ? 1 : 0) - (part >= 0.5 ? 1 : 0);
    if (change !== 0)
      for (let byte = 4 * at; byte < 4 * at + 3; byte += 1) bytes[byte] = Math.max(0, (bytes[byte] ?? 0) + change);
  }
};
