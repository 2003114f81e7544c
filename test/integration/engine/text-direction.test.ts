import test from 'ava';
import { BOX, type Picture, picturesOf, rgbaAt, textRaster } from './_drawing.ts';
import { folderOf } from './_measuring.ts';

const LINE_PX = 48;
const ALIGNS = ['left', 'right', 'start', 'end', 'center'] as const;

const inkOfLine = (picture: Picture, line: number): readonly [first: number, last: number] => {
  const top = BOX.y + line * LINE_PX;
  const columns = Array.from({ length: BOX.width }, (_, n) => n).filter((column) =>
    Array.from({ length: LINE_PX }, (_, row) => row).some(
      (row) => (rgbaAt(picture, BOX.x + column, top + row)[3] ?? 0) > 100,
    ),
  );
  return [columns.at(0) ?? Number.NaN, columns.at(-1) ?? Number.NaN];
};

const ENGLISH = 'Sale today';
const HEBREW = 'מבצע היום';
const LONG_HEBREW = 'כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם';
const TEXTS: readonly (readonly [text: string, directions: readonly ('ltr' | 'rtl')[]])[] = [
  [ENGLISH, ['ltr']],
  [HEBREW, ['rtl']],
  [`${ENGLISH}\n${HEBREW}`, ['ltr', 'rtl']],
  [`${HEBREW}\n${ENGLISH}`, ['rtl', 'ltr']],
  [`${ENGLISH}\n${LONG_HEBREW}\n${ENGLISH}`, ['ltr', 'rtl', 'rtl', 'ltr']],
  [`${ENGLISH}\n${HEBREW} `, ['ltr', 'rtl']],
  [`${HEBREW}\n100 %\n\n${ENGLISH}`, ['rtl', 'rtl', 'rtl', 'ltr']],
  [`12:30\n${HEBREW}\u2029中文 🔥`, ['rtl', 'rtl', 'ltr']],
  ['\u200fiPhone 15 متوفر الآن', ['rtl']],
  ['\u200eשלום עולם', ['ltr']],
  ['iPhone 15 متوفر الآن', ['ltr']],
  ['\u061c15% خصم', ['rtl']],
  ['𞤀𞤣𞤤𞤢𞤥 𞤆𞤵𞤤𞤢𞤪', ['rtl']],
  ['🇮🇱 2026 שנה', ['rtl']],
  ['\u2068דן\u2069 sent a file', ['ltr']],
];

test('left and right are sides of the box, start and end of each paragraph', async (t) => {
  const folder = await folderOf(t);
  const cases = TEXTS.flatMap(([text, directions]) =>
    ALIGNS.map((align) => ({ id: `${text} ${align}`, text, align, directions })),
  );
  const picture = await picturesOf(
    folder,
    cases.map(({ id, text, align }) => textRaster(id, { text, align })),
  );
  for (const { id, align, directions } of cases)
    for (const [line, direction] of directions.entries()) {
      const [first, last] = inkOfLine(picture(id), line);
      if (Number.isNaN(first)) continue;
      const begins_left = direction === 'ltr';
      const [at_left, at_right] = [first < 8, last > BOX.width - 9];
      const left = align === 'left' || (align !== 'right' && begins_left === (align === 'start'));
      const middle = Math.abs(first + last - BOX.width) < 10;
      t.true(align === 'center' ? middle : left ? at_left && !at_right : at_right, `${id} ${line}: ${first}, ${last}`);
    }
});

test('a paragraph is set the same next to one of another direction', async (t) => {
  const folder = await folderOf(t);
  const paragraphs = [
    HEBREW,
    LONG_HEBREW,
    'מחיר: 1,299.90 ₪ (כולל מע"מ)!',
    'السعر: ١٢٫٥٠ (خصم 20%)',
    'שלום (中文) 🔥 abc.',
  ];
  const picture = await picturesOf(
    folder,
    paragraphs.flatMap((text) =>
      (['left', 'right'] as const).flatMap((align) => [
        textRaster(`${text} ${align}`, { text: `${text}\n${text}`, align }),
        textRaster(`${text} ${align} mixed`, { text: `${text}\n${ENGLISH}`, align }),
      ]),
    ),
  );
  const profile = (id: string): readonly number[] => {
    const [first, last] = inkOfLine(picture(id), 0);
    return Array.from({ length: last - first + 1 }, (_, n) =>
      Array.from({ length: LINE_PX }, (_, row) => rgbaAt(picture(id), BOX.x + first + n, BOX.y + row)[3] ?? 0).reduce(
        (sum, alpha) => sum + alpha / 255,
        0,
      ),
    );
  };
  for (const text of paragraphs)
    for (const align of ['left', 'right']) {
      const [alone, mixed] = [profile(`${text} ${align}`), profile(`${text} ${align} mixed`)];
      t.true(Math.abs(alone.length - mixed.length) <= 1, `${text} ${align}`);
      const off = alone.map((ink, n) => Math.abs(ink - (mixed[n] ?? 0)));
      t.true(
        off.reduce((sum, one) => sum + one, 0) / alone.reduce((sum, ink) => sum + ink, 0) < 0.25,
        `${text} ${align}`,
      );
    }
});

test('a bidirectional text that is shrunk to fit stays within its box', async (t) => {
  const folder = await folderOf(t);
  const box = { x: 100, y: 100, width: 200, height: 60 };
  const picture = await picturesOf(
    folder,
    ALIGNS.map((align) =>
      textRaster(align, { text: `${ENGLISH}\n${LONG_HEBREW}`, align, font_size: 60, shrink_to_fit: true }, box),
    ),
  );
  for (const align of ALIGNS) {
    const { x, y, width, height } = picture(align).region;
    t.true(x >= 96 && x + width <= 304 && y >= 96 && y + height <= 164, align);
  }
});
