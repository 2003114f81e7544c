import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import sharp from 'sharp';
import { finalOf } from '../_composition.ts';
import { ffmpeg, folderOf } from '../_measuring.ts';
import { goldenOf, sameWhateverTheCuts } from './_golden.ts';

/** Moving layers are placed between pixels. The tests measure whether the middle of a bar moves steadily. */

const [WIDTH, HEIGHT] = [320, 180];
const BAND = 30;
const FRAMES = 60;
const BAR = { x: 250, width: 6 };
const [DARK, LIGHT] = ['#202020', '#E0E0E0'];

const barred = (height: number): string =>
  `color=c=${DARK}:s=${WIDTH}x${height},format=rgb24,drawbox=x=${BAR.x}:w=${BAR.width}:h=ih:color=${LIGHT}:t=fill`;
const TO_YUV = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv444p';
const EXACT = ['-c:v', 'libx264', '-qp', '0', '-colorspace', 'bt709', '-color_range', 'tv'];

const middleOf = (frame: Buffer | undefined, row: number): number => {
  let [sum, mass] = [0, 0];
  for (let x = 0; x < WIDTH; x += 1) {
    const level = (frame?.[(row * WIDTH + x) * 3] ?? 0) - 32;
    if (level < 8) continue;
    sum += level * (x + 0.5);
    mass += level;
  }
  return sum / mass;
};

type Glide = { readonly id: string; readonly layer: object; readonly at: (frame: number) => number };

const pan = (x: number, y: number) => ({
  position: [
    { time: 0, x, y },
    { time: 2, x: x + 20, y },
  ],
});
const zoom = {
  scale: [
    { time: 0, value: 1 },
    { time: 1.8, value: 1.1 },
  ],
};
const growing = (n: number): number =>
  WIDTH / 2 + (BAR.x + BAR.width / 2 - WIDTH / 2) * (1 + 0.1 * Math.min(1, n / 54));
const panning = (from: number) => (n: number) => from + (20 * n) / FRAMES;

test('scaling and moving layers glide by fractions of a pixel, with any segment cuts', async (t) => {
  const folder = await folderOf(t);
  const assets = { picture: join(folder, 'bar.png'), clip: join(folder, 'bar.mp4'), moving: join(folder, 'bar.gif') };
  await ffmpeg('-f', 'lavfi', '-i', barred(BAND), '-frames:v', '1', assets.picture);
  await ffmpeg('-f', 'lavfi', '-i', `${barred(BAND)},${TO_YUV}`, '-r', '30', '-frames:v', '60', ...EXACT, assets.clip);
  const page = await sharp(assets.picture).png().toBuffer();
  const other = await sharp(assets.picture).linear(0.9, 3).png().toBuffer();
  const pages = sharp([page, other], { join: { animated: true } });
  await writeFile(assets.moving, await pages.gif({ delay: [100, 100] }).toBuffer());
  const glides: readonly Glide[] = [
    { id: 'a', layer: { type: 'image', asset: 'picture', width: WIDTH, keyframes: zoom }, at: growing },
    { id: 'b', layer: { type: 'video', asset: 'clip', width: WIDTH, keyframes: zoom }, at: growing },
    { id: 'c', layer: { type: 'image', asset: 'moving', width: WIDTH, keyframes: zoom }, at: growing },
    {
      id: 'd',
      layer: { type: 'shape', color: LIGHT, width: 20, keyframes: pan(100, 3 * BAND) },
      at: panning(110),
    },
    {
      id: 'e',
      layer: {
        ...{ type: 'text', text: 'I', font_size: 24, align: 'center', width: 40, color: LIGHT },
        keyframes: pan(100, 4 * BAND),
      },
      at: panning(120),
    },
    {
      id: 'f',
      layer: { type: 'video', asset: 'clip', width: WIDTH, rotation: 180, keyframes: pan(-10, 5 * BAND) },
      at: panning(WIDTH - BAR.x - BAR.width / 2 - 10),
    },
  ];
  const layers = glides.map(({ id, layer }, band) => ({ id, x: 0, y: band * BAND, height: BAND, ...layer }));
  const kinds = [
    { id: 'picture', kind: 'image' },
    { id: 'clip', kind: 'video' },
    { id: 'moving', kind: 'image' },
  ] as const;
  const golden = await goldenOf(folder, finalOf({ background: DARK, duration: 2, layers }, kinds), assets);
  const frames = await golden.rgb(0, FRAMES);
  for (const [band, { id, at }] of glides.entries()) {
    const found = frames.map((frame) => middleOf(frame, band * BAND + BAND / 2));
    const errors = found.map((middle, n) => middle - at(n));
    const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
    const deviation = Math.sqrt(errors.reduce((sum, error) => sum + (error - mean) ** 2, 0) / errors.length);
    const back = found.filter((middle, n) => n > 0 && middle < (found[n - 1] ?? 0) - 0.02).length;
    t.true(deviation < 0.05, `${id}: off by ${deviation}`);
    t.true(Math.abs(mean) < 0.1, `${id}: ${mean} aside`);
    t.is(back, 0, `${id}: steps back`);
  }
  await sameWhateverTheCuts(t, golden);
});

test('a resting layer looks pixel for pixel as if it had never moved', async (t) => {
  const folder = await folderOf(t);
  const noise = join(folder, 'noise.png');
  const grain = 'color=gray:s=160x90,format=gray,noise=alls=60:all_seed=3,format=rgb24';
  await ffmpeg('-f', 'lavfi', '-i', grain, '-frames:v', '1', noise);
  const clip = join(folder, 'noise.mp4');
  await ffmpeg('-loop', '1', '-i', noise, '-vf', TO_YUV, '-r', '30', '-frames:v', '45', ...EXACT, clip);
  const of = async (type: string, parts: object) => {
    // A moving layer needs colour at full resolution; it is below the layer, so that the two are not drawn as one.
    const beside = { id: 'm', type: 'shape', color: LIGHT, width: 4, height: 4, keyframes: pan(280, 0) };
    const layers = [beside, { id: 'l', type, asset: 'a', x: 40, y: 31, width: 160, height: 90, ...parts }];
    const kind = type === 'video' ? 'video' : 'image';
    return (
      await goldenOf(folder, finalOf({ layers, duration: 1.5 }, [{ id: 'a', kind }]), {
        a: kind === 'video' ? clip : noise,
      })
    ).rgb(0, 45);
  };
  for (const type of ['image', 'video']) {
    const still = await of(type, {});
    const scaled = await of(type, { keyframes: { scale: [0, 0.5, 1.5].map((time) => ({ time, value: 1 })) } });
    const grown = await of(type, {
      keyframes: {
        scale: [
          { time: 0, value: 1 },
          { time: 0.5, value: 1 },
          { time: 1, value: 1.2 },
          { time: 1.2, value: 1 },
        ],
      },
    });
    const moved = await of(type, {
      keyframes: {
        position: [
          { time: 0, x: 40, y: 31 },
          { time: 0.5, x: 40.3, y: 30.8 },
          { time: 1, x: 52.4, y: 44.1 },
          { time: 1.2, x: 40, y: 31 },
        ],
      },
    });
    const same = (name: string, frames: readonly Buffer[], n: number) =>
      t.true(frames[n]?.equals(still[n] ?? Buffer.alloc(0)), `${type} ${name}, frame ${n}`);
    for (const n of [0, 20, 44]) same('of scale 1', scaled, n);
    for (const n of [0, 10, 15, 36, 44]) same('before and after it grows', grown, n);
    for (const n of [0, 36, 44]) same('before and after it moves', moved, n);
  }
});

test('no gap shows at the edges of a covering picture or between sliding pictures', async (t) => {
  const folder = await folderOf(t);
  const [still, clip] = [join(folder, 'white.png'), join(folder, 'white.mp4')];
  await ffmpeg('-f', 'lavfi', '-i', `color=white:s=${WIDTH}x${HEIGHT}`, '-frames:v', '1', still);
  await ffmpeg('-f', 'lavfi', '-i', `color=white:s=${WIDTH}x${HEIGHT}:r=30:d=1,${TO_YUV}`, ...EXACT, clip);
  const keyframes = {
    scale: [
      { time: 0.1, value: 1 },
      { time: 1, value: 1.02 },
    ],
  };
  const files = { picture: still, clip };
  const kinds = [
    { id: 'picture', kind: 'image' },
    { id: 'clip', kind: 'video' },
  ] as const;
  const layersOf = {
    'a picture that grows': [{ id: 'l', type: 'image', asset: 'picture', keyframes }],
    'a clip that grows': [{ id: 'l', type: 'video', asset: 'clip', keyframes }],
    'two sliding layers': [
      { id: 'one', type: 'image', asset: 'picture', duration: 1 },
      {
        ...{ id: 'two', type: 'video', asset: 'clip', start: 0.1, duration: 0.9 },
        transition: { type: 'slide', from: 'one', direction: 'left', duration: 0.9 },
      },
    ],
  };
  for (const [name, layers] of Object.entries(layersOf)) {
    const final = finalOf({ layers, background: '#000000', duration: 1 }, kinds);
    const frames = await (await goldenOf(folder, final, files)).rgb(0, 30);
    const darkest = frames.map((frame) => frame.reduce((least, level) => Math.min(least, level), 255));
    t.true(Math.min(...darkest) >= 253, `${name}: ${darkest.join(' ')}`);
  }
});
