import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import test from 'ava';
import sharp from 'sharp';
import { picturesOf, rasterOf, rgbaAt } from './_drawing.ts';
import { folderOf } from './_measuring.ts';

const chunk = (type: string, ...data: readonly number[]): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), Buffer.from(data)]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
};
const bytesOf = (value: number): readonly number[] => [24, 16, 8, 0].map((bits) => (value >>> bits) & 255);
const gama = (value: number): Buffer => chunk('gAMA', ...bytesOf(value));
/** The values are x and y of white, red, green and blue, in 1/100,000. */
const chrm = (...values: readonly number[]): Buffer => chunk('cHRM', ...values.flatMap(bytesOf));

const SIDE = 16;
/** A plain colour with 8 or 16 bits, with or without alpha. */
const png = (bits: 8 | 16, color: readonly number[], ...chunks: readonly Buffer[]): Buffer => {
  const head = chunk('IHDR', 0, 0, 0, SIDE, 0, 0, 0, SIDE, bits, color.length === 4 ? 6 : 2, 0, 0, 0);
  const bytes = bits === 8 ? color : color.flatMap((value) => [value >> 8, value & 255]);
  const row = [0, ...Array.from({ length: SIDE }, () => bytes).flat()];
  const pixels = deflateSync(Buffer.from(Array.from({ length: SIDE }, () => row).flat()));
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  return Buffer.concat([signature, head, ...chunks, chunk('IDAT', ...pixels), chunk('IEND')]);
};

const withChunks = (picture: Buffer, ...chunks: readonly Buffer[]): Buffer =>
  Buffer.concat([picture.subarray(0, 33), ...chunks, picture.subarray(33)]);

/** The AVIF with other codes in its colour box. */
const withNumbers = (avif: Buffer, primaries: number, transfer: number): Buffer => {
  const changed = Buffer.from(avif);
  const at = changed.indexOf('nclx') + 4;
  changed.writeUInt16BE(primaries, at);
  changed.writeUInt16BE(transfer, at + 2);
  return changed;
};

const drawn = async (folder: string, pictures: Readonly<Record<string, Buffer>>) => {
  const box = { x: 0, y: 0, width: 32, height: 32 };
  const assets = new Map<string, string>();
  for (const [name, bytes] of Object.entries(pictures)) {
    const path = join(folder, `picture-${assets.size}`);
    await writeFile(path, bytes);
    assets.set(name, path);
  }
  const rasters = [...assets.keys()].map((asset, n) =>
    rasterOf(`raster${n}`, { kind: 'image', field: '', box, opacity: 1, rotation: 0, asset, fit: 'fill' }),
  );
  const pictureOf = await picturesOf(folder, rasters, { assets });
  return Object.keys(pictures).map((name, n) => [name, rgbaAt(pictureOf(`raster${n}`), 16, 16)] as const);
};

const solid = (red: number, green: number, blue: number) =>
  sharp({ create: { width: SIDE, height: SIDE, channels: 3, background: { r: red, g: green, b: blue } } });

/** The colour sRGB (200, 80, 60) in other encodings. */
const P3 = [186, 88, 67] as const;
const LINEAR = [37_862, 5_265, 2_957];
/** Chunks that declare the colour space, by code and by chromaticities. */
const P3_NUMBERS = chunk('cICP', 12, 13, 0, 1);
const P3_POINTS = chrm(31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6000);
const SRGB_POINTS = chrm(31_270, 32_900, 64_000, 33_000, 30_000, 60_000, 15_000, 6000);

test('pictures that declare colours by numeric codes keep their colours', async (t) => {
  const folder = await folderOf(t);
  const avif = await solid(...P3)
    .avif({ lossless: true })
    .toBuffer();
  const profiled = await solid(200, 80, 60).withIccProfile('p3').png().toBuffer();
  const pictures = {
    'PNG, cICP of Display P3': png(8, P3, P3_NUMBERS),
    'PNG, cICP of BT.2020': png(8, [168, 95, 68], chunk('cICP', 9, 14, 0, 1)),
    'PNG, cICP of BT.601, 525 lines': png(8, [205, 75, 61], chunk('cICP', 6, 6, 0, 1)),
    'PNG, cICP of BT.601, 625 lines': png(8, [197, 80, 60], chunk('cICP', 5, 6, 0, 1)),
    'PNG, cICP of linear light': png(16, LINEAR, chunk('cICP', 1, 8, 0, 1)),
    'PNG, cICP with gAMA and sRGB': png(8, P3, gama(100_000), chunk('sRGB', 0), P3_NUMBERS),
    'PNG, cICP with a profile': withChunks(profiled, P3_NUMBERS),
    'PNG, cICP of nothing known': png(8, [200, 80, 60], chunk('cICP', 255, 255, 255, 255)),
    'PNG, gAMA of linear light': png(16, LINEAR, gama(100_000)),
    'PNG, gAMA of 1/2.2': png(8, [200, 80, 60], gama(45_455)),
    'PNG, gAMA with sRGB': png(8, [200, 80, 60], gama(100_000), chunk('sRGB', 0)),
    'PNG, gAMA with a profile': withChunks(profiled, gama(100_000)),
    'PNG, cICP that is cut short': png(8, [200, 80, 60], chunk('cICP', 12)),
    'PNG, gAMA with cHRM of Display P3': png(8, P3, gama(45_455), P3_POINTS),
    'PNG, gAMA with cHRM of sRGB': png(8, [200, 80, 60], gama(45_455), SRGB_POINTS),
    'PNG, cHRM of nonsense': png(8, [200, 80, 60], gama(45_455), chrm(0, 0, 0, 0, 0, 0, 0, 0)),
    'PNG, cHRM that is cut short': png(8, [200, 80, 60], gama(45_455), chrm(31_270)),
    'PNG, cHRM with a profile': withChunks(profiled, gama(45_455), SRGB_POINTS),
    'PNG, gAMA of nonsense': png(8, [200, 80, 60], gama(1)),
    'AVIF, Display P3': withNumbers(avif, 12, 13),
    'AVIF, nothing known': withNumbers(await solid(200, 80, 60).avif({ lossless: true }).toBuffer(), 3, 65_535),
    'WebP, a profile': await solid(200, 80, 60).withIccProfile('p3').webp({ lossless: true }).toBuffer(),
  };
  for (const [name, found] of await drawn(folder, pictures))
    t.true(
      [200, 80, 60, 255].every((level, channel) => Math.abs(level - (found[channel] ?? 0)) <= 2),
      `${name}: ${found}`,
    );
});

test('pictures of more than 8 bits keep the colours of their profile', async (t) => {
  const folder = await folderOf(t);
  const deep = () => solid(200, 80, 60).toColourspace('rgb16');
  const ten_bits = { bitdepth: 10, quality: 100, chromaSubsampling: '4:4:4' } as const;
  const pictures: Record<string, Buffer> = {};
  for (const profile of ['srgb', 'p3']) {
    pictures[`PNG, 16 bits, ${profile}`] = await deep().withIccProfile(profile).png().toBuffer();
    pictures[`AVIF, 10 bits, ${profile}`] = await solid(200, 80, 60).withIccProfile(profile).avif(ten_bits).toBuffer();
  }
  const profiled = pictures['PNG, 16 bits, p3'] ?? Buffer.alloc(0);
  pictures['PNG, 16 bits, a profile behind gAMA'] = withChunks(profiled, gama(100_000));
  for (const [name, found] of await drawn(folder, pictures))
    t.true(
      [200, 80, 60, 255].every((level, channel) => Math.abs(level - (found[channel] ?? 0)) <= 2),
      `${name}: ${found}`,
    );
});

/** (200, 80, 60) at half opacity with premultiplied alpha, as libavif 1.3 writes it. */
const PREMULTIPLIED = Buffer.from(
  [
    'AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAAGUbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAA',
    'AAAAAAAOcGl0bQAAAAAAAQAAACxpbG9jAAAAAEQAAAIAAQAAAAEAAAHKAAAAIQACAAAAAQAAAbwAAAAOAAAAQmlpbmYAAAAAAAIA',
    'AAAaaW5mZQIAAAAAAQAAYXYwMUNvbG9yAAAAABppbmZlAgAAAAACAABhdjAxQWxwaGEAAAAAKGlyZWYAAAAAAAAADnByZW0AAQAB',
    'AAIAAAAOYXV4bAACAAEAAQAAAMNpcHJwAAAAnWlwY28AAAAUaXNwZQAAAAAAAAAQAAAAEAAAABBwaXhpAAAAAAMICAgAAAAMYXYx',
    'Q4EgAAAAAAATY29scm5jbHgAAQANAAaAAAAADnBpeGkAAAAAAQgAAAAMYXYxQ4EAHAAAAAA4YXV4QwAAAAB1cm46bXBlZzptcGVn',
    'QjpjaWNwOnN5c3RlbXM6YXV4aWxpYXJ5OmFscGhhAAAAAB5pcG1hAAAAAAAAAAIAAQQBAoMEAAIEAQWGBwAAADdtZGF0EgAKBRgM',
    '/9hUMgMQABMSAAoIOAz/2EBDQaQyExAAAAAUube1oZNFHAzNKjk/HMw=',
  ].join(''),
  'base64',
);

test('an AVIF with premultiplied alpha keeps its colours', async (t) => {
  const [[, found] = ['', []]] = await drawn(await folderOf(t), { premultiplied: PREMULTIPLIED });
  t.true(
    [200, 80, 60, 128].every((level, channel) => Math.abs(level - (found[channel] ?? 0)) <= 4),
    `${found}`,
  );
});

test('high dynamic range shows reference white near white and keeps brighter differences', async (t) => {
  const folder = await folderOf(t);
  const grey = (signal: number): number[] => Array.from({ length: 3 }, () => Math.round(signal * 65_535));
  const [pq, hlg] = [chunk('cICP', 9, 16, 0, 1), chunk('cICP', 9, 18, 0, 1)];
  const white = await solid(148, 148, 148).avif({ lossless: true }).toBuffer();
  const pictures = {
    black: png(16, grey(0), pq),
    'PQ, 203 nits': png(16, grey(0.58), pq),
    'PQ, 1,000 nits': png(16, grey(0.7518), pq),
    'PQ, 10,000 nits': png(16, grey(1), pq),
    'HLG, 203 nits': png(16, grey(0.75), hlg),
    'HLG, 1,000 nits': png(16, grey(1), hlg),
    'AVIF, PQ, 203 nits': withNumbers(white, 9, 16),
    faint: png(16, [...grey(0.58), 32_768], pq),
  };
  const found = new Map(await drawn(folder, pictures));
  const at = (name: string): number => found.get(name)?.[0] ?? -1;
  for (const [name, pixel] of found)
    t.true(Math.max(...pixel.slice(0, 3)) - Math.min(...pixel.slice(0, 3)) <= 1, `${name} is grey: ${pixel}`);
  t.is(at('black'), 0);
  for (const name of ['PQ, 203 nits', 'HLG, 203 nits', 'AVIF, PQ, 203 nits'])
    t.true(at(name) >= 225 && at(name) <= 238, `${name}: ${at(name)}`);
  t.true(Math.abs(at('PQ, 1,000 nits') - at('HLG, 1,000 nits')) <= 1);
  t.true(at('PQ, 1,000 nits') > at('PQ, 203 nits') + 8 && at('PQ, 10,000 nits') === 255);
  t.is(found.get('faint')?.[3], 128);
});
