import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { checkDecodable } from '../../../engine/raster/image.ts';
import type { Drawing } from '../../../engine/raster/raster-job.ts';
import { attempt, picturesOf, rasterOf, rgbaAt } from './_drawing.ts';
import { folderOf } from './_measuring.ts';

const image = (asset: string): Drawing => ({
  ...{ kind: 'image', field: 'layers[0]', box: { x: 0, y: 0, width: 200, height: 100 }, opacity: 1, rotation: 0 },
  ...{ asset, fit: 'fill' },
});

const messageFor = async (t: ExecutionContext, folder: string, bytes: Buffer | string): Promise<string> => {
  const file = join(folder, 'picture');
  await writeFile(file, bytes);
  const assets = new Map([['picture', file]]);
  const result = await attempt({ folder, rasters: [rasterOf('raster', image('picture'))], assets });
  if (E.isRight(result)) return '';
  if (result.left.tag !== 'composition') throw new Error(JSON.stringify(result.left));
  t.is(result.left.field, 'layers[0].asset');
  return result.left.message;
};

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
};

/** A valid PNG of black and white pixels with a few kilobytes. */
const pngOf = (side: number): Buffer => {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side);
  head.writeUInt32BE(side, 4);
  head[8] = 1;
  const rows = Buffer.alloc((1 + Math.ceil(side / 8)) * Math.min(side, 100));
  const parts = [chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
};

test('a picture of 50,000 by 50,000 pixels is refused before it is decoded', async (t) => {
  const folder = await folderOf(t);
  t.regex(await messageFor(t, folder, pngOf(50_000)), /the image "picture" has more than 100 million pixels/);
  t.is(await messageFor(t, folder, pngOf(100)), '');
});

test('an SVG reads no file and opens no connection', async (t) => {
  const folder = await folderOf(t);
  const canary = join(folder, 'canary.png');
  await sharp({ create: { width: 10, height: 10, channels: 3, background: '#FF00FF' } })
    .png()
    .toFile(canary);
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.teardown(() => server.close());
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const of = (body: string, before = '') =>
    `${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:xi="http://www.w3.org/2001/XInclude" width="200" height="100"><rect width="200" height="100" fill="#00FF00"/>${body}</svg>`;
  const references = [canary, 'canary.png', pathToFileURL(canary).href, `${url}/canary.png`, '/etc/passwd'];
  const pictures = [
    ...references.map((href) => of(`<image href="${href}" width="200" height="100"/>`)),
    ...references.map((href) => of(`<image xlink:href="${href}" width="200" height="100"/>`)),
    ...references.map((href) => of(`<xi:include href="${href}" parse="text"/>`)),
    ...references.map((href) => of(`<style>@import url("${href}"); @font-face { src: url("${href}") }</style>`)),
    of(`<use href="${url}/a.svg#b"/>`),
    of(`<text>&canary;</text>`, `<!DOCTYPE svg [<!ENTITY canary SYSTEM "${pathToFileURL('/etc/passwd').href}">]>`),
  ];
  for (const [index, svg] of pictures.entries()) {
    const file = join(folder, 'picture.svg');
    await writeFile(file, svg);
    const assets = new Map([['picture', file]]);
    const result = await attempt({ folder, rasters: [rasterOf('raster', image('picture'))], assets });
    if (E.isLeft(result)) continue;
    const raster = result.right.rasters.get('raster');
    const pixels = await readFile(raster?.file ?? '');
    for (let at = 0; at < pixels.length; at += 4)
      if (pixels[at] !== 0 || pixels[at + 1] !== 255) return t.fail(`${index}: something was read`);
  }
  t.is(asked, 0);
});

test('an SVG with a huge size, a prefix, a long licence or UTF-16 works', async (t) => {
  const folder = await folderOf(t);
  const NAMESPACE = 'http://www.w3.org/2000/svg';
  const green = (side: number) => `<rect width="${side}" height="${side}" fill="#00FF00"/>`;
  const plain = `<svg xmlns="${NAMESPACE}" viewBox="0 0 9 9">${green(9)}</svg>`;
  const pictures = {
    map: `<svg xmlns="${NAMESPACE}" viewBox="0 0 12000 9000">${green(12_000)}</svg>`,
    plan: `<svg xmlns="${NAMESPACE}" width="600000" height="600000">${green(600_000)}</svg>`,
    prefixed: `<?xml version="1.0"?><n:svg xmlns:n="${NAMESPACE}" width="9" height="9">${green(9).replace('<', '<n:')}</n:svg>`,
    licensed: `<!-- ${'all rights reserved '.repeat(500)} -->${plain}`,
    utf16: Buffer.from(`\ufeff<?xml version="1.0" encoding="UTF-16"?>${plain}`, 'utf16le'),
    utf16be: Buffer.from(`\ufeff${plain}`, 'utf16le').swap16(),
  };
  const files = Object.entries(pictures).map(([name, bytes]) => ({ name, bytes, path: join(folder, `${name}.svg`) }));
  for (const { path, bytes } of files) await writeFile(path, bytes);
  const rasters = files.map(({ name }) => rasterOf(name, image(name)));
  const assets = new Map(files.map(({ name, path }) => [name, path]));
  const pictureOf = await picturesOf(folder, rasters, { assets });
  for (const { name, path } of files) {
    t.deepEqual(rgbaAt(pictureOf(name), 100, 50), [0, 255, 0, 255], name);
    await t.notThrowsAsync(checkDecodable(path), name);
  }
  t.regex(
    await messageFor(t, folder, `<svg xmlns="${NAMESPACE}" width="9000000" height="9000000"/>`),
    /has more than 100 million pixels: make it smaller/,
  );
});

test('an SVG of billions of elements ends within its budget', async (t) => {
  const folder = await folderOf(t);
  const entities = Array.from({ length: 30 }, (_, n) => `<!ENTITY e${n + 1} "&e${n};&e${n};&e${n};&e${n};">`).join('');
  const bomb = `<!DOCTYPE svg [<!ENTITY e0 "x">${entities}]><svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>&e30;</text></svg>`;
  t.regex(await messageFor(t, folder, bomb), /cannot be read as an image/);
});

test('a damaged, truncated or empty file is refused with asset and target format', async (t) => {
  const folder = await folderOf(t);
  const noise = sharp({
    create: {
      width: 200,
      height: 200,
      channels: 3,
      background: '#888',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  });
  const files = await Promise.all([
    noise.clone().png().toBuffer(),
    noise.clone().jpeg().toBuffer(),
    noise.clone().webp().toBuffer(),
    noise.clone().gif().toBuffer(),
    noise.clone().avif({ effort: 0 }).toBuffer(),
    noise.clone().tiff().toBuffer(),
  ]);
  const wanted = /^the image "picture" cannot be read as an image: convert it to PNG, JPEG, WebP, AVIF/;
  for (const [index, bytes] of files.entries()) {
    t.is(await messageFor(t, folder, bytes), '', `${index} is sound`);
    const cut = await messageFor(t, folder, bytes.subarray(0, bytes.length / 2));
    // A conversion would not help, because the header says that the file is complete.
    t.true(cut === 'the image "picture" is damaged or cut off: save it again' || wanted.test(cut), `${index}: ${cut}`);
    if (index === 1) t.notRegex(cut, /convert/, 'a JPEG');
  }
  for (const bytes of ['', '\0', 'GIF89a', '#EXTM3U\n', 'ffconcat version 1.0\nfile /etc/passwd\n', '%PDF-1.7\n', '{}'])
    t.regex(await messageFor(t, folder, bytes), wanted, JSON.stringify(bytes));
});

test('a HEIC picture of a phone is refused with a target format', async (t) => {
  const folder = await folderOf(t);
  const heic = Buffer.concat([
    Buffer.from([0, 0, 0, 24]),
    Buffer.from('ftypheic\0\0\0\0mif1heic', 'latin1'),
    Buffer.alloc(64),
  ]);
  t.regex(await messageFor(t, folder, heic), /convert it to PNG, JPEG/);
});

test('pictures follow their orientation, and grey, indexed or 16-bit ones keep their colours', async (t) => {
  const folder = await folderOf(t);
  const red = sharp({ create: { width: 20, height: 10, channels: 3, background: '#E30613' } });
  const files = {
    turned: await red
      .clone()
      .withMetadata({ orientation: 6 })
      .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
      .toBuffer(),
    indexed: await red.clone().png({ palette: true }).toBuffer(),
    deep: await red.clone().toColourspace('rgb16').png().toBuffer(),
    grey: await red.clone().greyscale().png().toBuffer(),
    cmyk: await red.clone().toColourspace('cmyk').jpeg({ quality: 100 }).toBuffer(),
  };
  const assets = new Map<string, string>();
  for (const [name, bytes] of Object.entries(files)) {
    assets.set(name, join(folder, name));
    await writeFile(join(folder, name), bytes);
  }
  const rasters = Object.keys(files).map((name) => rasterOf(name, image(name)));
  const picture = await picturesOf(folder, rasters, { assets });
  for (const name of ['turned', 'indexed', 'deep']) {
    const color = rgbaAt(picture(name), 100, 50);
    t.true(
      Math.max(...color.map((value, n) => Math.abs(value - ([0xe3, 6, 0x13, 255][n] ?? 0)))) <= 3,
      `${name}: ${color}`,
    );
  }
  const [red_of_grey, green, blue] = rgbaAt(picture('grey'), 100, 50);
  t.true(red_of_grey === green && green === blue);
  t.is(rgbaAt(picture('cmyk'), 100, 50)[3], 255);
});
