import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { rgbOf } from '../../../engine/raster/canvas.ts';
import { NO_EDGE_PADDING } from '../../../engine/raster/geometry.ts';
import { checkDecodable, imageSize } from '../../../engine/raster/image.ts';
import type { Animation } from '../../../engine/raster/raster-job.ts';
import { composeScene } from '../../../engine/scene/compose-scene.ts';
import { u8, u16, u32 } from '../../hostile/write/numbers.ts';
import { chunk, head, png } from '../../hostile/write/png-chunks.ts';
import { finalOf } from './_composition.ts';
import { attempt, drawn, FRAME } from './_drawing.ts';
import { colorAround, folderOf, framesOf } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

const COLORS = ['#E30613', '#00FF00', '#0000FF'] as const;

const animated = async (
  file: string,
  format: 'gif' | 'webp',
  delay: readonly number[],
  colors: readonly string[] = COLORS,
): Promise<string> => {
  const page = (background: string) => sharp({ create: { width: 40, height: 20, channels: 3, background } });
  const pages = await Promise.all(colors.map((background) => page(background).png().toBuffer()));
  const joined = sharp(pages, { join: { animated: true } });
  const encoded =
    format === 'gif' ? joined.gif({ delay: [...delay] }) : joined.webp({ delay: [...delay], lossless: true });
  await writeFile(file, await encoded.toBuffer());
  return file;
};

const ANIMATION: Animation = {
  ...{ id: 'animation-0', region: FRAME, surround: NO_EDGE_PADDING, field: 'layers[0]', asset: 'clip' },
  ...{ box: { x: 100, y: 100, width: 80, height: 40 }, opacity: 1, rotation: 0, fit: 'cover' },
};

const framesDrawn = async (folder: string, file: string, animation: Partial<Animation> = {}) => {
  const made = await drawn({ folder, animations: [{ ...ANIMATION, ...animation }], assets: new Map([['clip', file]]) });
  const found = made.animations.get('animation-0');
  if (found === undefined) throw new Error('it is blank');
  const bytes = await readFile(found.file);
  const size = found.region.width * found.region.height * 4;
  const frames = Array.from({ length: bytes.length / size }, (_, n) => bytes.subarray(n * size, (n + 1) * size));
  const middle = (Math.floor(found.region.height / 2) * found.region.width + Math.floor(found.region.width / 2)) * 4;
  return { ...found, bytes: frames, colors: frames.map((frame) => [...frame.subarray(middle, middle + 4)]) };
};

const [RED, GREEN, BLUE] = [
  [0xe3, 6, 0x13, 255],
  [0, 255, 0, 255],
  [0, 0, 255, 255],
];

test('each page of an animation covers as many equal frames as its delay', async (t) => {
  const folder = await folderOf(t);
  const gif = await framesDrawn(folder, await animated(join(folder, 'a.gif'), 'gif', [100, 200, 100]));
  t.is(gif.frame_ms, 100);
  t.is(gif.frames, 4);
  t.deepEqual(gif.region, ANIMATION.box);
  t.deepEqual(gif.colors, [RED, GREEN, GREEN, BLUE]);
  const webp = await framesDrawn(folder, await animated(join(folder, 'a.webp'), 'webp', [33, 33, 34]));
  t.is(webp.frame_ms, 10);
  t.deepEqual(webp.colors, [RED, RED, RED, GREEN, GREEN, GREEN, GREEN, BLUE, BLUE, BLUE]);
});

test('an animation keeps its frame delays and lengthens delays that are too short', async (t) => {
  const folder = await folderOf(t);
  const file = await animated(join(folder, 'a.gif'), 'gif', [0, 10, 50]);
  t.like(await imageSize(file), { width: 40, height: 20, pages: 3, duration_s: 0.25, frame_ms: 50, frames: 5 });
  const { frames, frame_ms, colors } = await framesDrawn(folder, file);
  t.deepEqual([frames, frame_ms], [5, 50]);
  t.deepEqual(colors, [RED, RED, GREEN, GREEN, BLUE]);
  const single = join(folder, 'single.png');
  await sharp({ create: { width: 40, height: 20, channels: 3, background: '#E30613' } })
    .png()
    .toFile(single);
  t.like(await imageSize(single), { width: 40, height: 20, pages: 1, duration_s: 0, frame_ms: 0, frames: 1 });
});

test('an animation is fitted, rotated, faded and cropped like a still picture', async (t) => {
  const folder = await folderOf(t);
  const file = await animated(join(folder, 'a.gif'), 'gif', [100, 100, 100]);
  const box = { x: 100, y: 100, width: 80, height: 80 };
  t.deepEqual((await framesDrawn(folder, file, { box, fit: 'contain' })).region, { ...box, y: 120, height: 40 });
  t.deepEqual((await framesDrawn(folder, file, { rotation: 90 })).region, { x: 118, y: 78, width: 44, height: 84 });
  const faint = await framesDrawn(folder, file, { opacity: 0.5 });
  t.deepEqual(faint.colors[1], [0, 255, 0, 128]);
  const cut = await framesDrawn(folder, file, { box: { ...ANIMATION.box, x: -20 } });
  t.deepEqual(cut.region, { x: 0, y: 100, width: 60, height: 40 });
  const away = { ...ANIMATION, box: { ...ANIMATION.box, x: 3000 } };
  t.is((await drawn({ folder, animations: [away], assets: new Map([['clip', file]]) })).animations.size, 0);
});

test('the orientation tag of an animation is ignored, as in browsers', async (t) => {
  const folder = await folderOf(t);
  const file = await animated(join(folder, 'a.webp'), 'webp', [100, 100, 100]);
  const turned = sharp(file, { animated: true }).withMetadata({ orientation: 6 }).webp({ lossless: true });
  await writeFile(file, await turned.toBuffer());
  t.like(await imageSize(file), { width: 40, height: 20, pages: 3 });
  await t.notThrowsAsync(checkDecodable(file));
  t.deepEqual((await framesDrawn(folder, file)).colors, [RED, GREEN, BLUE]);
});

test('an animated AVIF shows its first picture', async (t) => {
  const folder = await folderOf(t);
  const file = join(folder, 'a.avif');
  const still = await sharp({ create: { width: 40, height: 20, channels: 3, background: '#E30613' } })
    .avif({ lossless: true })
    .toBuffer();
  const brands = still.readUInt32BE(0);
  t.is(still.toString('latin1', 4, 12), 'ftypavif');
  // Encoders of sequences write `avis` as the major brand, and list the brand of the still picture among the others.
  await writeFile(
    file,
    Buffer.concat([still.subarray(0, 8), Buffer.from('avis'), still.subarray(12, brands), still.subarray(brands)]),
  );
  t.like(await imageSize(file), { width: 40, height: 20, pages: 1 });
  const { colors } = await framesDrawn(folder, file);
  t.true(
    RED.every((level, channel) => Math.abs(level - (colors[0]?.[channel] ?? 0)) <= 2),
    `${colors}`,
  );
});

test('hundreds of pages are drawn in order', async (t) => {
  const folder = await folderOf(t);
  const colors = Array.from({ length: 300 }, (_, n) => `rgb(${n % 256},${n >> 8},0)`);
  const file = await animated(join(folder, 'a.webp'), 'webp', Array(300).fill(40), colors);
  const box = { x: 0, y: 0, width: 800, height: 400 };
  const { frames, colors: seen } = await framesDrawn(folder, file, { box });
  t.is(frames, 300);
  t.deepEqual(
    seen,
    colors.map((_, n) => [n % 256, n >> 8, 0, 255]),
  );
});

const movingPng = async (file: string, colors: readonly (readonly number[])[], ...chunks: readonly Buffer[]) => {
  const pixels = (color: readonly number[]) =>
    deflateSync(Buffer.concat(Array(20).fill(Buffer.from([0, ...Array(40).fill(color).flat()]))));
  const control = (sequence: number) => chunk('fcTL', u32(sequence, 40, 20, 0, 0), u16(50, 100), u8(0, 0));
  const frames = colors.flatMap((color, n) =>
    n === 0
      ? [control(0), chunk('IDAT', pixels(color))]
      : [control(2 * n - 1), chunk('fdAT', u32(2 * n), pixels(color))],
  );
  const start = [head({ width: 40, height: 20, color: 2 }), ...chunks, chunk('acTL', u32(colors.length, 0))];
  await writeFile(file, png(...start, ...frames));
  return file;
};

test('an animated PNG moves, with the colours of the file in each frame', async (t) => {
  const folder = await folderOf(t);
  const file = await movingPng(join(folder, 'a.png'), [
    [255, 0, 0],
    [0, 255, 0],
  ]);
  const facts = { width: 40, height: 20, has_alpha: false, pages: 2, duration_s: 1, frame_ms: 500, frames: 2 };
  t.like(await imageSize(file), facts);
  const layer = { id: 'clip', type: 'image', asset: 'clip', x: 100, y: 60, width: 120, height: 60 };
  const final = finalOf({ layers: [layer] }, [{ id: 'clip', kind: 'image' }]);
  const { master } = await rendered(optionsOf(final, folder, { clip: file }));
  const shown = (await framesOf(master, 320, 180)).map((frame) => {
    const [red = 0, green = 0] = colorAround(frame, 320, 160, 90, 5);
    return `${red > 240 && green < 15 ? 'R' : ''}${green > 240 && red < 15 ? 'G' : ''}`;
  });
  t.is(shown.join(''), `${'R'.repeat(15)}${'G'.repeat(15)}`);
  const linear = await movingPng(
    join(folder, 'linear.png'),
    [
      [55, 55, 55],
      [128, 128, 128],
    ],
    chunk('gAMA', u32(100_000)),
  );
  const { colors } = await framesDrawn(folder, linear);
  t.deepEqual(colors, [
    [128, 128, 128, 255],
    [188, 188, 188, 255],
  ]);
});

test('an animation with too many frames is refused, with advice', async (t) => {
  const folder = await folderOf(t);
  const file = await animated(join(folder, 'a.gif'), 'gif', [100, 60_000, 130]);
  const box = { x: 0, y: 0, width: 800, height: 600 };
  const result = await attempt({ folder, animations: [{ ...ANIMATION, box }], assets: new Map([['clip', file]]) });
  if (E.isRight(result) || result.left.tag !== 'composition') return t.fail();
  t.is(result.left.field, 'layers[0].asset');
  t.regex(result.left.message, /the image "clip" has too many large frames: .* convert it to a video/);
});

test('in a film every page shows at its time, and the animation repeats', async (t) => {
  const folder = await folderOf(t);
  const file = await animated(join(folder, 'a.gif'), 'gif', [100, 200, 100]);
  const layer = { id: 'clip', type: 'image', asset: 'clip', x: 100, y: 60, width: 120, height: 60, start: 0.2 };
  const final = finalOf({ layers: [layer] }, [{ id: 'clip', kind: 'image' }]);
  const { master } = await rendered(optionsOf(final, folder, { clip: file }));
  const frames = await framesOf(master, 320, 180);
  t.is(frames.length, 30);
  const nearest = (frame: Buffer): string => {
    const color = colorAround(frame, 320, 160, 90, 5);
    const away = ([...COLORS, '#000000'] as const).map((wanted) =>
      Math.max(...rgbOf(wanted).map((value, n) => Math.abs(value - (color[n] ?? 0)))),
    );
    return Math.min(...away) <= 6 ? 'RGBk'.charAt(away.indexOf(Math.min(...away))) : '?';
  };
  t.is(frames.map(nearest).join(''), `kkkkkk${'RRRGGGGGGBBB'.repeat(2)}`);
});

test('an animation with too many frames is refused before any drawing', (t) => {
  const final = finalOf({ layers: [{ id: 'clip', type: 'image', asset: 'clip' }] }, [{ id: 'clip', kind: 'image' }]);
  const facts = {
    kind: 'image',
    width: 320,
    height: 180,
    has_alpha: true,
    has_text: false,
    pages: 2,
    frame_ms: 10,
  } as const;
  const sceneOf = (frames: number) =>
    composeScene(final, new Map([['clip', { ...facts, frames, duration_s: frames / 100 }]]));
  t.true(E.isRight(sceneOf(4000)));
  const refused = sceneOf(5000);
  if (E.isRight(refused) || refused.left.tag !== 'composition') return t.fail();
  t.is(refused.left.field, 'layers[0].asset');
});
