import { readFile } from 'node:fs/promises';
import sharp, { type Metadata, type SharpOptions } from 'sharp';
import { type Fit, fitted, type Region, type Size } from '../geometry.ts';
import type { Canvas } from './canvas.ts';

const FORMATS = ['jpeg', 'png', 'webp', 'gif', 'tiff', 'svg', 'heif'] as const;
const READABLE = 'PNG, JPEG, WebP, AVIF, GIF, TIFF or SVG';
const MAX_PIXELS = 100_000_000;
const OPTIONS: SharpOptions = { limitInputPixels: MAX_PIXELS, failOn: 'error', animated: false };
const SVG_DPI = 72;

/** An image that cannot be drawn; the message is for the user and follows the asset's name. */
export class UnreadableImage extends Error {}

const refuse = (cause: unknown): never => {
  const message = cause instanceof Error ? cause.message : '';
  if (/pixel limit/.test(message)) throw new UnreadableImage('has more than 100 million pixels', { cause });
  throw new UnreadableImage(`is not an image that can be read: convert it to ${READABLE}`, { cause });
};

const metadataOf = async (bytes: Buffer): Promise<Metadata> => {
  if (bytes.length === 0) return refuse(null);
  const metadata = await sharp(bytes, OPTIONS).metadata().catch(refuse);
  const readable =
    FORMATS.some((format) => format === metadata.format) &&
    (metadata.format !== 'heif' || metadata.compression === 'av1');
  return readable ? metadata : refuse(null);
};

/** Its size as it is to be seen, turned as its EXIF data say. Throws UnreadableImage. */
export const imageSize = async (path: string): Promise<Size> => {
  const { autoOrient } = await metadataOf(await readFile(path));
  return { width: autoOrient.width, height: autoOrient.height };
};

const svgDensity = (source: Size, target: Size): number => {
  const wanted = Math.max(target.width / source.width, target.height / source.height);
  const largest = Math.sqrt(MAX_PIXELS / (source.width * source.height));
  return Math.min(100_000, Math.max(1, SVG_DPI * Math.min(wanted, largest)));
};

/**
 * The image fitted into the box: raw RGBA, sRGB, and where it lies. It is read from memory, so that an SVG has no
 * folder from which to refer to other files, and an SVG is drawn at the size asked for. Throws UnreadableImage.
 */
export const fittedImage = async (path: string, box: Region, fit: Fit): Promise<Canvas> => {
  const bytes = await readFile(path);
  const metadata = await metadataOf(bytes);
  const whole = fitted(metadata.autoOrient, box, fit);
  const options = metadata.format === 'svg' ? { ...OPTIONS, density: svgDensity(metadata, whole) } : OPTIONS;
  const region = fit === 'cover' ? box : whole;
  const pixels = await sharp(bytes, options)
    .autoOrient()
    .resize(region.width, region.height, { fit: fit === 'cover' ? 'cover' : 'fill' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer()
    .catch(refuse);
  return { region, pixels };
};
