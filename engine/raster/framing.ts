import * as t from 'io-ts';
import type { Canvas } from './canvas.ts';
import type { Region, Size } from './geometry.ts';

const Crop = t.readonly(t.strict({ left: t.number, top: t.number, right: t.number, bottom: t.number }));
/** Fractions of the source's sides that are cut off. */
export type Crop = t.TypeOf<typeof Crop>;

const Flip = t.keyof({ horizontal: null, vertical: null, both: null });
export type Flip = t.TypeOf<typeof Flip>;

export const Fit = t.keyof({ cover: null, contain: null, fill: null });

/** Members that only some pictures have. `radius` is in pixels of the box. */
export const SOME_FRAMING = { crop: Crop, flip: Flip, radius: t.number };

export type Framing = {
  readonly fit: t.TypeOf<typeof Fit>;
  readonly crop?: Crop;
  readonly flip?: Flip;
  readonly radius?: number;
};

/** The part of the source that stays, in whole pixels; at least one. */
export const croppedRegion = ({ width, height }: Size, crop: Crop | undefined): Region => {
  if (crop === undefined) return { x: 0, y: 0, width, height };
  const { left, top, right, bottom } = crop;
  const part = (length: number, before: number, after: number): readonly [number, number] => {
    const begin = Math.min(length - 1, Math.round(length * before));
    return [begin, Math.max(1, Math.round(length * (1 - after)) - begin)];
  };
  const [x, across] = part(width, left, right);
  const [y, down] = part(height, top, bottom);
  return { x, y, width: across, height: down };
};

const flipsAcross = (flip: Flip): boolean => flip !== 'vertical';
const flipsDown = (flip: Flip): boolean => flip !== 'horizontal';

/** The region that a flip of the whole picture moves to `region`. */
export const mirroredRegion = (region: Region, whole: Region, flip: Flip): Region => ({
  ...region,
  x: flipsAcross(flip) ? 2 * whole.x + whole.width - region.x - region.width : region.x,
  y: flipsDown(flip) ? 2 * whole.y + whole.height - region.y - region.height : region.y,
});

export const flipCanvas = ({ region, pixels }: Canvas, flip: Flip): Canvas => {
  const { width, height } = region;
  const source = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height);
  const flipped = new Uint32Array(source.length);
  for (let row = 0; row < height; row += 1) {
    const line = source.subarray(row * width, (row + 1) * width);
    const to = (flipsDown(flip) ? height - 1 - row : row) * width;
    flipped.set(flipsAcross(flip) ? line.toReversed() : line, to);
  }
  return { region, pixels: Buffer.from(flipped.buffer) };
};

/** ffmpeg's filters of a flip. */
export const flipFilters = (flip: Flip | undefined): readonly string[] =>
  flip === undefined ? [] : [...(flipsAcross(flip) ? ['hflip'] : []), ...(flipsDown(flip) ? ['vflip'] : [])];
