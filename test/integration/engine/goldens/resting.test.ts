import { join } from 'node:path';
import test from 'ava';
import sharp from 'sharp';
import { ffmpeg, folderOf } from '../_measuring.ts';
import { sameWhateverTheCuts } from './_golden.ts';
import { goldenIn, HEIGHT, WIDTH } from './_greys.ts';

const COLORS = ['#ff0000', '#00ff00', '#0000ff', '#ffff00', '#ff00ff', '#00ffff', '#e30613', '#141478'];

/** Saturated tiles of odd sizes, as a picture and as a video in 4:2:0. */
const saturated = async (folder: string) => {
  const tiles = Array.from({ length: 100 }, (_, n) => {
    const [column, row] = [n % 10, Math.floor(n / 10)];
    return `<rect x="${7 * column}" y="${5 * row}" width="7" height="5" fill="${COLORS[(column + 3 * row) % 8]}"/>`;
  });
  const files = { picture: join(folder, 'tiles.png'), clip: join(folder, 'tiles.mp4') };
  await sharp(Buffer.from(`<svg width="${WIDTH}" height="${HEIGHT}">${tiles.join('')}</svg>`))
    .png()
    .toFile(files.picture);
  const toYuv = ['-vf', 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p', '-colorspace', 'bt709'];
  const still = ['-loop', '1', '-i', files.picture, '-frames:v', '30', '-r', '30'];
  await ffmpeg(...still, ...toYuv, '-color_range', 'tv', '-c:v', 'libx264', '-qp', '0', files.clip);
  return files;
};

test('what rests keeps its colours when a layer that moves comes in', async (t) => {
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
  t.true(differences(32, WIDTH) <= 3, `one level of chroma, above it: ${differences(32, WIDTH)}`);
  await sameWhateverTheCuts(t, golden);
});
