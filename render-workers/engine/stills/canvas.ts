import { evenAround, intersection, type Region } from '../geometry.ts';

/** Straight RGBA of a region of the frame. */
export type Canvas = { readonly region: Region; readonly pixels: Buffer };

export const emptyCanvas = (region: Region): Canvas => ({
  region,
  pixels: Buffer.alloc(region.width * region.height * 4),
});

export const rgbOf = (color: string): readonly [number, number, number] => {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

/** Colour and alpha (0 to 1) of one pixel of what is laid over, `index` counting its pixels row by row. */
export type Paint = (index: number, pixel: Float64Array) => void;

/** Lays paint over a canvas where both regions meet ("source over", straight alpha). */
export const layOver = (canvas: Canvas, region: Region, paint: Paint): void => {
  const shared = intersection(canvas.region, region);
  if (shared === null) return;
  const { pixels } = canvas;
  const over = new Float64Array(4);
  for (let row = 0; row < shared.height; row += 1) {
    let to = ((shared.y - canvas.region.y + row) * canvas.region.width + shared.x - canvas.region.x) * 4;
    let from = (shared.y - region.y + row) * region.width + shared.x - region.x;
    for (let column = 0; column < shared.width; column += 1, to += 4, from += 1) {
      paint(from, over);
      const alpha = over[3] ?? 0;
      if (alpha <= 0) continue;
      const below = ((pixels[to + 3] ?? 0) / 255) * (1 - alpha);
      const sum = alpha + below;
      for (let channel = 0; channel < 3; channel += 1)
        pixels[to + channel] = Math.round(((over[channel] ?? 0) * alpha + (pixels[to + channel] ?? 0) * below) / sum);
      pixels[to + 3] = Math.round(sum * 255);
    }
  }
};

/**
 * Gives the pixels just outside a picture its colour, still transparent: where chroma is kept for four pixels at once,
 * an edge would else take on the black of what is not there.
 */
const BLEED_PIXELS = 3;
const bleed = ({ region: { width, height }, pixels }: Canvas): void => {
  const colored = new Uint8Array(width * height);
  for (let index = 0; index < colored.length; index += 1) colored[index] = pixels[index * 4 + 3] === 0 ? 0 : 1;
  for (let pass = 1; pass <= BLEED_PIXELS; pass += 1)
    for (let index = 0; index < colored.length; index += 1) {
      if (colored[index] !== 0) continue;
      const x = index % width;
      const isFrom = (other: number): boolean => {
        const since = colored[other];
        return since !== undefined && since > 0 && since <= pass;
      };
      const from =
        x > 0 && isFrom(index - 1)
          ? index - 1
          : x < width - 1 && isFrom(index + 1)
            ? index + 1
            : isFrom(index - width)
              ? index - width
              : isFrom(index + width)
                ? index + width
                : -1;
      if (from < 0) continue;
      pixels.copy(pixels, index * 4, from * 4, from * 4 + 3);
      colored[index] = pass + 1;
    }
};

/** The smallest canvas with even edges and the same picture, ready for a video; null where nothing is to be seen. */
export const finished = ({ region, pixels }: Canvas): Canvas | null => {
  let [left, top, right, bottom] = [region.width, region.height, -1, -1];
  for (let y = 0; y < region.height; y += 1)
    for (let x = 0; x < region.width; x += 1) {
      if (pixels[(y * region.width + x) * 4 + 3] === 0) continue;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      bottom = y;
    }
  if (right < 0) return null;
  const inked = { x: region.x + left, y: region.y + top, width: right - left + 1, height: bottom - top + 1 };
  const canvas = emptyCanvas(evenAround(inked));
  for (let row = 0; row < inked.height; row += 1) {
    const from = ((top + row) * region.width + left) * 4;
    const to = ((inked.y - canvas.region.y + row) * canvas.region.width + inked.x - canvas.region.x) * 4;
    pixels.copy(canvas.pixels, to, from, from + inked.width * 4);
  }
  bleed(canvas);
  return canvas;
};
