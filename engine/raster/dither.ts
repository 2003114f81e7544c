import type { Canvas } from './canvas.ts';

/** Luma, from 0 to 255, up to which the eye sees steps of one level. */
const DARK = 96;
/** Levels between neighbours that still belong to one gradient. */
const GENTLE = 2;

const red = (pixel: number): number => pixel & 255;
const green = (pixel: number): number => (pixel >> 8) & 255;
const blue = (pixel: number): number => (pixel >> 16) & 255;
const isOpaque = (pixel: number): boolean => pixel >>> 24 === 255;
const luma = (pixel: number): number => 0.2126 * red(pixel) + 0.7152 * green(pixel) + 0.0722 * blue(pixel);

/** Whether a colour is a step of a gradient from the colour before to the one after it. */
const isStep = (before: number, pixel: number, after: number): boolean => {
  if (!isOpaque(before) || !isOpaque(pixel) || !isOpaque(after)) return false;
  let goesOn = false;
  for (let shift = 0; shift < 24; shift += 8) {
    const level = (pixel >> shift) & 255;
    const [from, to] = [((before >> shift) & 255) - level, ((after >> shift) & 255) - level];
    if (Math.abs(from) > GENTLE || Math.abs(to) > GENTLE) return false;
    goesOn ||= from * to < 0;
  }
  return goesOn && luma(pixel) <= DARK;
};

/** Marks the steps of gradients along a line of pixels. */
const markLine = (pixels: Uint32Array, marks: Uint8Array, first: number, stride: number, count: number): void => {
  const end = first + stride * count;
  for (let begin = first, at = first + stride; begin < end; at += stride) {
    const pixel = pixels[begin] ?? 0;
    if (at < end && pixels[at] === pixel) continue;
    if (begin > first && at < end && isStep(pixels[begin - stride] ?? 0, pixel, pixels[at] ?? 0))
      for (let marked = begin; marked < at; marked += stride) marks[marked] = 1;
    begin = at;
  }
};

/** Bayer's matrix, from 0 to 63. */
const order = (x: number, y: number): number => {
  let value = 0;
  for (let bit = 0; bit < 3; bit += 1) {
    const [across, down] = [(x >> bit) & 1, (y >> bit) & 1];
    value = value * 4 + 2 * (across ^ down) + down;
  }
  return value;
};
const THRESHOLDS = Float64Array.from({ length: 64 }, (_, at) => (order(at % 8, Math.floor(at / 8)) + 0.5) / 64);

/**
 * Changes by one level what luma of studio range, which has 219 steps for these 255, would round: so many of the pixels
 * of a step that their mean is its own luma. Without it every seventh step of a gradient becomes one with the next. The
 * pattern is the same for all frames; flat colours, detail and what is not dark stay as they are.
 */
export const ditherDark = ({ region, pixels: bytes }: Canvas): void => {
  const { x, y, width, height } = region;
  const pixels = new Uint32Array(bytes.buffer, bytes.byteOffset, width * height);
  const marks = new Uint8Array(width * height);
  for (let row = 0; row < height; row += 1) markLine(pixels, marks, row * width, 1, width);
  for (let column = 0; column < width; column += 1) markLine(pixels, marks, column, width, height);
  for (let at = marks.indexOf(1); at >= 0; at = marks.indexOf(1, at + 1)) {
    const exact = (luma(pixels[at] ?? 0) * 219) / 255;
    const part = exact - Math.floor(exact);
    const threshold = THRESHOLDS[((y + Math.floor(at / width)) & 7) * 8 + ((x + (at % width)) & 7)] ?? 0.5;
    const change = (part > threshold ? 1 : 0) - (part >= 0.5 ? 1 : 0);
    if (change !== 0)
      for (let byte = 4 * at; byte < 4 * at + 3; byte += 1) bytes[byte] = Math.max(0, (bytes[byte] ?? 0) + change);
  }
};
