import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { isDrawnByEngine } from '../../../domain/composition/glyphs.ts';
import type { TypesettingOptions } from '../../../engine/raster/raster-job.ts';
import { BOX, drawn, inkOf, type Picture, picturesOf, rasterOf, rgbaAt, textRaster } from './_drawing.ts';
import { folderOf } from './_measuring.ts';

const SMALL = { x: 0, y: 0, width: 100, height: 60 };
const small = (id: string, setting: Partial<TypesettingOptions>) => ({
  ...textRaster(id, { font_size: 20, ...setting }, { x: 10, y: 10, width: 90, height: 40 }),
  region: SMALL,
});

const isBox = (picture: Picture): boolean => {
  const { x, y, width, height } = inkOf(picture);
  const inked = (points: readonly (readonly [number, number])[]): boolean =>
    points.filter(([px, py]) => (rgbaAt(picture, px, py)[3] ?? 0) > 100).length > 0.9 * points.length;
  const column = (px: number) => Array.from({ length: height }, (_, n) => [px, y + n] as const);
  const row = (py: number) => Array.from({ length: width }, (_, n) => [x + n, py] as const);
  return inked(column(x)) && inked(column(x + width - 1)) && inked(row(y)) && inked(row(y + height - 1));
};

/** Characters without a glyph, which are drawn as boxes with four and with six digits. */
const BOXES = ['\u0378', '\u{10fffd}'];

const looksOf = async (folder: string, texts: readonly string[], setting: Partial<TypesettingOptions> = {}) => {
  const all = [...BOXES, ...texts];
  const made = await drawn({ folder, rasters: all.map((text, n) => small(`t${n}`, { ...setting, text })) });
  const pictures = await Promise.all(
    all.map(async (_, n) => {
      const raster = made.rasters.get(`t${n}`);
      return raster === undefined ? null : { region: raster.region, pixels: await readFile(raster.file) };
    }),
  );
  const sizeOf = (picture: Picture): string => {
    const { width, height } = inkOf(picture);
    return `${width}x${height}`;
  };
  const boxes = pictures.slice(0, BOXES.length).map((picture) => (picture === null ? '' : sizeOf(picture)));
  return pictures.slice(BOXES.length).map((picture) => {
    if (picture === null) return 'blank';
    return isBox(picture) && boxes.includes(sizeOf(picture)) ? 'box' : 'letter';
  });
};

const LETTERS = [
  ...[
    'é',
    'ß',
    'Ω',
    'Ж',
    'س',
    'ن',
    'क',
    'श',
    'ש',
    '你',
    '龍',
    'あ',
    '😀',
    '👍🏽',
    '❤️',
    '🇨🇭',
    '繁',
    '한',
    'ไ',
    'ລ',
    'ខ',
    'မ',
    'த',
  ],
  ...[
    'తె',
    'ಕ',
    'മ',
    'ব',
    'ગ',
    'ਪ',
    'ଓ',
    'සි',
    'ქ',
    'Հ',
    'አ',
    'བོ',
    'ᠮ',
    'ދި',
    'ܣ',
    'ߒ',
    'ⵜ',
    'Ꮳ',
    'ᐃ',
    '𞤀',
    'ꦗ',
    'ᱚ',
    'ꯃ',
    'ꆈ',
    'ꓡ',
    '𑄌',
  ],
  ...['ꕙ', '➜', '→', '↯', '∑', '𝔸', '♪', '♯', '✂', '✈', '₿'],
] as const;

test('every promised script is drawn, in any requested family and weight', async (t) => {
  const folder = await folderOf(t);
  for (const [font_family, font_weight] of [
    ['Noto Sans', 400],
    ['Noto Sans Thai', 700],
    ['Noto Color Emoji', 900],
  ] as const) {
    const looks = await looksOf(folder, [...BOXES, ...LETTERS], { font_family, font_weight });
    t.deepEqual(looks.slice(0, 2), ['box', 'box'], 'what a missing letter looks like');
    for (const [n, letter] of LETTERS.entries()) t.is(looks[n + 2], 'letter', `${letter} in ${font_family}`);
  }
});

/** Excludes control characters, such as line ends, the space, and lone surrogates, which are not characters. */
const isDrawable = (code: number): boolean => code > 0x20 && (code < 0xd800 || code > 0xdfff);

test('only characters without a glyph are drawn as a box', async (t) => {
  const folder = await folderOf(t);
  const codes = Array.from({ length: 0x110000 }, (_, code) => code).filter(isDrawable);
  const [has, has_not] = [codes.filter(isDrawnByEngine), codes.filter((code) => !isDrawnByEngine(code))];
  const some = (list: readonly number[], each: number) => list.filter((_, n) => n % each === 7);
  const odd = [0x7f, 0x85, 0x890, 0xfff9, 0xffff, 0x110bd, 0x1bca0, 0x1d15e, 0x20000];
  const unseen = [
    0xad, 0x34f, 0x115f, 0x1680, 0x17b4, 0x180b, 0x200d, 0x202e, 0x2066, 0xfe0f, 0xffa0, 0xe0001, 0xe0100,
  ];
  const drawable = [...some(has, 499), ...unseen, 0x600, 0x6dd, 0xfffc, 0xfa87, 0x2f800];
  const boxes = [...some(has_not, 9973), ...odd];
  const looks = await looksOf(
    folder,
    [...drawable, ...boxes].map((code) => String.fromCodePoint(code)),
  );
  const named = (list: readonly number[], is: (look: string | undefined) => boolean, from: number) =>
    list.filter((_, n) => is(looks[from + n])).map((code) => code.toString(16));
  t.deepEqual(
    named(drawable, (look) => look === 'box', 0),
    [],
  );
  t.deepEqual(
    named(boxes, (look) => look !== 'box', drawable.length),
    [],
  );
  t.true(odd.every((code) => !isDrawnByEngine(code)) && unseen.every(isDrawnByEngine));
});

test('Arabic letters join, Devanagari composes, and a family of emoji is one glyph', async (t) => {
  const folder = await folderOf(t);
  const picture = await picturesOf(folder, [
    textRaster('joined', { text: 'سلام' }),
    textRaster('apart', { text: 'س\u200cل\u200cا\u200cم' }),
    textRaster('composed', { text: 'क्ष' }),
    textRaster('spelled', { text: 'क्\u200cष' }),
    textRaster('family', { text: '👩‍👩‍👧' }),
    textRaster('people', { text: '👩👩👧' }),
  ]);
  const width = (id: string): number => inkOf(picture(id)).width;
  t.true(width('joined') < width('apart'));
  t.true(width('composed') < width('spelled'));
  t.true(width('family') * 2 < width('people'));
});

test('a space next to an emoji is as wide as one between letters', async (t) => {
  const folder = await folderOf(t);
  const texts = { letters: 'HH', spaced: 'H H', pictures: '❤❤', apart: '❤ ❤', shown: '❤️❤️', shown_apart: '❤️ ❤️' };
  const picture = await picturesOf(
    folder,
    Object.entries(texts).map(([id, text]) => textRaster(id, { text })),
  );
  const width = (id: keyof typeof texts): number => inkOf(picture(id)).width;
  const space = width('spaced') - width('letters');
  t.true(Math.abs(width('apart') - width('pictures') - space) <= 1);
  t.true(Math.abs(width('shown_apart') - width('shown') - space) <= 1);
});

test('an emoji keeps its colours, and letters beside it have the exact text colour', async (t) => {
  const folder = await folderOf(t);
  const picture = (await picturesOf(folder, [textRaster('mixed', { text: 'HI 😀', color: '#E30613' })]))('mixed');
  const { x, y, width, height } = picture.region;
  const colors = new Map<string, number>();
  for (let row = y; row < y + height; row += 1)
    for (let column = x; column < x + width; column += 1) {
      const [red = 0, green = 0, blue = 0, alpha = 0] = rgbaAt(picture, column, row);
      if (column < x + 50 && alpha > 0) t.deepEqual([red, green, blue], [0xe3, 0x06, 0x13]);
      if (alpha === 255 && column >= x + 50) colors.set(`${red >> 5},${green >> 5},${blue >> 5}`, 1);
    }
  t.true(colors.size > 3, [...colors.keys()].join(' '));
});

const [black = '', thin = ''] = ['900Black', '100Thin'].map(
  (face) =>
    globSync(
      fileURLToPath(new URL(`../../../node_modules/@expo-google-fonts/noto-sans-sc/${face}/*.ttf`, import.meta.url)),
    )[0],
);

test("a project's own fonts are found by the family that their assets name", async (t) => {
  const folder = await folderOf(t);
  for (const family of ['Our Own', 'Comma, "Quote" & <b>', 'Noto Sans', '你好']) {
    const setting = { text: 'Hag', font_family: family };
    const picture = await picturesOf(
      folder,
      [
        textRaster('own', { ...setting, font_weight: 900 }),
        textRaster('own-thin', { ...setting, font_weight: 100 }),
        textRaster('sc', { ...setting, font_family: 'Noto Sans SC', font_weight: 900 }),
        textRaster('sc-thin', { ...setting, font_family: 'Noto Sans SC', font_weight: 100 }),
        textRaster('mixed', { ...setting, text: 'क 😀' }),
        textRaster('mixed-sans', { ...setting, font_family: 'Noto Sans', text: 'क' }),
      ],
      {
        families: new Map([
          ['black', family],
          ['thin', family],
        ]),
        assets: new Map([
          ['black', black],
          ['thin', thin],
        ]),
      },
    );
    t.deepEqual(picture('own'), picture('sc'), family);
    t.deepEqual(picture('own-thin'), picture('sc-thin'), family);
    t.true(inkOf(picture('mixed')).width > inkOf(picture('mixed-sans')).width);
  }
});

test('an SVG uses the fonts of its own project only', async (t) => {
  const folder = await folderOf(t);
  const svgOf = (family: string): string =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="400"><text y="200" font-size="150" font-weight="900" font-family="${family}">Hag</text></svg>`;
  const assets = new Map([['black', black]]);
  const asked = { own: "'Our Own', serif", sc: 'Noto Sans SC', sans: 'Noto Sans' };
  const faces = { postscript: 'NotoSansSC-Black', full: 'Noto Sans SC Black' };
  for (const [id, family] of Object.entries({ ...asked, ...faces })) {
    assets.set(id, join(folder, `${id}.svg`));
    await writeFile(join(folder, `${id}.svg`), svgOf(family));
  }
  const rasters = Object.keys({ ...asked, ...faces }).map((asset) =>
    rasterOf(asset, { kind: 'image', field: 'layers[0]', box: BOX, opacity: 1, rotation: 0, asset, fit: 'fill' }),
  );
  const families = new Map([['black', 'Our Own']]);
  const picture = await picturesOf(folder, rasters, { families, assets });
  t.deepEqual(picture('own'), picture('sc'));
  for (const face of Object.keys(faces)) t.deepEqual(picture(face), picture('sc'), face);
  t.notDeepEqual(picture('own'), picture('sans'));
  const other = await picturesOf(folder, rasters, { assets });
  t.deepEqual(other('own'), other('sans'));
  t.deepEqual(other('postscript'), other('sans'));
});

test('a render without own fonts sees no fonts of another render', async (t) => {
  const folder = await folderOf(t);
  const rasters = [textRaster('text', { text: 'Hag', font_family: 'Our Own', font_weight: 900 })];
  const families = new Map([['black', 'Our Own']]);
  const own = (await picturesOf(folder, rasters, { families, assets: new Map([['black', black]]) }))('text');
  const other = (await picturesOf(folder, rasters))('text');
  t.notDeepEqual(own, other);
});
