import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { renderFrame } from '../../../engine/render-frame.ts';
import { finalOf } from './_composition.ts';
import { ffmpeg, folderOf, framesOf, pixelAt } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

const SIDE = 96;
const [WIDTH, HEIGHT] = [5 * SIDE, 2 * SIDE];
const BACK = [0x40, 0x40, 0x40];
const RED = [0xe0, 0x10, 0x20];
const GREY = [0x90, 0x90, 0x90];

/** Black on the left, white on the right. */
const writeEdge = async (folder: string) => {
  const [edge, grey, film] = ['edge.png', 'grey.png', 'edge.mp4'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const half = { create: { width: SIDE / 2, height: SIDE, channels: 3 as const, background: '#FFFFFF' } };
  await sharp({ create: { ...half.create, width: SIDE, background: '#000000' } })
    .composite([{ input: half, left: SIDE / 2, top: 0 }])
    .png()
    .toFile(edge);
  await sharp({ create: { ...half.create, background: '#909090' } })
    .png()
    .toFile(grey);
  const toVideo = 'loop=-1:1,scale=out_color_matrix=bt709,format=yuv420p';
  const tags = ['-colorspace', 'bt709', '-color_range', 'tv'];
  await ffmpeg('-i', edge, '-vf', toVideo, '-t', '0.5', '-r', '30', '-c:v', 'libx264', '-qp', '0', ...tags, film);
  return { edge, grey, film };
};

/** The normal distribution, by the series of Abramowitz and Stegun, 26.2.17. */
const normal = (x: number): number => {
  const k = 1 / (1 + 0.2316419 * Math.abs(x));
  const series = 0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)));
  const tail = (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * k * series;
  return x < 0 ? tail : 1 - tail;
};

const at = (n: number, row: number, size = SIDE) => ({ x: n * SIDE, y: row * SIDE, width: size, height: size });
const SHADOW = { shadow_color: '#E01020', shadow_opacity: 1, shadow_x: 20, shadow_y: 10, shadow_blur: 0 };
const small = (n: number, row: number) => ({ x: n * SIDE + 20, y: row * SIDE + 24, width: 40, height: 40 });

test('images, videos and shapes have the blurs and shadows of CSS', async (t) => {
  const folder = await folderOf(t);
  const files = await writeEdge(folder);
  const stops = ['#000000', '#FFFFFF'].map((color, offset) => ({ offset, color }));
  const layers = [
    { id: 'image', type: 'image', asset: 'edge', ...at(0, 0), blur: 8 },
    { id: 'film', type: 'video', asset: 'film', ...at(0, 1), blur: 8 },
    { id: 'wide', type: 'image', asset: 'edge', ...at(1, 0), blur: 14, rotation: 90 },
    { id: 'soft', type: 'shape', color: '#FFFFFF', ...small(1, 1), blur: 5 },
    { id: 'boxed', type: 'image', asset: 'grey', ...small(2, 0), ...SHADOW, border_radius: 8 },
    { id: 'clip', type: 'video', asset: 'film', ...small(2, 1), ...SHADOW, opacity: 0.5, border_radius: 8 },
    { id: 'shape', type: 'shape', color: '#909090', ...small(3, 0), ...SHADOW, fade_in: 0.1 },
    { id: 'gradient', type: 'shape', color: '#000000', ...at(4, 0), fill: { type: 'linear', angle: 90, stops } },
    { id: 'faint', type: 'shape', color: '#909090', ...small(3, 1), ...SHADOW, shadow_blur: 6 },
  ];
  const assets = [
    ...(['edge', 'grey'] as const).map((id) => ({ id, kind: 'image' as const })),
    { id: 'film', kind: 'video' as const },
  ];
  const final = finalOf({ width: WIDTH, height: HEIGHT, duration: 0.2, background: '#404040', layers }, assets);
  const options = optionsOf(final, join(folder, 'out'), files);
  const { master } = await rendered({ ...options, lossless: true });
  const [frame = Buffer.alloc(0)] = await framesOf(master, WIDTH, HEIGHT, [5]);
  const level = (x: number, y: number): number => pixelAt(frame, WIDTH, x, y)[1] ?? -1;
  const near = (x: number, y: number, wanted: readonly number[], what: string, within = 12) => {
    const found = pixelAt(frame, WIDTH, x, y);
    const is_near = found.every((value, n) => Math.abs(value - (wanted[n] ?? 0)) <= within);
    t.true(is_near, `${what} at ${x},${y}: ${found}, not ${wanted}`);
  };

  for (const [row, what] of ['image', 'film'].entries())
    for (const x of [1, 30, 38, 44, 48, 52, 58, 66, 94]) {
      const wanted = 255 * normal((x + 0.5 - 48) / 8);
      for (const y of [1, 48, 94])
        t.true(
          Math.abs(level(x, row * SIDE + y) - wanted) < 7,
          `${what} at ${x}: ${level(x, row * SIDE + y)}, ${wanted}`,
        );
    }
  for (const y of [20, 34, 48, 62, 76]) {
    const wanted = 255 * normal((y + 0.5 - 48) / 14);
    t.true(Math.abs(level(SIDE + 48, y) - wanted) < 8, `turned at ${y}: ${level(SIDE + 48, y)}, ${wanted}`);
  }
  for (const out of [-8, -3, 0, 3, 8]) {
    const wanted = 0x40 + (255 - 0x40) * normal((out + 0.5) / 5);
    const found = level(SIDE + 20 + out, SIDE + 44);
    t.true(Math.abs(found - wanted) < 7, `${out} inside of a soft edge: ${found}, ${wanted}`);
  }

  for (const [n, row, inside] of [
    [2, 0, GREY],
    [2, 1, [0xa0, 0xa0, 0xa0]],
    [3, 0, GREY],
  ] as const) {
    const [x, y] = [n * SIDE + 20, row * SIDE + 24];
    near(x + 34, y + 20, inside, 'inside');
    near(x + 50, y + 30, row === 1 ? [0x90, 0x28, 0x30] : RED, 'shadow');
    near(x + 30, y + 45, row === 1 ? [0x90, 0x28, 0x30] : RED, 'shadow');
    near(x + 10, y + 45, BACK, 'left of the shadow');
    near(x + 50, y + 5, BACK, 'above the shadow');
  }
  for (const x of [2, 24, 48, 72, 93]) {
    const wanted = (255 * (x + 0.5)) / SIDE;
    near(4 * SIDE + x, 40, [wanted, wanted, wanted], 'gradient', 5);
  }
  const edge = 3 * SIDE + 20 + 60;
  const red = (x: number): number => pixelAt(frame, WIDTH, x, SIDE + 54)[0] ?? -1;
  for (const out of [-6, 0, 6]) {
    const wanted = 0x40 + (0xe0 - 0x40) * normal(-(out + 0.5) / 6);
    t.true(Math.abs(red(edge + out) - wanted) < 9, `${out} outside of a blurred shadow: ${red(edge + out)}, ${wanted}`);
  }

  const work_dir = join(folder, 'still');
  await mkdir(work_dir);
  const still = await renderFrame({ ...options, work_dir }, 5 / 30);
  if (E.isLeft(still)) return t.fail(JSON.stringify(still.left));
  const pixels = await sharp(still.right.bytes).removeAlpha().raw().toBuffer();
  t.true(
    pixels.every((value, index) => Math.abs(value - (frame[index] ?? 999)) <= 3),
    'the still is the frame',
  );
});
