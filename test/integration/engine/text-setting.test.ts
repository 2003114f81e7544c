import test from 'ava';
import type { Region } from '../../../engine/raster/geometry.ts';
import type { TypesettingOptions } from '../../../engine/raster/raster-job.ts';
import { BOX, inkOf, type Picture, picturesOf, rgbaAt, textRaster } from './_drawing.ts';
import { folderOf } from './_measuring.ts';

const partOf = (picture: Picture, { x, y, width, height }: Region): string =>
  Array.from({ length: width * height }, (_, n) => {
    const pixel = rgbaAt(picture, x + (n % width), y + Math.floor(n / width));
    return pixel[3] === 0 ? '' : pixel.join();
  }).join(' ');

const wholeOf = (picture: Picture): string => partOf(picture, picture.region);

const SCRIPTS = {
  chinese: '中',
  japanese: 'かな漢字',
  arabic: 'سلام',
  hebrew: 'שלום',
  devanagari: 'हिन्दी',
  emoji: '🔥',
  everything: '中س🔥 ह',
  spaced: ' 希望 أمل 🔥 x',
} as const;

test("a line has the baseline and height of the layer's font, with any contents", async (t) => {
  const folder = await folderOf(t);
  const sizes = [20, 37.3, 60];
  const picture = await picturesOf(
    folder,
    sizes.flatMap((font_size) => [
      textRaster(`plain ${font_size}`, { text: 'H\nH\nH', font_size }),
      ...Object.entries(SCRIPTS).map(([script, text]) =>
        textRaster(`${script} ${font_size}`, { text: `H\nH${text}\nH`, font_size }),
      ),
      textRaster(`alone ${font_size}`, { text: 'H\n中中\nH', font_size }),
      textRaster(`arabic font ${font_size}`, {
        ...{ font_family: 'Noto Sans Arabic', text: 'ا\nا中\nا', font_size, align: 'right' },
      }),
      textRaster(`arabic font, plain ${font_size}`, {
        ...{ font_family: 'Noto Sans Arabic', text: 'ا\nا\nا', font_size, align: 'right' },
      }),
    ]),
  );
  for (const size of sizes) {
    const column = { ...BOX, width: Math.floor(0.65 * size), height: Math.ceil(4 * size) };
    const plain = partOf(picture(`plain ${size}`), column);
    for (const script of Object.keys(SCRIPTS))
      t.true(partOf(picture(`${script} ${size}`), column) === plain, `${script} of ${size} px`);
    const last = { ...column, y: BOX.y + Math.round(2.4 * size), height: Math.ceil(1.6 * size) };
    t.true(partOf(picture(`alone ${size}`), last) === partOf(picture(`plain ${size}`), last), `alone, ${size} px`);
    const right = { ...column, x: BOX.x + BOX.width - Math.floor(size / 5), width: Math.floor(size / 5) };
    t.true(
      partOf(picture(`arabic font ${size}`), right) === partOf(picture(`arabic font, plain ${size}`), right),
      `in an Arabic font of ${size} px`,
    );
  }
});

test('letters of other faces share the baseline, and no letter is drawn twice', async (t) => {
  const folder = await folderOf(t);
  const picture = await picturesOf(folder, [
    textRaster('mixed', { text: 'H中' }),
    textRaster('one face', { text: 'H中', font_family: 'Noto Sans SC' }),
    textRaster('emoji', { text: 'H🔥', color: '#00FF00' }),
    textRaster('emoji and more', { text: 'H🔥中', color: '#00FF00' }),
  ]);
  const below = (id: string): number => {
    const whole = picture(id);
    const { y, height } = inkOf(whole, 0);
    const bottom = (x: number, width: number) =>
      Array.from({ length: height }, (_, n) => y + height - 1 - n).find((row) =>
        Array.from({ length: width }, (_, n) => x + n).some((at) => (rgbaAt(whole, at, row)[3] ?? 0) > 128),
      ) ?? 0;
    return bottom(130, 40) - bottom(100, 28);
  };
  t.is(below('mixed'), below('one face'));
  const emoji = { ...inkOf(picture('emoji'), 0), x: 131, width: 46 };
  t.true(partOf(picture('emoji and more'), emoji) === partOf(picture('emoji'), emoji));
});

test('a letter has the same height whatever its line begins with', async (t) => {
  const folder = await folderOf(t);
  const font_size = 40;
  const line_px = 2 * font_size;
  const letters = ['H', '中', '한', 'あ', '➜', 'ह', 'ส', 'བོ', 'அ'];
  const pairs = letters.flatMap((first) => letters.map((second) => [first, second] as const));
  const of = (text: string) => ({ text, font_size, line_height: 2 });
  const picture = await picturesOf(folder, [
    ...letters.map((letter) => textRaster(`H ${letter}`, of(`H     ${letter}`))),
    ...pairs.map((pair) => textRaster(pair.join(' beside '), of(pair.join('     ')))),
    ...pairs.map((pair) => textRaster(pair.join(' over '), of(pair.join(' ')), { ...BOX, width: 50 })),
  ]);
  const rowsOf = (id: string, line = 0): readonly (readonly [number, number])[] => {
    const whole = picture(id);
    const found: [number, number][] = [];
    let empty = Number.POSITIVE_INFINITY;
    for (let x = BOX.x; x < BOX.x + 200; x += 1) {
      const rows = Array.from({ length: line_px }, (_, row) => row).filter(
        (row) => (rgbaAt(whole, x, BOX.y + line * line_px + row)[3] ?? 0) > 100,
      );
      const [top, bottom] = [rows.at(0), rows.at(-1)];
      if (top === undefined || bottom === undefined) empty += 1;
      else {
        const [above, below] = empty > 16 ? [top, bottom] : (found.pop() ?? [top, bottom]);
        found.push([Math.min(above, top), Math.max(below, bottom)]);
        empty = 0;
      }
    }
    return found;
  };
  const alone = new Map(letters.map((letter) => [letter, rowsOf(`H ${letter}`)[1]]));
  for (const [first, second] of pairs) {
    const expected = [alone.get(first), alone.get(second)];
    t.deepEqual(rowsOf(`${first} beside ${second}`), expected, `${first} and ${second}`);
    const over = `${first} over ${second}`;
    t.deepEqual([...rowsOf(over), ...rowsOf(over, 1)], expected, over);
  }
});

test('a text that is shrunk to fit stays in its box, including its outline', async (t) => {
  const folder = await folderOf(t);
  const texts = ['puppy jig', 'Ågypq Ệ', 'हिन्दी ट्रू', 'ﷺ يجري', '中文gy', 'g🔥y', 'lágrimas\ny jugo'];
  const settings: readonly Partial<TypesettingOptions>[] = [
    { vertical_align: 'bottom', line_height: 1 },
    { vertical_align: 'top', line_height: 0.5, align: 'center' },
    { line_height: 3, padding: 6, align: 'right' },
    { vertical_align: 'middle', outline: { color: '#FF0000', width: 5 } },
  ];
  const boxes = [
    { x: 100, y: 100, width: 500, height: 48 },
    { x: 100, y: 100, width: 90, height: 60 },
    { x: 100, y: 100, width: 200, height: 9 },
    { x: 100, y: 100, width: 1, height: 1 },
  ];
  const all = texts.flatMap((text) =>
    settings.flatMap((setting) =>
      boxes
        .filter(({ height }) => height > 2 * (setting.outline?.width ?? 0))
        .map((box) => ({ box, setting: { shrink_to_fit: true, font_size: 40, ...setting, text } })),
    ),
  );
  const picture = await picturesOf(
    folder,
    all.map(({ box, setting }, n) =>
      textRaster(`n${n}`, { background: { color: '#000000', opacity: 0.01, radius: 0 }, ...setting }, box),
    ),
  );
  for (const [n, { box, setting }] of all.entries()) {
    const inset = setting.outline === undefined ? Math.min(setting.padding ?? 0, Math.floor((box.height - 1) / 2)) : 0;
    const ink = inkOf(picture(`n${n}`), 3);
    const room = { x: box.x, y: box.y + inset, width: box.width, height: box.height - 2 * inset };
    t.true(
      ink.x >= room.x &&
        ink.y >= room.y &&
        ink.x + ink.width <= room.x + room.width &&
        ink.y + ink.height <= room.y + room.height,
      `${JSON.stringify(setting)} in ${JSON.stringify(box)}: ${JSON.stringify(ink)}`,
    );
  }
});

test('the language of a text selects the forms of Han characters', async (t) => {
  const folder = await folderOf(t);
  const languages = ['zh-Hans', 'zh-Hant', 'ja', 'ko'];
  const families = ['Noto Sans SC', 'Noto Sans TC', 'Noto Sans JP', 'Noto Sans KR'];
  const picture = await picturesOf(folder, [
    textRaster('none', { text: '直骨' }),
    textRaster('latin', { text: 'Straße, AV' }),
    textRaster('latin in german', { text: 'Straße, AV', language: 'de-CH' }),
    ...languages.map((language) => textRaster(language, { text: '直骨', language })),
    ...families.map((font_family) => textRaster(font_family, { text: '直骨', font_family, language: 'ja' })),
  ]);
  const same = (one: string, other: string): boolean => wholeOf(picture(one)) === wholeOf(picture(other));
  t.true(same('zh-Hans', 'none'), 'as it was');
  t.true(same('latin in german', 'latin'));
  t.false(same('ja', 'zh-Hans'));
  for (const [at, language] of languages.entries()) t.true(same(language, families[at] ?? ''), language);
});

test("words are hyphenated only where the text's language allows it", async (t) => {
  const folder = await folderOf(t);
  const text = 'Die Donaudampfschifffahrt';
  const german = { text, language: 'de', hyphenate: true, font_size: 30 };
  const box = { ...BOX, width: 250 };
  const picture = await picturesOf(folder, [
    textRaster('german', german, box),
    textRaster('as written', { text: 'Die Donau\u2010\ndampfschifffahrt', font_size: 30 }, box),
    textRaster('without', { ...german, hyphenate: false }, box),
    textRaster('plain', { text, font_size: 30 }, box),
    textRaster('of no language', { ...german, language: null }, box),
    textRaster('of one without patterns', { ...german, language: 'ja' }, box),
    textRaster('english', { ...german, text: 'an extraordinary responsibility', language: 'en-GB' }, box),
    textRaster('address', { ...german, text: 'https://an.example/donaudampfschifffahrt' }, box),
    textRaster('plain address', { text: 'https://an.example/donaudampfschifffahrt', font_size: 30 }, box),
    textRaster('with han', { ...german, text: `中 ${text}` }, box),
    textRaster('shrunk', { ...german, shrink_to_fit: true, font_size: 60 }, { ...box, height: 130 }),
    textRaster(
      'shrunk whole',
      { ...german, shrink_to_fit: true, font_size: 60, hyphenate: false },
      { ...box, height: 130 },
    ),
  ]);
  const same = (one: string, other: string): boolean => wholeOf(picture(one)) === wholeOf(picture(other));
  t.true(same('german', 'as written'));
  for (const id of ['without', 'of no language', 'of one without patterns']) t.true(same(id, 'plain'), id);
  t.true(same('address', 'plain address'));
  t.false(same('english', 'german'));
  t.true(inkOf(picture('with han')).height > 50);
  t.true(inkOf(picture('shrunk')).height > inkOf(picture('shrunk whole')).height);
});
