import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { type AssetParts, finalOf } from '../_composition.ts';
import { ffmpeg, folderOf } from '../_measuring.ts';
import { type Golden, goldenOf, sameWhateverTheCuts } from './_golden.ts';

/** Greys stay exact for each pixel; the expected pictures are computed from the document. */

export const WIDTH = 64;
export const HEIGHT = 48;

export type Painted = {
  readonly x?: number;
  readonly y?: number;
  readonly width?: number;
  readonly height?: number;
  readonly level: number;
  readonly alpha?: number;
};

export const picture = (...painted: readonly Painted[]): Float64Array => {
  const pixels = new Float64Array(WIDTH * HEIGHT);
  for (const { x = 0, y = 0, width = WIDTH, height = HEIGHT, level, alpha = 1 } of painted)
    for (let row = Math.max(0, y); row < Math.min(HEIGHT, y + height); row += 1)
      for (let column = Math.max(0, x); column < Math.min(WIDTH, x + width); column += 1) {
        const at = row * WIDTH + column;
        pixels[at] = level * alpha + (pixels[at] ?? 0) * (1 - alpha);
      }
  return pixels;
};

const hex = (level: number): string => level.toString(16).padStart(2, '0');
export const grey = (level: number): string => `#${hex(level).repeat(3)}`;
export const rectangle = (id: string, level: number, parts: object = {}) => ({
  ...{ id, type: 'shape', color: grey(level) },
  ...parts,
});

/** The grey of frame n of a numbered clip; neighbouring frames differ a lot. */
export const levelOfFrame = (n: number): number => 20 + ((n * 67) % 211);

export const numberedClip = async (
  folder: string,
  name: string,
  fps: string,
  frames: number,
  options: readonly string[] = [],
  filters = 'null',
): Promise<string> => {
  const path = join(folder, name);
  const level = '20+mod(N*67,211)';
  const source = `color=c=black:s=32x24:r=${fps},format=gbrp,geq=r='${level}':g='${level}':b='${level}'`;
  const toYuv = `trim=end_frame=${frames},${filters},scale=out_color_matrix=bt709:out_range=tv,format=yuv420p`;
  const encoding = ['-c:v', 'libx264', '-qp', '0', '-g', '250', '-colorspace', 'bt709', '-color_range', 'tv'];
  await ffmpeg('-f', 'lavfi', '-i', source, '-vf', toYuv, '-fps_mode', 'passthrough', ...encoding, ...options, path);
  return path;
};

export const goldenIn = async (
  folder: string,
  layers: readonly unknown[],
  parts: object = {},
  files: Readonly<Record<string, string>> = {},
  kinds: Readonly<Record<string, AssetParts['kind']>> = {},
): Promise<Golden> => {
  const assets = Object.keys(files).map((id) => ({ id, kind: kinds[id] ?? 'video' }));
  return goldenOf(folder, finalOf({ width: WIDTH, height: HEIGHT, ...parts, layers }, assets), files);
};

const TOLERANCE = 4;

export const looksLike = async (
  t: ExecutionContext,
  golden: Golden,
  expected: (frame: number) => ArrayLike<number | null>,
  tolerance = TOLERANCE,
): Promise<void> => {
  const frames = await golden.rgb(0, golden.scene.frames);
  t.is(frames.length, golden.scene.frames);
  for (const [n, frame] of frames.entries()) {
    const wanted = expected(n);
    for (let at = 0; at < WIDTH * HEIGHT; at += 1) {
      const level = wanted[at] ?? null;
      if (level === null || Math.abs((frame[at * 3] ?? -1000) - level) <= tolerance) continue;
      t.fail(`frame ${n}, pixel ${at % WIDTH},${Math.floor(at / WIDTH)}: ${frame[at * 3]}, not ${level}`);
      return;
    }
  }
};

export const holds = async (
  t: ExecutionContext,
  layers: readonly unknown[],
  expected: (frame: number) => ArrayLike<number | null>,
  more: {
    readonly parts?: object;
    readonly files?: (folder: string) => Promise<Readonly<Record<string, string>>>;
    readonly kinds?: Readonly<Record<string, AssetParts['kind']>>;
    readonly tolerance?: number;
  } = {},
): Promise<void> => {
  const folder = await folderOf(t);
  const files = (await more.files?.(folder)) ?? {};
  const golden = await goldenIn(folder, layers, more.parts, files, more.kinds);
  await looksLike(t, golden, expected, more.tolerance);
  await sameWhateverTheCuts(t, golden);
};
