import { type EdgePadding, expandRegion, expandToEven, intersection, type Region } from './geometry.ts';
import type { Coverage } from './outline.ts';

/** Straight RGBA of a region of the frame. */
export type Canvas = { readonly region: Region; readonly pixels: Buffer };

export const emptyCanvas = (region: Region): Canvas => ({
  region,
  pixels: Buffer.alloc(region.width * region.height * 4),
});

export type Rgb = readonly [number, number, number];

export const rgbOf = (color: string): Rgb => {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

/** Calls back with the pixel indices in canvas and region of each pixel that both contain. */
const eachSharedPixel = (canvas: Region, region: Region, each: (to: number, from: number) => void): void => {
  const both = intersection(canvas, region);
  if (both === null) return;
  for (let row = 0; row < both.height; row += 1) {
    let to = (both.y - canvas.y + row) * canvas.width + both.x - canvas.x;
    let from = (both.y - region.y + row) * region.width + both.x - region.x;
    for (let column = 0; column < both.width; column += 1, to += 1, from += 1) each(to, from);
  }
};

/** "Source over" of one pixel, straight alpha; `alpha` from 0 to 1. */
const blendPixel = (pixels: Buffer, index: number, red: number, green: number, blue: number, alpha: number): void => {
  const at = index * 4;
  if (alpha >= 1) {
    pixels[at] = red;
    pixels[at + 1] = green;
    pixels[at + 2] = blue;
    pixels[at + 3] = 255;
    return;
  }
  const below = ((pixels[at + 3] ?? 0) / 255) * (1 - alpha);
  const sum = alpha + below;
  pixels[at] = Math.round((red * alpha + (pixels[at] ?? 0) * below) / sum);
  pixels[at + 1] = Math.round((green * alpha + (pixels[at + 1] ?? 0) * below) / sum);
  pixels[at + 2] = Math.round((blue * alpha + (pixels[at + 2] ?? 0) * below) / sum);
  pixels[at + 3] = Math.round(sum * 255);
};

const fill = ({ region, pixels }: Canvas, filled: Region, pixel: Buffer): void => {
  const both = intersection(region, filled);
  if (both === null) return;
  for (let row = both.y - region.y; row < both.y - region.y + both.height; row += 1) {
    const at = (row * region.width + both.x - region.x) * 4;
    pixels.fill(pixel, at, at + both.width * 4);
  }
};

/** `coverage` is 0 to 255 for each pixel of the region; null is full coverage. */
export const compositeColor = (
  canvas: Canvas,
  { region, coverage }: { readonly region: Region; readonly coverage: Uint8Array | null },
  color: string,
  opacity: number,
): void => {
  const [red, green, blue] = rgbOf(color);
  if (coverage === null && opacity === 1) fill(canvas, region, Buffer.from([red, green, blue, 255]));
  else
    eachSharedPixel(canvas.region, region, (to, from) => {
      const pixel_coverage = coverage === null ? 255 : (coverage[from] ?? 0);
      if (pixel_coverage > 0) blendPixel(canvas.pixels, to, red, green, blue, (pixel_coverage / 255) * opacity);
    });
};

export const compositeOver = (canvas: Canvas, { region, pixels }: Canvas, opacity: number): void =>
  eachSharedPixel(canvas.region, region, (to, from) => {
    const at = from * 4;
    const alpha = ((pixels[at + 3] ?? 0) / 255) * opacity;
    if (alpha > 0) blendPixel(canvas.pixels, to, pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0, alpha);
  });

/** Multiplies alpha by the coverage of the same region. */
export const maskCanvas = ({ pixels }: Canvas, coverage: Uint8Array): void => {
  for (let index = 0; index < coverage.length; index += 1) {
    const at = index * 4 + 3;
    pixels[at] = Math.round(((pixels[at] ?? 0) * (coverage[index] ?? 0)) / 255);
  }
};

export const coverageOf = ({ region, pixels }: Canvas): Coverage => {
  const coverage = new Uint8Array(region.width * region.height);
  for (let index = 0; index < coverage.length; index += 1) coverage[index] = pixels[index * 4 + 3] ?? 0;
  return { region, coverage };
};

const BLEED_PIXELS = 3;

/**
 * Gives the transparent pixels near an edge the colour of the edge. Otherwise subsampled chroma would mix their black
 * into it.
 */
export const bleedColor = ({ region: { width, height }, pixels }: Canvas, reach = BLEED_PIXELS): void => {
  const colored = new Uint8Array(width * height);
  for (let index = 0; index < colored.length; index += 1) colored[index] = pixels[index * 4 + 3] === 0 ? 0 : 1;
  const from = (index: number): number => {
    const x = index % width;
    if (x > 0 && colored[index - 1] === 1) return index - 1;
    if (x < width - 1 && colored[index + 1] === 1) return index + 1;
    if (colored[index - width] === 1) return index - width;
    return colored[index + width] === 1 ? index + width : -1;
  };
  let edge: number[] = [];
  for (let index = 0; index < colored.length; index += 1)
    if (colored[index] === 0 && from(index) >= 0) edge.push(index);
  for (let pass = 1; pass <= reach; pass += 1) {
    for (const index of edge) {
      const at = from(index) * 4;
      pixels.copyWithin(index * 4, at, at + 3);
    }
    for (const index of edge) colored[index] = 1;
    if (pass === reach) break;
    const next = new Set<number>();
    for (const index of edge) {
      const x = index % width;
      if (x > 0 && colored[index - 1] === 0) next.add(index - 1);
      if (x < width - 1 && colored[index + 1] === 0) next.add(index + 1);
      if (colored[index - width] === 0) next.add(index - width);
      if (colored[index + width] === 0) next.add(index + width);
    }
    edge = [...next];
  }
};

const inkedRegion = ({ region, pixels }: Canvas): Region | null => {
  const { width, height } = region;
  const isVisible = (x: number, y: number): boolean => pixels[(y * width + x) * 4 + 3] !== 0;
  const isRowVisible = (y: number): boolean => {
    for (let x = 0; x < width; x += 1) if (isVisible(x, y)) return true;
    return false;
  };
  let top = 0;
  while (top < height && !isRowVisible(top)) top += 1;
  if (top === height) return null;
  let bottom = height - 1;
  while (!isRowVisible(bottom)) bottom -= 1;
  const isColumnVisible = (x: number): boolean => {
    for (let y = top; y <= bottom; y += 1) if (isVisible(x, y)) return true;
    return false;
  };
  let left = 0;
  while (!isColumnVisible(left)) left += 1;
  let right = width - 1;
  while (!isColumnVisible(right)) right -= 1;
  return { x: region.x + left, y: region.y + top, width: right - left + 1, height: bottom - top + 1 };
};

export const copyInto = (to: Canvas, from: Canvas): void => {
  const both = intersection(to.region, from.region);
  if (both === null) return;
  const at = ({ region }: Canvas, row: number): number =>
    ((both.y - region.y + row) * region.width + both.x - region.x) * 4;
  for (let row = 0; row < both.height; row += 1)
    from.pixels.copy(to.pixels, at(to, row), at(from, row), at(from, row) + both.width * 4);
};

const smear = ({ region, pixels }: Canvas, { x, y, width, height }: Region, reach: number): void => {
  const [left, top] = [x - region.x, y - region.y];
  for (let row = top; row < top + height; row += 1)
    for (let out = 1; out <= reach; out += 1) {
      const [first, last] = [(row * region.width + left) * 4, (row * region.width + left + width - 1) * 4];
      pixels.copyWithin(first - out * 4, first, first + 4);
      pixels.copyWithin(last + out * 4, last, last + 4);
    }
  const line = (row: number): number => (row * region.width + left - reach) * 4;
  const bytes = (width + 2 * reach) * 4;
  for (let out = 1; out <= reach; out += 1) {
    pixels.copyWithin(line(top - out), line(top), line(top) + bytes);
    pixels.copyWithin(line(top + height - 1 + out), line(top + height - 1), line(top + height - 1) + bytes);
  }
};

const withSurround = (canvas: Canvas, part: Region, { margin, opaque }: EdgePadding): Canvas => {
  const region = expandRegion(expandToEven(part), margin);
  const { x, y, width, height } = canvas.region;
  const same = region.x === x && region.y === y && region.width === width && region.height === height;
  const even = same ? canvas : emptyCanvas(region);
  if (!same) copyInto(even, canvas);
  if (opaque > 0) smear(even, part, opaque);
  bleedColor(even, Math.max(BLEED_PIXELS, margin));
  return even;
};

/** Crops the canvas to its visible pixels, unless its surround is opaque. Null if no pixel is visible. */
export const finishCanvas = (canvas: Canvas, surround: EdgePadding): Canvas | null => {
  const inked = inkedRegion(canvas);
  if (inked === null) return null;
  return withSurround(canvas, surround.opaque > 0 ? canvas.region : inked, surround);
};

export const addEdgePadding = (page: Canvas, surround: EdgePadding): Canvas =>
  withSurround(page, page.region, surround);
