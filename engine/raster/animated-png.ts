import { crc32 } from 'node:zlib';
import { PNG_SIGNATURE, type PngChunk, pngChunks } from './png-chunks.ts';

/* libvips reads only the still picture of an animated PNG, so it gets each frame as a separate PNG. */

export type PngFrame = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly delay_ms: number;
  readonly dispose: 'none' | 'background' | 'previous';
  /** `source` replaces the canvas, also with transparent pixels. */
  readonly blend: 'source' | 'over';
  readonly data: readonly Buffer[];
};

export type AnimatedPng = {
  readonly width: number;
  readonly height: number;
  /** The IHDR. `shared` has the chunks that define how pixels are decoded and what their colours mean. */
  readonly head: Buffer;
  readonly shared: readonly Buffer[];
  readonly frames: readonly PngFrame[];
};

/** Other chunks, such as texts and EXIF, do not change pixels. */
const SHARED = ['PLTE', 'tRNS', 'iCCP', 'cICP', 'sRGB', 'gAMA', 'cHRM', 'sBIT'];
const MAX_FRAMES = 100_000;
/** A few copies of the canvas are in memory: the current one, the previous one, and a frame. */
const MAX_CANVAS_PIXELS = 2 ** 25;
const DISPOSE = ['none', 'background', 'previous'] as const;
const BLEND = ['source', 'over'] as const;
/** Replaces a stored denominator of 0. */
const DEFAULT_DENOMINATOR = 100;

/** Throws RangeError if the file ends before IEND or a checksum is wrong. */
function* validChunks(bytes: Buffer): Generator<PngChunk> {
  for (const chunk of pngChunks(bytes)) {
    const end = chunk.at + 8 + bytes.readUInt32BE(chunk.at);
    if (crc32(bytes.subarray(chunk.at + 4, end)) !== bytes.readUInt32BE(end)) throw new RangeError('a wrong checksum');
    yield chunk;
    if (chunk.type === 'IEND') return;
  }
  throw new RangeError('no end');
}

const chunkOf = (type: string, ...parts: readonly Buffer[]): Buffer => {
  const typed_body = Buffer.concat([Buffer.from(type, 'latin1'), ...parts]);
  const chunk = Buffer.alloc(typed_body.length + 8);
  chunk.writeUInt32BE(typed_body.length - 4);
  typed_body.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(typed_body), typed_body.length + 4);
  return chunk;
};

type Size = Pick<PngFrame, 'width' | 'height'>;

const covers = (canvas: Size, { width, height }: Size): boolean => width === canvas.width && height === canvas.height;

const frameOf = (body: Buffer, canvas: Size, data: readonly Buffer[]): PngFrame => {
  const [width, height, x, y] = [4, 8, 12, 16].map((at) => body.readUInt32BE(at)) as [number, number, number, number];
  const [dispose, blend] = [DISPOSE[body.readUInt8(24)], BLEND[body.readUInt8(25)]];
  const is_within = width > 0 && height > 0 && x + width <= canvas.width && y + height <= canvas.height;
  if (!is_within || dispose === undefined || blend === undefined) throw new RangeError('an invalid frame');
  const delay_ms = (1000 * body.readUInt16BE(20)) / (body.readUInt16BE(22) || DEFAULT_DENOMINATOR);
  return { x, y, width, height, delay_ms, dispose, blend, data };
};

const parseAnimation = (bytes: Buffer): AnimatedPng | null => {
  const chunks = validChunks(bytes);
  const head = chunks.next().value?.body ?? Buffer.alloc(0);
  const canvas = { width: head.readUInt32BE(0), height: head.readUInt32BE(4) };
  if (canvas.width * canvas.height > MAX_CANVAS_PIXELS) return null;
  const shared = new Map<string, Buffer>();
  const frames: PngFrame[] = [];
  let [count, sequence, has_pixels, follows_still] = [0, 0, false, false];
  let data: Buffer[] = [];
  const checkSequence = (body: Buffer): void => {
    if (body.readUInt32BE(0) !== sequence) throw new RangeError('a wrong sequence number');
    sequence += 1;
  };
  for (const { type, body } of chunks) {
    if (type === 'acTL' && !has_pixels) count = body.readUInt32BE(0);
    else if (type === 'IDAT') {
      if (count === 0) return null;
      has_pixels = true;
      // Without a frame control before it, the still picture is not part of the animation.
      if (follows_still || frames.length > 1 || frames.some((frame) => !covers(canvas, frame)))
        throw new RangeError('invalid pixels of the still picture');
      data.push(body);
    } else if (type === 'fcTL') {
      checkSequence(body);
      if (frames.length === Math.min(count, MAX_FRAMES)) throw new RangeError('too many frames');
      follows_still = has_pixels;
      data = [];
      frames.push(frameOf(body, canvas, data));
    } else if (type === 'fdAT') {
      checkSequence(body);
      if (!follows_still) throw new RangeError('pixels of no frame');
      data.push(body.subarray(4));
    } else if (!has_pixels && SHARED.includes(type) && !shared.has(type)) shared.set(type, chunkOf(type, body));
  }
  if (frames.length !== count || frames.some(({ data }) => data.length === 0)) return null;
  return { ...canvas, head, shared: [...shared.values()], frames };
};

/** Null without an animation, or if it is damaged, cut off or too large: the still picture is then shown. */
export const animatedPng = (bytes: Buffer): AnimatedPng | null => {
  if (!bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return null;
  try {
    return parseAnimation(bytes);
  } catch (cause) {
    if (cause instanceof RangeError) return null;
    throw cause;
  }
};

const pngOf = ({ head, shared }: AnimatedPng, { width, height, data }: PngFrame): Buffer => {
  const ihdr = Buffer.from(head);
  ihdr.writeUInt32BE(width, 0);
  ihdr.writeUInt32BE(height, 4);
  return Buffer.concat([PNG_SIGNATURE, chunkOf('IHDR', ihdr), ...shared, chunkOf('IDAT', ...data), chunkOf('IEND')]);
};

/** Transparent canvas areas can show what is behind, even if all frames are opaque. */
export const mayRevealBackground = (png: AnimatedPng): boolean =>
  png.frames.some((frame, n) => frame.dispose === 'background' || (n === 0 && frame.dispose === 'previous')) ||
  png.frames.slice(0, 1).some((frame) => !covers(png, frame));

type Rectangle = Pick<PngFrame, 'x' | 'y' | 'width' | 'height'>;

/** Calls back with the byte offset of each row in the rectangle and in the canvas, and the row's length. */
const eachRow = (
  { x, y, width, height }: Rectangle,
  canvas_width: number,
  row: (frame_at: number, at: number, length: number) => void,
): void => {
  for (let n = 0; n < height; n += 1) row(4 * n * width, 4 * ((y + n) * canvas_width + x), 4 * width);
};

const compositePixel = (canvas: Buffer, at: number, pixels: Buffer, frame_at: number): void => {
  const alpha = pixels[frame_at + 3] ?? 0;
  if (alpha === 0) return;
  const above = 255 * alpha;
  const below = (255 - alpha) * (canvas[at + 3] ?? 0);
  for (let n = 0; n < 3; n += 1)
    canvas[at + n] = Math.round(
      (above * (pixels[frame_at + n] ?? 0) + below * (canvas[at + n] ?? 0)) / (above + below),
    );
  canvas[at + 3] = Math.round((above + below) / 255);
};

/**
 * Yields straight RGBA. All frames share one buffer, so each is valid until the next one.
 * @param decode decodes a PNG to straight RGBA
 */
export async function* frameCanvases(
  png: AnimatedPng,
  decode: (png: Buffer) => Promise<Buffer>,
): AsyncGenerator<Buffer> {
  const canvas = Buffer.alloc(4 * png.width * png.height);
  for (const frame of png.frames) {
    const pixels = await decode(pngOf(png, frame));
    const before = frame.dispose === 'previous' ? Buffer.alloc(pixels.length) : null;
    eachRow(frame, png.width, (frame_at, at, length) => {
      if (before !== null) canvas.copy(before, frame_at, at, at + length);
      if (frame.blend === 'source') pixels.copy(canvas, at, frame_at, frame_at + length);
      else for (let n = 0; n < length; n += 4) compositePixel(canvas, at + n, pixels, frame_at + n);
    });
    yield canvas;
    if (frame.dispose === 'none') continue;
    eachRow(frame, png.width, (frame_at, at, length) => {
      if (before === null) canvas.fill(0, at, at + length);
      else before.copy(canvas, at, frame_at, frame_at + length);
    });
  }
}
