import { readFile } from 'node:fs/promises';
import sharp, { type Metadata, type Sharp, type SharpOptions } from 'sharp';
import { isAnimatedAvif } from './animated-avif.ts';
import { type AnimatedPng, animatedPng, frameCanvases, mayRevealBackground } from './animated-png.ts';
import { blurCanvas, reachOf } from './blur.ts';
import { type Canvas, maskCanvas } from './canvas.ts';
import { convertedToSrgb } from './color-conversion.ts';
import { croppedRegion, type Framing, flipCanvas, mirroredRegion } from './framing.ts';
import { area, expandRegion, fitInto, intersection, type Region, type Size } from './geometry.ts';
import { withClearBackground } from './gif-background.ts';
import { type ImageColors, imageColors, isPremultiplied } from './image-colors.ts';
import { type PageTiming, pageTiming } from './page-timing.ts';
import { roundedRectangle, shapeCoverage } from './shape.ts';
import { normalizeSvgHead } from './svg-head.ts';

const FORMATS = ['jpeg', 'png', 'webp', 'gif', 'tiff', 'svg', 'heif'] as const;
const READABLE = 'PNG, JPEG, WebP, AVIF, GIF, TIFF or SVG';
const MAX_PIXELS = 100_000_000;
const OPTIONS: SharpOptions = { limitInputPixels: MAX_PIXELS, failOn: 'error', animated: false };
const SVG_DPI = 72;
/** Formats whose pages are frames. In other formats, the first page is the image. */
const ANIMATED: readonly (string | undefined)[] = ['gif', 'webp'];

/** The message is for the user and follows the asset's name. */
export class UnreadableImage extends Error {
  readonly is_too_large: boolean = false;
}

class TooManyPixels extends UnreadableImage {
  override readonly is_too_large = true;
}

const isPixelLimit = (cause: unknown): boolean => cause instanceof Error && /pixel limit/.test(cause.message);

const refuse = (cause: unknown): never => {
  if (isPixelLimit(cause)) throw new TooManyPixels('has more than 100 million pixels: make it smaller', { cause });
  throw new UnreadableImage(`cannot be read as an image: convert it to ${READABLE}`, { cause });
};

/**
 * Throws for pixels that cannot be decoded. The head was read, so the format is known, and a conversion would not help.
 */
const refusePixels = (cause: unknown): never => {
  if (isPixelLimit(cause)) return refuse(cause);
  throw new UnreadableImage('is damaged or cut off: save it again', { cause });
};

/** Accepts an SVG with a huge declared size, such as a map, because it is drawn at another size. */
const sizeOfSvg = async (bytes: Buffer, cause: unknown): Promise<Metadata> => {
  const read = isPixelLimit(cause) ? await sharp(bytes, { ...OPTIONS, limitInputPixels: false }).metadata() : null;
  return read?.format === 'svg' ? read : refuse(cause);
};

const metadataOf = async (bytes: Buffer): Promise<Metadata> => {
  if (bytes.length === 0) return refuse(null);
  const metadata = await sharp(bytes, OPTIONS)
    .metadata()
    .catch((cause) => sizeOfSvg(bytes, cause));
  const readable =
    FORMATS.some((format) => format === metadata.format) &&
    (metadata.format !== 'heif' || metadata.compression === 'av1');
  return readable ? metadata : refuse(null);
};

const delaysOf = ({ format, pages = 1, delay = [] }: Metadata, png: AnimatedPng | null): readonly number[] => {
  if (png !== null) return png.frames.map(({ delay_ms }) => delay_ms);
  return ANIMATED.includes(format) ? Array.from({ length: pages }, (_, page) => delay[page] ?? 0) : [];
};

const timingOf = (metadata: Metadata, png: AnimatedPng | null): PageTiming | null => {
  const delays = delaysOf(metadata, png);
  return delays.length > 1 ? pageTiming(delays) : null;
};

/** EXIF data does not rotate the frames of an animation. */
const headOf = async (bytes: Buffer): Promise<Pick<OpenImage, 'metadata' | 'png' | 'timing'>> => {
  const read = await metadataOf(bytes);
  const png = read.format === 'png' ? animatedPng(bytes) : null;
  const timing = timingOf(read, png);
  const { width, height } = png ?? read;
  const metadata = png === null && timing === null ? read : { ...read, autoOrient: { width, height } };
  return { metadata, png, timing };
};

export type ImageSize = Size & {
  readonly has_alpha: boolean;
  readonly has_text: boolean;
  readonly pages: number;
  readonly duration_s: number;
  readonly frame_ms: number;
  readonly frames: number;
};

/** libvips does not recognise the brand of animated AVIFs. Their first picture is stored as in still ones. */
const withStillBrand = (bytes: Buffer): Buffer => {
  if (!isAnimatedAvif(bytes)) return bytes;
  const patched = Buffer.from(bytes);
  patched.write('avif', 8, 'latin1');
  return patched;
};

/** Changes the bytes where libvips would show the file differently from browsers. */
const bytesOf = async (path: string): Promise<Buffer> =>
  normalizeSvgHead(withStillBrand(withClearBackground(await readFile(path))));

/** Decodes no pixels. Throws UnreadableImage. */
export const imageSize = async (path: string): Promise<ImageSize> => {
  const { metadata, png, timing } = await headOf(await bytesOf(path));
  const { width, height } = metadata.autoOrient;
  const has_alpha = (metadata.hasAlpha ?? true) || (png !== null && mayRevealBackground(png));
  const has_text = metadata.format === 'svg';
  if (timing === null) return { width, height, has_alpha, has_text, pages: 1, duration_s: 0, frame_ms: 0, frames: 1 };
  const { frame_ms, frames, frames_of } = timing;
  const pages = frames_of.length;
  return { width, height, has_alpha, has_text, pages, frame_ms, frames, duration_s: (frames * frame_ms) / 1000 };
};

const svgDensity = (source: Size, target: Size): number => {
  const wanted = Math.max(target.width / source.width, target.height / source.height);
  // The density is a little lower than the limit, because sides are rounded.
  const largest = Math.sqrt((0.999 * MAX_PIXELS) / (source.width * source.height));
  return Math.min(100_000, Math.max(1, SVG_DPI * Math.min(wanted, largest)));
};

/** The file is read into memory, because an SVG in memory has no base folder and cannot refer to other files. */
export type OpenImage = {
  readonly bytes: Buffer;
  readonly metadata: Metadata;
  readonly png: AnimatedPng | null;
  readonly timing: PageTiming | null;
  readonly colors: ImageColors | null;
  readonly is_premultiplied: boolean;
};

export const openImage = async (path: string): Promise<OpenImage> => {
  const bytes = await bytesOf(path);
  const head = await headOf(bytes);
  const is_premultiplied = head.metadata.format === 'heif' && isPremultiplied(bytes);
  return { bytes, ...head, colors: imageColors(bytes, head.metadata.format), is_premultiplied };
};

/** sharp always converts pictures of 16 bits with a profile to Display P3, and those of 8 bits to sRGB. */
const DISPLAY_P3: ImageColors = { primaries: 'p3', transfer: 'srgb' };

/** Straight RGBA, sRGB, of 8 bits. Throws UnreadableImage. */
const pixelsOf = async (image: Sharp, { colors: declared, metadata }: OpenImage): Promise<Buffer> => {
  const colors = declared ?? (metadata.hasProfile && metadata.space === 'rgb16' ? DISPLAY_P3 : null);
  if (colors === null || metadata.depth !== 'ushort') {
    const pixels = await image.toColourspace('srgb').ensureAlpha().raw().toBuffer().catch(refusePixels);
    return colors === null ? pixels : convertedToSrgb(pixels, colors);
  }
  // Converts at 16 bits, because dark levels in linear light or high dynamic range are closer together than those of 8
  // bits.
  const deep = image.toColourspace('rgb16').ensureAlpha().raw({ depth: 'ushort' });
  const { buffer, byteOffset, length } = await deep.toBuffer().catch(refusePixels);
  return convertedToSrgb(new Uint16Array(buffer, byteOffset, length / 2), colors);
};

/** `blur` is the standard deviation. The edges do not fade, because the picture continues outside. */
type Placing = Framing & {
  readonly blur?: number;
  readonly box: Region;
  readonly within: Region;
};

const placedIn = ({ metadata }: OpenImage, { box, within, ...framing }: Placing) => {
  const { fit, crop } = framing;
  const whole = fitInto(croppedRegion(metadata.autoOrient, crop), box, fit);
  const placed = fit === 'cover' ? box : whole;
  const region = intersection(placed, within);
  return region === null ? null : { ...framing, whole, placed, region };
};
type Placed = NonNullable<ReturnType<typeof placedIn>>;

/** The size of the whole source if its cropped part is as large as placed. */
const uncropped = (full: Size, { whole, crop }: Placed): Size => {
  const part = croppedRegion(full, crop);
  return { width: (whole.width * full.width) / part.width, height: (whole.height * full.height) / part.height };
};

const extract = (image: Sharp, { x, y, width, height }: Region): Sharp =>
  image.extract({ left: x, top: y, width, height });

/** @param size of the image as it is decoded; a vector graphic is decoded at a higher density */
const resize = (image: Sharp, size: Size, { fit, crop, flip, placed, region }: Placed): Sharp => {
  const { x, y, ...sides } = flip === undefined ? region : mirroredRegion(region, placed, flip);
  const source = crop === undefined ? image : extract(image, croppedRegion(size, crop));
  const resized = source.resize(placed.width, placed.height, { fit: fit === 'cover' ? 'cover' : 'fill' });
  return extract(resized, { x: x - placed.x, y: y - placed.y, ...sides });
};

const decodeOptions = ({ colors }: OpenImage): SharpOptions => ({
  ...OPTIONS,
  ...(colors === null ? {} : { ignoreIcc: true }),
});

const fittedPage = async (page: Buffer, { metadata }: OpenImage, placed: Placed): Promise<Canvas> => {
  const { width, height } = metadata.autoOrient;
  const image = resize(sharp(page, { raw: { width, height, channels: 4 } }), { width, height }, placed);
  return { region: placed.region, pixels: await image.toColourspace('srgb').ensureAlpha().raw().toBuffer() };
};

/** Each page is valid until the next one. */
const pngPages = (opened: OpenImage, png: AnimatedPng): AsyncGenerator<Buffer> =>
  frameCanvases(png, (frame) => pixelsOf(sharp(frame, decodeOptions(opened)), opened));

/** Divides colours by their alpha, because libvips returns premultiplied colours as if they were straight. */
const unpremultiply = (pixels: Buffer): Buffer => {
  for (let at = 0; at < pixels.length; at += 4) {
    const alpha = pixels[at + 3] ?? 0;
    if (alpha === 0 || alpha === 255) continue;
    for (let n = 0; n < 3; n += 1) pixels[at + n] = Math.min(255, Math.round((255 * (pixels[at + n] ?? 0)) / alpha));
  }
  return pixels;
};

const decodedPages = async (
  opened: OpenImage,
  placed: Placed,
  from: number,
  until: number,
): Promise<readonly Canvas[]> => {
  const { bytes, metadata, timing } = opened;
  const options: SharpOptions = {
    ...decodeOptions(opened),
    ...(metadata.format === 'svg' ? { density: svgDensity(metadata, uncropped(metadata, placed)) } : {}),
    ...(until > 1 ? { page: from, pages: until - from } : {}),
  };
  const image = timing === null ? sharp(bytes, options).autoOrient() : sharp(bytes, options);
  if (opened.is_premultiplied) return [await fittedPage(unpremultiply(await pixelsOf(image, opened)), opened, placed)];
  if (until - from === 1) {
    const is_denser = metadata.format === 'svg' && placed.crop !== undefined;
    const size = is_denser ? await sharp(bytes, options).metadata() : metadata.autoOrient;
    return [{ region: placed.region, pixels: await pixelsOf(resize(image, size, placed), opened) }];
  }
  // libvips returns the pages as one high image. Each is scaled separately, so that its edges do not mix with the next
  // page.
  const all = await image.toColourspace('srgb').ensureAlpha().raw().toBuffer().catch(refusePixels);
  const page_bytes = 4 * area(metadata.autoOrient);
  const pages: Canvas[] = [];
  for (let at = 0; at < all.length; at += page_bytes)
    pages.push(await fittedPage(all.subarray(at, at + page_bytes), opened, placed));
  return pages;
};

const CHUNK_BYTES = 64 * 2 ** 20;

/** The source's pages, cropped and in their place, but not flipped. */
async function* placedPages(opened: OpenImage, placed: Placed, count: number): AsyncGenerator<Canvas> {
  if (opened.png !== null) {
    for await (const page of pngPages(opened, opened.png)) yield await fittedPage(page, opened, placed);
    return;
  }
  const page_bytes = 4 * Math.max(area(placed.region), area(opened.metadata.autoOrient));
  const at_once = Math.max(1, Math.floor(CHUNK_BYTES / page_bytes));
  for (let from = 0; from < count; from += at_once)
    yield* await decodedPages(opened, placed, from, Math.min(count, from + at_once));
}

/** Raw RGBA, sRGB, cropped to `within`; empty if no pixel is visible. Throws UnreadableImage. */
export async function* fitPages(opened: OpenImage, placing: Placing, count: number): AsyncGenerator<Canvas> {
  const { blur = 0, within, flip, radius } = placing;
  const placed = placedIn(opened, { ...placing, within: expandRegion(within, reachOf(blur)) });
  if (placed === null) return;
  const round =
    radius === undefined ? null : await shapeCoverage(roundedRectangle(placed.placed, radius), placed.region);
  for await (const page of placedPages(opened, placed, count)) {
    const turned = await blurCanvas(flip === undefined ? page : flipCanvas(page, flip), blur, true);
    if (round !== null) maskCanvas(turned, round.coverage);
    yield turned;
  }
}

/** Returns only the first page of an animation. Throws UnreadableImage. */
export const fitImage = async (image: OpenImage, placing: Placing): Promise<Canvas | null> => {
  for await (const page of fitPages(image, placing, 1)) return page;
  return null;
};

/**
 * Longer side, in pixels, of the image that is drawn to check a file: all of the file is decoded, with little memory.
 */
const TRIAL_SIDE = 64;

/** Keeps the image's proportions: an image of a few lines, scaled to a square box, would exceed all limits. */
const trialBox = ({ width, height }: Size): Region => {
  const scale = TRIAL_SIDE / Math.max(width, height);
  const scaled = (side: number): number => Math.max(1, Math.round(side * scale));
  return { x: 0, y: 0, width: scaled(width), height: scaled(height) };
};

/** Decodes only the first and last page of a GIF or WebP. Throws UnreadableImage if drawing would. */
export const checkDecodable = async (path: string): Promise<void> => {
  const image = await openImage(path);
  if (image.png !== null) {
    for await (const _ of pngPages(image, image.png));
    return;
  }
  const last = (image.timing?.frames_of.length ?? 1) - 1;
  const box = trialBox(image.metadata.autoOrient);
  const placed = placedIn(image, { box, fit: 'fill', within: box });
  if (placed === null) return;
  for (const page of new Set([0, last])) await decodedPages(image, placed, page, page + 1);
};
