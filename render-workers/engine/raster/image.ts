import { readFile } from 'node:fs/promises';
import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp';
import type { Canvas } from './canvas.ts';
import { convertedToSrgb } from './color-conversion.ts';
import { type Fit, fitted, intersection, type Region, type Size } from './geometry.ts';
import { withClearBackground } from './gif-background.ts';
import { type ImageColors, imageColors } from './image-colors.ts';
import { type PageTiming, pageTiming } from './page-timing.ts';

const FORMATS = ['jpeg', 'png', 'webp', 'gif', 'tiff', 'svg', 'heif'] as const;
const READABLE = 'PNG, JPEG, WebP, AVIF, GIF, TIFF or SVG';
const MAX_PIXELS = 100_000_000;
const OPTIONS: SharpOptions = { limitInputPixels: MAX_PIXELS, failOn: 'error', animated: false };
const SVG_DPI = 72;
/** In other formats pages are not frames: the first page is the image. */
const ANIMATED: readonly (string | undefined)[] = ['gif', 'webp'];

/** An image that cannot be drawn; the message is for the user and follows the asset's name. */
export class UnreadableImage extends Error {
  readonly is_too_large: boolean = false;
}

class TooManyPixels extends UnreadableImage {
  override readonly is_too_large = true;
}

const refuse = (cause: unknown): never => {
  const message = cause instanceof Error ? cause.message : '';
  if (/pixel limit/.test(message)) throw new TooManyPixels('has more than 100 million pixels', { cause });
  throw new UnreadableImage(`is not an image that can be read: convert it to ${READABLE}`, { cause });
};

/** Its head was read: to convert it would not help. */
const refusePixels = (cause: unknown): never => {
  const message = cause instanceof Error ? cause.message : '';
  if (/pixel limit/.test(message)) return refuse(cause);
  throw new UnreadableImage('is damaged or cut off: save it anew', { cause });
};

const metadataOf = async (bytes: Buffer): Promise<Metadata> => {
  if (bytes.length === 0) return refuse(null);
  const metadata = await sharp(bytes, OPTIONS).metadata().catch(refuse);
  const readable =
    FORMATS.some((format) => format === metadata.format) &&
    (metadata.format !== 'heif' || metadata.compression === 'av1');
  return readable ? metadata : refuse(null);
};

const timingOf = ({ format, pages = 1, delay = [] }: Metadata): PageTiming | null =>
  pages > 1 && ANIMATED.includes(format)
    ? pageTiming(Array.from({ length: pages }, (_, page) => delay[page] ?? 0))
    : null;

/** Its displayed size, rotated by its EXIF data, and its frames, as media properties have them. */
export type ImageSize = Size & {
  readonly has_alpha: boolean;
  readonly has_text: boolean;
  readonly pages: number;
  readonly duration_s: number;
  readonly frame_ms: number;
  readonly frames: number;
};

/** Reads the file's header only. Throws UnreadableImage. */
export const imageSize = async (path: string): Promise<ImageSize> => {
  const metadata = await metadataOf(withClearBackground(await readFile(path)));
  const { width, height } = metadata.autoOrient;
  const has_alpha = metadata.hasAlpha ?? true;
  const has_text = metadata.format === 'svg';
  const timing = timingOf(metadata);
  if (timing === null) return { width, height, has_alpha, has_text, pages: 1, duration_s: 0, frame_ms: 0, frames: 1 };
  const { frame_ms, frames } = timing;
  const pages = metadata.pages ?? 1;
  return { width, height, has_alpha, has_text, pages, frame_ms, frames, duration_s: (frames * frame_ms) / 1000 };
};

const svgDensity = (source: Size, target: Size): number => {
  const wanted = Math.max(target.width / source.width, target.height / source.height);
  const largest = Math.sqrt(MAX_PIXELS / (source.width * source.height));
  return Math.min(100_000, Math.max(1, SVG_DPI * Math.min(wanted, largest)));
};

/** An image in memory: an SVG then has no base folder for references to files. */
export type OpenImage = {
  readonly bytes: Buffer;
  readonly metadata: Metadata;
  readonly timing: PageTiming | null;
  readonly colors: ImageColors | null;
};

/** Throws UnreadableImage. */
export const openImage = async (path: string): Promise<OpenImage> => {
  const bytes = withClearBackground(await readFile(path));
  const metadata = await metadataOf(bytes);
  return { bytes, metadata, timing: timingOf(metadata), colors: imageColors(bytes, metadata.format) };
};

/** The pixels as straight RGBA, sRGB, of 8 bits. Throws UnreadableImage. */
const pixelsOf = async (image: Sharp, { colors, metadata }: OpenImage): Promise<Buffer> => {
  if (colors === null || metadata.depth !== 'ushort') {
    const pixels = await image.toColourspace('srgb').ensureAlpha().raw().toBuffer().catch(refusePixels);
    return colors === null ? pixels : convertedToSrgb(pixels, colors);
  }
  // What is dark in linear light, or of high dynamic range, differs by less than a level of 8 bits.
  const deep = image.toColourspace('rgb16').ensureAlpha().raw({ depth: 'ushort' });
  const { buffer, byteOffset, length } = await deep.toBuffer().catch(refusePixels);
  return convertedToSrgb(new Uint16Array(buffer, byteOffset, length / 2), colors);
};

type Placing = { readonly box: Region; readonly fit: Fit; readonly within: Region };

/**
 * Pages [from, until) of the image fitted into the box: raw RGBA, sRGB, cropped to `within`; empty if nothing is
 * visible. An SVG is drawn at the requested size. Throws UnreadableImage.
 */
export const fittedPages = async (
  opened: OpenImage,
  { box, fit, within }: Placing,
  from: number,
  until: number,
): Promise<readonly Canvas[]> => {
  const { bytes, metadata, colors } = opened;
  const whole = fitted(metadata.autoOrient, box, fit);
  const placed = fit === 'cover' ? box : whole;
  const region = intersection(placed, within);
  if (region === null) return [];
  const options: SharpOptions = {
    ...OPTIONS,
    ...(metadata.format === 'svg' ? { density: svgDensity(metadata, whole) } : {}),
    ...(colors === null ? {} : { ignoreIcc: true }),
    ...(until > 1 ? { page: from, pages: until - from } : {}),
  };
  const fittedIn = (image: Sharp): Promise<Buffer> =>
    pixelsOf(
      image
        .resize(placed.width, placed.height, { fit: fit === 'cover' ? 'cover' : 'fill' })
        .extract({ left: region.x - placed.x, top: region.y - placed.y, width: region.width, height: region.height }),
      opened,
    );
  const image = sharp(bytes, options).autoOrient();
  if (until - from === 1) return [{ region, pixels: await fittedIn(image) }];
  // Pages are stacked in memory: each is scaled by itself, so that its edges do not mix with the next one.
  const all = await image.toColourspace('srgb').ensureAlpha().raw().toBuffer().catch(refusePixels);
  const { width, height } = metadata.autoOrient;
  const pages: Canvas[] = [];
  for (let at = 0; at < all.length; at += width * height * 4) {
    const page = all.subarray(at, at + width * height * 4);
    pages.push({ region, pixels: await fittedIn(sharp(page, { raw: { width, height, channels: 4 } })) });
  }
  return pages;
};

/** The image, or the first page of an animated one, fitted into the box. Throws UnreadableImage. */
export const fittedImage = async (image: OpenImage, placing: Placing): Promise<Canvas | null> =>
  (await fittedPages(image, placing, 0, 1))[0] ?? null;

/** Pixels of the longer side: enough to decode all of the file, and little to keep. */
const TRIED_SIDE = 64;

/** In the proportions of the image: an SVG is drawn larger than its box where that has others, a line past all limits. */
const triedBox = ({ width, height }: Size): Region => {
  const scale = TRIED_SIDE / Math.max(width, height);
  const scaled = (side: number): number => Math.max(1, Math.round(side * scale));
  return { x: 0, y: 0, width: scaled(width), height: scaled(height) };
};

/** Decodes the image, of an animation its first and its last page. Throws UnreadableImage where drawing would. */
export const tryPixels = async (path: string): Promise<void> => {
  const image = await openImage(path);
  const pages = image.timing === null ? 1 : (image.metadata.pages ?? 1);
  const box = triedBox(image.metadata.autoOrient);
  const placing = { box, fit: 'fill', within: box } as const;
  for (const page of new Set([0, pages - 1])) await fittedPages(image, placing, page, page + 1);
};
