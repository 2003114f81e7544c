import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { execa } from 'execa';
import { encodeOnce } from '../../helpers/test-media.ts';

/** A temporary folder of a test with a long timeout, because tests encode concurrently. */
export const folderOf = async (t: ExecutionContext): Promise<string> => {
  t.timeout(400_000);
  const folder = await mkdtemp(join(tmpdir(), 'engine test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

/** Returns the standard output. If the last argument is a file, it is written once and used again by later runs. */
export const ffmpeg = async (...args: readonly string[]): Promise<Buffer> => {
  const program = process.env.FFMPEG_PATH ?? 'ffmpeg';
  const [file = '-', quiet] = [args.at(-1), ['-v', 'error', '-y']];
  if (file !== '-') {
    await encodeOnce(program, [...quiet, ...args.slice(0, -1)], file);
    return Buffer.alloc(0);
  }
  // A last byte of 10 is part of a pixel, not a line break.
  const options = { encoding: 'buffer', maxBuffer: 2 ** 30, stripFinalNewline: false } as const;
  const { stdout } = await execa(program, [...quiet, ...args], options);
  return Buffer.from(stdout);
};

/**
 * Every frame, or those with these numbers, as RGB, read as BT.709 studio range, as the file's tags say.
 *
 * @param top the first of `height` rows, an even number, where not all rows of the frame are read
 */
export const framesOf = async (
  file: string,
  width: number,
  height: number,
  numbers: readonly number[] = [],
  top: number | null = null,
): Promise<readonly Buffer[]> => {
  const selected = numbers.length === 0 ? '' : `select='${numbers.map((n) => `eq(n,${n})`).join('+')}',`;
  const chosen = top === null ? selected : `${selected}crop=${width}:${height}:0:${top},`;
  const toRgb = 'scale=in_color_matrix=bt709:in_range=tv:out_range=pc:flags=accurate_rnd+full_chroma_int+bicubic';
  const pixels = await ffmpeg(
    '-i',
    file,
    '-vf',
    `${chosen}${toRgb},format=rgb24`,
    '-fps_mode',
    'passthrough',
    '-f',
    'rawvideo',
    '-',
  );
  const size = width * height * 3;
  return Array.from({ length: pixels.length / size }, (_, n) => pixels.subarray(n * size, (n + 1) * size));
};

/** The framemd5 of ffmpeg: a line for each frame with its time and the MD5 of its pixels. */
export const framemd5 = async (file: string): Promise<string> =>
  (await ffmpeg('-i', file, '-map', '0:v', '-f', 'framemd5', '-')).toString();

/** MD5 of each frame's pixels. */
export const hashesOf = async (file: string): Promise<readonly string[]> =>
  (await framemd5(file))
    .split('\n')
    .filter((line) => line.startsWith('0,'))
    .map((line) => line.slice(line.lastIndexOf(' ')));

export const pixelAt = (frame: Buffer | undefined, width: number, x: number, y: number): readonly number[] => {
  const at = (y * width + x) * 3;
  return frame === undefined ? [] : [...frame.subarray(at, at + 3)];
};

export const colorAround = (frame: Buffer | undefined, width: number, x: number, y: number, radius: number) => {
  const sum = [0, 0, 0];
  for (let down = y - radius; down <= y + radius; down += 1)
    for (let across = x - radius; across <= x + radius; across += 1)
      for (const [channel, value] of pixelAt(frame, width, across, down).entries())
        sum[channel] = (sum[channel] ?? 0) + value;
  return sum.map((value) => value / (2 * radius + 1) ** 2);
};

/** The sound as 48 kHz stereo floats, left and right interleaved, after these options of ffmpeg. */
export const samplesOf = async (file: string, ...options: readonly string[]): Promise<Float32Array> => {
  const bytes = await ffmpeg('-i', file, '-vn', ...options, '-f', 'f32le', '-ac', '2', '-ar', '48000', '-');
  return new Float32Array(new Uint8Array(bytes).buffer);
};

/** Root mean square of one channel between two times, in dB relative to full scale. */
export const levelOf = (samples: Float32Array, from_s: number, until_s: number): number => {
  const [from, until] = [Math.round(from_s * 48_000), Math.round(until_s * 48_000)];
  let sum = 0;
  for (let n = from; n < until; n += 1) sum += (samples[2 * n] ?? 0) ** 2;
  return 10 * Math.log10(sum / (until - from));
};
