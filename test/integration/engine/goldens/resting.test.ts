import { join } from 'node:path';
import test from 'ava';
import sharp from 'sharp';
import { ffmpeg, folderOf } from '../_measuring.ts';
import { sameWhateverTheCuts } from './_golden.ts';
import { goldenIn, HEIGHT, WIDTH } from './_greys.ts';

const COLORS = ['#ff0000', '#00ff00', '#0000ff', '#ffff00', '#ff00ff', '#00ffff', '#e30613', '#141478'];

/** A drawing as a picture and as a video in 4:2:0. */
const filesOf = async (folder: string, drawing: string) => {
  const files = { picture: join(folder, 'drawing.png'), clip: join(folder, 'drawing.mp4') };
  await sharp(Buffer.from(`<svg width="${WIDTH}" height="${HEIGHT}">${drawing}</svg>`))
    .png()
    .toFile(files.picture);
  const toYuv = ['-vf', 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p', '-colorspace', 'bt709'];
  const still = ['-loop', '1', '-i', files.picture, '-frames:v', '30', '-r', '30'];
  await ffmpeg(...still, ...toYuv, '-color_range', 'tv', '-c:v', 'libx264', '-qp', '0', files.clip);
  return files;
};

const saturated = (folder: string) => {
  const tiles = Array.from({ length: 100 }, (_, n) => {
    const [column, row] = [n % 10, Math.floor(n / 10)];
    return `<rect x="${7 * column}" y="${5 * row}" width="7" height="5" fill="${COLORS[(column + 3 * row) % 8]}"/>`;
  });
  return filesOf(folder, tiles.join(''));
};

test('a resting layer keeps its colours when a moving layer appears', async (t) => {
  const folder = await folderOf(t);
  const files = await saturated(folder);
  const moves = {
    position: [
      { time: 0, x: 3, y: 40 },
      { time: 0.5, x: 13, y: 41 },
    ],
  };
  const layers = [
    { id: 'picture', type: 'image', asset: 'picture', height: 20 },
    { id: 'clip', type: 'video', asset: 'clip', y: 20, height: 20 },
    { id: 'half', type: 'shape', shape: 'ellipse', color: '#0000FF', x: 7, y: 11, width: 24, height: 17, opacity: 0.5 },
    { id: 'moves', type: 'shape', color: '#FFFFFF', width: 6, height: 6, start: 0.5, keyframes: moves },
    {
      id: 'above',
      type: 'shape',
      shape: 'ellipse',
      color: '#FF0000',
      x: 35,
      y: 9,
      width: 25,
      height: 23,
      fade_in: 0.2,
    },
  ];
  const golden = await goldenIn(folder, layers, { background: '#00A000' }, files, { picture: 'image' });
  const [before, after] = [await golden.rgb(14, 15), await golden.rgb(15, 16)].map(([frame]) => frame);
  const differences = (from: number, until: number) => {
    const changes: number[] = [];
    for (let x = from; x < until; x += 1)
      for (let y = 0; y < 36; y += 1)
        for (let channel = 0; channel < 3; channel += 1) {
          const at = (y * WIDTH + x) * 3 + channel;
          changes.push(Math.abs((before?.[at] ?? 0) - (after?.[at] ?? 1000)));
        }
    return Math.max(...changes);
  };
  t.is(differences(0, 32), 0, 'below what moves');
  t.is(differences(32, WIDTH), 0, 'above it');
  await sameWhateverTheCuts(t, golden);
});

const largest = (one: Buffer | undefined, other: Buffer | undefined): number => {
  if (one === undefined || one.length !== other?.length) return Number.POSITIVE_INFINITY;
  return one.reduce((worst, value, at) => Math.max(worst, Math.abs(value - (other[at] ?? 0))), 0);
};

test('a layer that stops on odd pixels looks as if it never moved', async (t) => {
  const folder = await folderOf(t);
  const files = await filesOf(folder, '<rect width="100%" height="100%" fill="#E30613"/>');
  const at = { width: 26, height: 18, fit: 'fill' };
  const [even, odd] = [
    { x: 20, y: 10 },
    { x: 21, y: 11 },
  ];
  const ways = {
    jumps: [
      { time: 0, ...even, easing: 'hold' },
      { time: 0.5, ...odd },
    ],
    glides: [
      { time: 0, ...even },
      { time: 0.5, ...odd },
    ],
  };
  const layers = {
    shape: { id: 'it', type: 'shape', color: '#E30613', width: 26, height: 18 },
    picture: { id: 'it', type: 'image', asset: 'picture', ...at },
    clip: { id: 'it', type: 'video', asset: 'clip', ...at },
  };
  // The maximum difference: scaling filters a chroma sample from more than its own four pixels.
  const MAX: Readonly<Record<string, number>> = { shape: 30, picture: 30, clip: 0 };
  for (const [kind, layer] of Object.entries(layers)) {
    const filmOf = (of: object) =>
      goldenIn(folder, [{ ...layer, ...of }], { background: '#0000FF' }, files, { picture: 'image' });
    const [want] = await (await filmOf(odd)).rgb(20, 21);
    for (const [way, position] of Object.entries(ways)) {
      const moved = await filmOf({ keyframes: { position } });
      for (const first of [0, 20]) {
        const found = largest(want, (await moved.rgb(first, 30))[20 - first]);
        t.true(found <= (MAX[kind] ?? 0), `${kind} ${way}, cut at ${first}: ${found}`);
      }
    }
  }
});
