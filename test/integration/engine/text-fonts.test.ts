import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { FONT_FAMILIES } from '../../../domain/composition/font-families.ts';
import { inkOf, type Picture, picturesOf, rgbaAt, textRaster } from './_drawing.ts';
import { folderOf } from './_measuring.ts';

/** A letter that no font has is drawn as a box: all four sides of its ink are lines. */
const isTofu = (picture: Picture): boolean => {
  const { x, y, width, height } = inkOf(picture);
  const inked = (points: readonly (readonly [number, number])[]): boolean =>
    points.filter(([px, py]) => (rgbaAt(picture, px, py)[3] ?? 0) > 100).length > 0.9 * points.length;
  const column = (px: number) => Array.from({ length: height }, (_, n) => [px, y + n] as const);
  const row = (py: number) => Array.from({ length: width }, (_, n) => [x + n, py] as const);
  return inked(column(x)) && inked(column(x + width - 1)) && inked(row(y)) && inked(row(y + height - 1));
};

const LETTERS = ['é', 'ß', 'Ω', 'Ж', 'س', 'ن', 'क', 'श', 'ש', '你', '龍', 'あ', '😀', '👍🏽', '❤️', '🇨🇭'] as const;

test('every script that is promised is drawn, in any family asked for', async (t) => {
  const folder = await folderOf(t);
  const families = FONT_FAMILIES.map((font_family, f) =>
    LETTERS.map((text, n) => textRaster(`${f}-${n}`, { text, font_family, font_weight: f % 2 === 0 ? 400 : 700 })),
  );
  const unknown = ['\u0378', '\u{10FFFD}'].map((text, n) => textRaster(`tofu-${n}`, { text }));
  const picture = await picturesOf(folder, [...families.flat(), ...unknown]);
  t.true(isTofu(picture('tofu-0')) && isTofu(picture('tofu-1')), 'what a missing letter looks like');
  for (const [f, family] of FONT_FAMILIES.entries())
    for (const [n, letter] of LETTERS.entries()) t.false(isTofu(picture(`${f}-${n}`)), `${letter} in ${family}`);
});

test('Arabic letters are joined, Devanagari is composed, a family of emoji is one', async (t) => {
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

test('a space beside a picture is as wide as one beside letters', async (t) => {
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

test('an emoji keeps its colours; letters beside it have exactly the one asked for', async (t) => {
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

test("a project's own fonts are found by the family that their assets name, whatever that is", async (t) => {
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

test('of a render without fonts of its own nothing is left of those of another', async (t) => {
  const folder = await folderOf(t);
  const rasters = [textRaster('text', { text: 'Hag', font_family: 'Our Own', font_weight: 900 })];
  const families = new Map([['black', 'Our Own']]);
  const own = (await picturesOf(folder, rasters, { families, assets: new Map([['black', black]]) }))('text');
  const other = (await picturesOf(folder, rasters))('text');
  t.notDeepEqual(own, other);
});
