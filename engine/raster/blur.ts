import sharp from 'sharp';
import { type Canvas, copyInto, emptyCanvas } from './canvas.ts';
import { expandRegion, type Size } from './geometry.ts';
import type { Coverage } from './outline.ts';

/** A smaller blur is invisible, and libvips rejects it. */
const MIN_BLUR = 0.3;
/** A blurred edge is invisible beyond this many standard deviations. */
export const BLUR_REACH = 3;
export const reachOf = (blur: number): number => Math.ceil(BLUR_REACH * blur);
/** By default, libvips ignores weights below a fifth of the largest one. */
const MIN_AMPLITUDE = 0.01;

/** A larger blur works at a lower resolution, where it has this deviation: the time of libvips grows with the blur. */
const SMALL_BLUR = 4;
const MAX_FULL_SIZE_BLUR = 8;
/** libvips refuses a larger deviation. */
export const MAX_DEVIATION = 1000;

const blurAtLowerResolution = async (
  pixels: Uint8Array,
  { width, height }: Size,
  channels: 1 | 4,
  sigma: number,
): Promise<Buffer> => {
  const factor = sigma / SMALL_BLUR;
  const small = { width: Math.ceil(width / factor), height: Math.ceil(height / factor) };
  const reduced = await sharp(pixels, { raw: { width, height, channels } })
    .resize({ ...small, fit: 'fill', kernel: 'linear' })
    .blur({ sigma: SMALL_BLUR, minAmplitude: MIN_AMPLITUDE })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = { ...small, channels: reduced.info.channels };
  const enlarged = sharp(reduced.data, { raw }).resize({ width, height, fit: 'fill', kernel: 'cubic' });
  return channels === 1 ? enlarged.extractChannel(0).raw().toBuffer() : enlarged.raw().toBuffer();
};

/** @param full_size_until the deviation above which the blur works at a lower resolution */
export const blurCoverage = async (
  shape: Coverage,
  sigma: number,
  full_size_until = MAX_FULL_SIZE_BLUR,
): Promise<Coverage> => {
  if (sigma < MIN_BLUR) return shape;
  const reach = reachOf(sigma);
  const { width, height } = shape.region;
  const region = expandRegion(shape.region, reach);
  const extended = sharp(shape.coverage, { raw: { width, height, channels: 1 } }).extend({
    ...{ top: reach, bottom: reach, left: reach, right: reach, background: 'black' },
  });
  if (sigma <= full_size_until) {
    const coverage = await extended.blur({ sigma, minAmplitude: MIN_AMPLITUDE }).extractChannel(0).raw().toBuffer();
    return { region, coverage };
  }
  const whole = await extended.extractChannel(0).raw().toBuffer();
  return { region, coverage: await blurAtLowerResolution(whole, region, 1, sigma) };
};

/** @param clamps whether the picture keeps its edges and continues beyond them, instead of fading into them */
export const blurCanvas = async (canvas: Canvas, sigma: number, clamps: boolean): Promise<Canvas> => {
  if (sigma < MIN_BLUR) return canvas;
  const grown = clamps ? canvas : emptyCanvas(expandRegion(canvas.region, reachOf(sigma)));
  if (!clamps) copyInto(grown, canvas);
  const { region, pixels } = grown;
  if (sigma > MAX_FULL_SIZE_BLUR) return { region, pixels: await blurAtLowerResolution(pixels, region, 4, sigma) };
  const raw = { width: region.width, height: region.height, channels: 4 as const };
  return { region, pixels: await sharp(pixels, { raw }).blur({ sigma, minAmplitude: MIN_AMPLITUDE }).raw().toBuffer() };
};
