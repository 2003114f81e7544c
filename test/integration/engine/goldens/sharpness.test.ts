import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import sharp from 'sharp';
import { finalOf } from '../_composition.ts';
import { folderOf } from '../_measuring.ts';
import { goldenOf, sameWhateverTheCuts } from './_golden.ts';

/**
 * Zooming and panning layers are about as sharp as at rest, without a jump when they stop; sharpness is measured by
 * steps between pixels.
 */

const [WIDTH, HEIGHT] = [320, 180];
const FRAMES = 36;
/** The layer rests before frame `from` and from frame `until` on. */
const WAY = { from: 6, until: 24 };
const EDGE = 16;

/** Noise of all scales, from single pixels up, as fine as a photograph. */
const photo = async (width: number, height: number): Promise<Buffer> => {
  let seed = 1;
  const random = (): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const levels = new Float64Array(width * height).fill(125);
  for (let size = 1, strength = 30; size <= 64; size *= 2, strength *= 0.9) {
    const grains = { width: Math.ceil(width / size), height: Math.ceil(height / size), channels: 1 } as const;
    const noise = Buffer.from(Array.from({ length: grains.width * grains.height }, () => Math.floor(256 * random())));
    const grown = await sharp(noise, { raw: grains })
      .resize(width, height, { fit: 'fill', kernel: 'cubic' })
      .extractChannel(0)
      .raw()
      .toBuffer();
    for (const [at, level] of grown.entries()) levels[at] = (levels[at] ?? 0) + ((level - 128) / 128) * strength;
  }
  const pixels = Buffer.from(Uint8ClampedArray.from(levels));
  return sharp(pixels, { raw: { width, height, channels: 1 } })
    .png()
    .toBuffer();
};

const sharpnessOf = (frame: Buffer): number => {
  const green = (x: number, y: number): number => frame[(y * WIDTH + x) * 3 + 1] ?? 0;
  let [sum, count] = [0, 0];
  for (let y = EDGE; y < HEIGHT - EDGE; y += 1)
    for (let x = EDGE; x < WIDTH - EDGE; x += 1) {
      sum += (green(x + 1, y) - green(x, y)) ** 2 + (green(x, y + 1) - green(x, y)) ** 2;
      count += 1;
    }
  return Math.sqrt(sum / count);
};

const holds = <V extends object>(first: V, last: V) =>
  [
    { frame: 0, ...first },
    { frame: WAY.from, ...first },
    { frame: WAY.until, ...last },
  ].map(({ frame, ...value }) => ({ time: frame / 30, ...value }));
const zoom = (from: number, to: number) => ({ scale: holds({ value: from }, { value: to }) });
const pan = (x: number, y: number) => ({ position: holds({ x, y }, { x: x + 9, y: y + 5 }) });

test('a zooming or panning layer is as sharp in motion as at rest', async (t) => {
  const folder = await folderOf(t);
  const assets = { large: join(folder, 'large.png'), same: join(folder, 'same.png') };
  await sharp(await photo(3 * WIDTH, 3 * HEIGHT)).toFile(assets.large);
  await sharp(assets.large).resize(WIDTH, HEIGHT).toFile(assets.same);
  const frame = { width: WIDTH, height: HEIGHT };
  const wide = { x: -20, y: -10, width: WIDTH + 40, height: HEIGHT + 20 };
  const text = { type: 'text', text: 'Sphinx of black quartz, judge my vow. '.repeat(12), font_size: 14, ...frame };
  const cases = {
    'a photo that zooms in': { type: 'image', asset: 'large', ...frame, keyframes: zoom(1, 1.1) },
    'a photo that zooms out': { type: 'image', asset: 'large', ...frame, keyframes: zoom(1.1, 1) },
    'a photo that zooms between pixels': { type: 'image', asset: 'large', ...frame, keyframes: zoom(1, 1.083) },
    'a photo that pans': { type: 'image', asset: 'large', ...wide, keyframes: pan(-20, -10) },
    'a picture of as many pixels that pans': { type: 'image', asset: 'same', ...wide, keyframes: pan(-20, -10) },
    'a text that zooms': { ...text, keyframes: zoom(1, 1.1) },
    'a text that pans': { ...text, keyframes: pan(0, 0) },
  };
  const kinds = (['large', 'same'] as const).map((id) => ({ id, kind: 'image' as const }));
  const filmOf = async (name: string, layer: object, duration: number) => {
    await mkdir(join(folder, name));
    const final = finalOf({ background: '#202020', duration, layers: [{ id: 'l', ...layer }] }, kinds);
    return goldenOf(join(folder, name), final, assets);
  };
  for (const [name, { keyframes, ...layer }] of Object.entries(cases)) {
    const [still] = await (await filmOf(`${name}, still`, layer, 0.1)).rgb(0, 1);
    const film = await filmOf(name, { ...layer, keyframes }, FRAMES / 30);
    const frames = await film.rgb(0, FRAMES);
    const rest = sharpnessOf(still ?? Buffer.alloc(0));
    const found = frames.map((one) => sharpnessOf(one) / rest);
    const told = `${name}: ${found.map((one) => one.toFixed(3)).join(' ')}`;
    t.true(Math.min(...found) >= 0.9 && Math.max(...found) <= 1.1, told);
    const steps = found.slice(1).map((one, n) => Math.abs(one / (found[n] ?? 1) - 1));
    t.true(Math.max(...steps) <= 0.1, `${Math.max(...steps)} at once, ${told}`);
    const own = 'scale' in keyframes && keyframes.scale[0]?.value === 1.1 ? FRAMES - 1 : 0;
    if (layer.type === 'image' && 'scale' in keyframes)
      t.true(frames[own]?.equals(still ?? Buffer.alloc(0)), `${name}: at its own size it is as if it never moved`);
    if (name === 'a photo that zooms in') await sameWhateverTheCuts(t, film);
  }
});

test('an SVG without probed properties is drawn at its largest scale', async (t) => {
  const folder = await folderOf(t);
  const bars = Array.from({ length: 8 }, (_, n) => `<rect x="${2 * n}" width="1" height="9" fill="#fff"/>`).join('');
  const assets = { bars: join(folder, 'bars.svg') };
  await writeFile(assets.bars, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 9">${bars}</svg>`);
  const layer = { id: 'l', type: 'image', asset: 'bars', x: 152, y: 84, width: 16, height: 9 };
  const keyframes = { scale: holds({ value: 1 }, { value: 16 }) };
  const final = finalOf({ background: '#000000', layers: [{ ...layer, keyframes }] }, [{ id: 'bars', kind: 'image' }]);
  const [frame = Buffer.alloc(0)] = await (await goldenOf(folder, final, assets)).rgb(29, 30);
  const row = Array.from({ length: 256 }, (_, x) => frame[(90 * WIDTH + 32 + x) * 3 + 1] ?? 0);
  const between = row.filter((level) => level > 40 && level < 215).length;
  t.true(between <= 16, `${between} of 256 pixels are neither black nor white: ${row.slice(0, 40)}`);
});
