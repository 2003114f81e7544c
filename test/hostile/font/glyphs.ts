import { gzipSync } from 'node:zlib';
import { filesOf, type HostileFile } from '../hostile-file.ts';
import { deflatedZeros } from '../write/deflate.ts';
import { join, many, type Part, repeated, times, u8, u16, u24, u32 } from '../write/numbers.ts';
import { chunk, png, head as pngHead } from '../write/png-chunks.ts';
import {
  cmap,
  composite,
  groups,
  head,
  hhea,
  hmtx,
  NAMES,
  OPENTYPE,
  os2,
  post,
  SQUARE,
  sfnt,
  trueType,
} from '../write/sfnt.ts';

const file = filesOf('font', 'font', '.ttf');

const EMPTY = Buffer.alloc(0);
const composites = (levels: number, count: number, last: Buffer): readonly Buffer[] => [
  SQUARE,
  ...times(levels, (n) => composite(times(count, () => n + 2))),
  last,
];

/** Instructions of a glyph, which FreeType can run while hinting. */
const instructed = (program: Buffer): Buffer =>
  join(SQUARE.subarray(0, 12), u16(program.length), program, SQUARE.subarray(14));
/** Pushes the distance to its own start, and jumps there. */
const LOOP = u8(0xb8, 0xff, 0xfd, 0x1c);
const SELF_CALL = u8(0xb0, 0, 0x2c, 0xb0, 0, 0x2b, 0x2d);

const contours = (count: number): Buffer =>
  join(
    u16(count, 0, 0, 500, 500),
    many(count, (n) => u16(n)),
    u16(0),
    repeated(u8(1), count),
    repeated(u16(7), count),
    repeated(u16(9), count),
  );

const offsets = (parts: readonly Buffer[], base: number): Buffer => {
  let at = base;
  return join(
    ...parts.map((part) => {
      const offset = u16(at);
      at += part.length;
      return offset;
    }),
  );
};

const coverage = (...glyphs: readonly number[]): Buffer => u16(1, glyphs.length, ...glyphs);

const layout = (feature: string, lookups: readonly Buffer[], listed = times(lookups.length, (n) => n)): Buffer => {
  const scripts = join(u16(1), 'DFLT', u16(8, 4, 0, 0, 0xffff, 1, 0));
  const features = join(u16(1), feature, u16(8, 0, listed.length, ...listed));
  const list = join(u16(lookups.length), offsets(lookups, 2 + 2 * lookups.length), ...lookups);
  return join(
    u32(0x10000),
    u16(10, 10 + scripts.length, 10 + scripts.length + features.length),
    scripts,
    features,
    list,
  );
};
const lookup = (type: number, table: Part): Buffer => join(u16(type, 0, 1, 8), table);
const multiply = (glyph: number, by: number): Buffer =>
  lookup(2, join(u16(1, 8, 1, 14), coverage(glyph), u16(by, ...times(by, () => glyph))));
const context = (glyph: number, ...called: readonly number[]): Buffer =>
  lookup(
    5,
    join(u16(3, 1, called.length, 8 + 4 * called.length), ...called.map((number) => u16(0, number)), coverage(glyph)),
  );

const TWO = [SQUARE, SQUARE];
const blankPng = (side: number): Buffer =>
  png(pngHead({ width: side, height: side }), chunk('IDAT', deflatedZeros(side * (side * 4 + 1))));

const sbix = (picture: Buffer): Buffer => {
  const glyph = join(u16(0, 0), 'png ', picture);
  const strike = join(u16(64, 72), u32(16, 16, 16 + glyph.length, 16 + glyph.length), glyph);
  return join(u16(1, 1), u32(1, 12), strike);
};

const svgTable = (document: Buffer): Buffer =>
  join(u16(0), u32(10, 0), u16(1, 1, 1), u32(14, document.length), document);
const svg = (inside: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" id="glyph1">${inside}</svg>`,
  );

/** COLR 1: glyph 1 is the first of these paints, which refer to each other by offset. */
const paints = (parts: readonly Buffer[]): Buffer => {
  const list = join(u32(1), u16(1), u32(10));
  return join(u16(1, 0), u32(0, 0), u16(0), u32(34, 0, 0, 0, 0), list, ...parts);
};
/** Each paint draws the next one twice, one over the other; the last one is the background's colour. */
const paintsDoubled = (levels: number): Buffer =>
  paints([...times(levels, () => join(u8(32), u24(8), u8(3), u24(8))), join(u8(2), u16(0, 0x4000))]);
const paintsInRow = (levels: number): Buffer =>
  paints([...times(levels, () => join(u8(14), u24(8), u16(1, 1))), join(u8(2), u16(0, 0x4000))]);
const COLOURS = join(u16(0, 1, 1, 1), u32(14), u16(0), u8(0, 0, 255, 255));
const layers = (count: number): Buffer =>
  join(u16(0, 1), u32(14, 20), u16(count), u16(1, 0, count), repeated(u16(1, 0), count));

const index = (parts: readonly Buffer[]): Buffer => {
  if (parts.length === 0) return u16(0);
  let at = 1;
  const starts = [at, ...parts.map((part) => (at += part.length))];
  return join(u16(parts.length), u8(4), u32(...starts), ...parts);
};
const long = (value: number): Buffer => join(u8(29), u32(value));
const compact = (letters: readonly Buffer[], routines: readonly Buffer[]): Buffer => {
  const start = join(u8(1, 0, 4, 4), index([Buffer.from('X')]));
  const routine_index = index(routines);
  const dictionary = (charset: number, glyphs: number, secret: number): Buffer =>
    index([join(long(charset), u8(15), long(glyphs), u8(17), long(0), long(secret), u8(18))]);
  const at = start.length + dictionary(0, 0, 0).length + index([]).length + routine_index.length;
  const glyph_index = index(letters);
  return join(start, dictionary(0, at, at + glyph_index.length), index([]), routine_index, glyph_index);
};
const openType = (letters: readonly Buffer[], routines: readonly Buffer[]): Buffer =>
  sfnt(
    {
      head: head(),
      hhea: hhea(letters.length),
      maxp: join(u32(0x5000), u16(letters.length)),
      hmtx: hmtx(letters.length),
      name: NAMES,
      cmap: cmap(groups(13, [32, 126, 1])),
      'OS/2': os2(),
      post: post(),
      'CFF ': compact(letters, routines),
    },
    OPENTYPE,
  );
const ENDCHAR = u8(14);
const CALL = 29;
/** A number of one byte, for example the number of a routine, which starts at -107. */
const number = (value: number): Buffer => u8(value + 139);
const call = (routine: number): Buffer => join(number(routine - 107), u8(CALL));
const OTF = { ending: '.otf' } as const;

export const FONT_GLYPHS: readonly HostileFile[] = [
  file('recursion', 'letters-of-letters', '2^30 times nothing', () => trueType(composites(30, 2, EMPTY))),
  file('recursion', 'letters-of-letters-tenfold', '10^9 times a square', () => trueType(composites(9, 10, SQUARE))),
  file('recursion', 'letters-of-letters-hundredfold', '100^4 times nothing', () => trueType(composites(4, 100, EMPTY))),
  file('recursion', 'letter-of-itself', 'a letter of which it is a part', () => trueType([SQUARE, composite([1, 1])])),
  file('recursion', 'letters-in-a-circle', '1,000 letters that are parts of each other', () =>
    trueType([SQUARE, ...times(1000, (n) => composite([1 + ((n + 1) % 1000)]))]),
  ),
  file('depth', 'letters-in-letters', '15,000 letters in each other', () => trueType(composites(15_000, 1, SQUARE))),
  file('count', 'parts', 'a letter of 60,000 squares', () =>
    trueType([SQUARE, composite(times(60_000, () => 2)), SQUARE]),
  ),
  file('count', 'contours', 'a letter of 30,000 contours of a point', () => trueType([SQUARE, contours(30_000)])),
  file('lie', 'contours-that-are-not-there', '32,767 contours in twelve bytes', () =>
    trueType([SQUARE, u16(0x7fff, 0, 0, 500, 500, 0xffff)]),
  ),
  file('lie', 'points-of-65535', 'a contour of 65,536 points', () =>
    trueType([SQUARE, join(u16(1, 0, 0, 500, 500, 0xffff, 0), repeated(u8(0x09, 255), 300), Buffer.alloc(2000))]),
  ),
  file('size', 'letter-without-end', 'a letter of 65,535 units on a side', () =>
    trueType(
      [
        SQUARE,
        join(
          u16(1, -0x8000, -0x8000, 0x7fff, 0x7fff, 3, 0),
          u8(1, 1, 1, 1),
          u16(-0x8000, 0x7fff, 0x7fff, -0x8000),
          u16(-0x8000, 0, 0x7fff, 0x7fff),
        ),
      ],
      { hmtx: u16(0xffff, 0, 0xffff, 0) },
    ),
  ),
  file('time', 'program-without-end', 'instructions of a glyph that jump back', () =>
    trueType([SQUARE, instructed(LOOP)]),
  ),
  file('time', 'font-program-without-end', 'instructions of the font that jump back', () =>
    trueType(TWO, { fpgm: LOOP, prep: LOOP }),
  ),
  file('recursion', 'program-that-calls-itself', 'a function that calls itself', () =>
    trueType([SQUARE, instructed(u8(0xb0, 0, 0x2b))], { fpgm: SELF_CALL, prep: u8(0xb0, 0, 0x2b) }),
  ),
  file('time', 'program-that-loops', 'a function called 65,535 times by each of 65,535 calls', () =>
    trueType([SQUARE, instructed(u8(0xb9, 0x7f, 0xff, 0, 1, 0x2a))], {
      fpgm: join(u8(0xb0, 0, 0x2c, 0x2d), u8(0xb0, 1, 0x2c, 0xb9, 0x7f, 0xff, 0, 0, 0x2a, 0x2d)),
      prep: u8(0xb9, 0x7f, 0xff, 0, 1, 0x2a),
    }),
  ),
  file('recursion', 'substitutions-doubled', 'a letter that doubles 100 times', () =>
    trueType(TWO, {
      GSUB: layout(
        'ccmp',
        times(100, () => multiply(1, 2)),
      ),
    }),
  ),
  file('recursion', 'substitutions-hundredfold', 'a letter that becomes 100, ten times', () =>
    trueType(TWO, {
      GSUB: layout(
        'ccmp',
        times(10, () => multiply(1, 100)),
      ),
    }),
  ),
  file('recursion', 'substitution-that-calls-itself', 'a context that calls itself', () =>
    trueType(TWO, { GSUB: layout('ccmp', [context(1, ...times(100, () => 0))]) }),
  ),
  file('recursion', 'substitutions-that-call-each-other', 'contexts that each call the next twenty times', () =>
    trueType(TWO, {
      GSUB: layout('ccmp', [...times(60, (n) => context(1, ...times(20, () => n + 1))), multiply(1, 2)], [0]),
    }),
  ),
  file('count', 'lookups', '8,000 lookups for each letter', () =>
    trueType(TWO, {
      GSUB: layout(
        'ccmp',
        times(3000, () => context(1)),
      ),
      GPOS: layout(
        'kern',
        times(1600, () => lookup(1, join(u16(1, 8, 4, 100), coverage(1)))),
      ),
    }),
  ),
  file('lie', 'lookups-beyond-the-end', 'tables of layout that lie beyond the file', () =>
    trueType(TWO, {
      GSUB: join(u32(0x10000), u16(0xffff, 0xffff, 0xffff)),
      GPOS: join(u32(0x10000), u16(10, 10, 10), Buffer.alloc(60_000, 255)),
      GDEF: Buffer.alloc(200, 255),
      kern: join(u16(0, 0xffff), Buffer.alloc(600, 255)),
    }),
  ),
  file('recursion', 'state-machine-without-end', 'an AAT state machine that never advances', () =>
    trueType(TWO, {
      morx: join(
        u32(0x20000, 1, 1, 88, 0, 1),
        u32(76, 0x00000005, 1),
        u32(5, 16, 26, 46, 54),
        u16(6, 1, 1, 1, 4),
        u16(0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        u16(0, 0x4000 | 0x20, 0xffff, 0xffff),
        Buffer.alloc(20),
      ),
    }),
  ),
  file('recursion', 'paints-doubled', 'COLR of 2^30 paints', () =>
    trueType(TWO, { COLR: paintsDoubled(30), CPAL: COLOURS }),
  ),
  file('depth', 'paints-in-paints', 'COLR of 50,000 paints in each other', () =>
    trueType(TWO, { COLR: paintsInRow(50_000), CPAL: COLOURS }),
  ),
  file('recursion', 'paint-of-itself', 'COLR of a paint that is itself', () =>
    trueType(TWO, { COLR: paints([join(u8(32), u24(0), u8(3), u24(0))]), CPAL: COLOURS }),
  ),
  file('count', 'layers', 'COLR of 65,535 layers', () => trueType(TWO, { COLR: layers(65_535), CPAL: COLOURS })),
  file('lie', 'palettes', 'CPAL of 65,535 palettes', () =>
    trueType(TWO, { COLR: layers(9), CPAL: u16(0, 0xffff, 0xffff, 0xffff, 0, 14, 0) }),
  ),
  file('size', 'picture-letters', 'letters that are PNG of 16,000 pixels on a side', () =>
    trueType(TWO, { sbix: sbix(blankPng(16_000)) }),
  ),
  file('size', 'picture-letters-within-limits', 'letters that are PNG of 9,000 pixels on a side', () =>
    trueType(TWO, { sbix: sbix(blankPng(9000)) }),
  ),
  file('recursion', 'svg-letters', 'letters that are SVG and double 26 times', () =>
    trueType(TWO, {
      'SVG ': svgTable(
        svg(
          `<defs><rect id="l0" width="9" height="9"/>${times(26, (n) => `<g id="l${n + 1}"><use xlink:href="#l${n}"/><use xlink:href="#l${n}"/></g>`).join('')}</defs><use xlink:href="#l26"/>`,
        ),
      ),
    }),
  ),
  file('size', 'svg-letters-compressed', 'letters that are SVG of 500 MB, in gzip', () =>
    trueType(TWO, {
      'SVG ': svgTable(Buffer.concat([gzipSync(svg('')), repeated(gzipSync(Buffer.alloc(2 ** 20, ' ')), 500)])),
    }),
  ),
  file(
    'reach',
    'svg-letters-that-refer',
    'letters that are SVG and refer to a file and a server',
    ({ canary_file, canary_url }) =>
      trueType(TWO, {
        'SVG ': svgTable(
          svg(
            `<image width="99" height="99" xlink:href="file://${canary_file}"/><image width="99" height="99" href="${canary_url}glyph"/><style>@import url(${canary_url}css)</style>`,
          ),
        ),
      }),
  ),
  file(
    'recursion',
    'routines-tenfold',
    'compact outlines of 9 routines that each call the next 100 times',
    () =>
      openType(
        [ENDCHAR, join(call(0), ENDCHAR)],
        [
          ...times(9, (n) =>
            join(
              many(100, () => call(n + 1)),
              u8(11),
            ),
          ),
          u8(11),
        ],
      ),
    OTF,
  ),
  file(
    'recursion',
    'routine-that-calls-itself',
    'a routine that calls itself',
    () => openType([ENDCHAR, join(call(0), ENDCHAR)], [join(call(0), u8(11))]),
    OTF,
  ),
  file(
    'count',
    'curves',
    'a letter of 80,000 curves, of 2,000 routines',
    () =>
      openType(
        [
          ENDCHAR,
          join(
            u8(139, 139, 21),
            many(100, () => call(0)),
            ENDCHAR,
          ),
        ],
        [
          join(
            many(1300, () => join(number(50), number(90), number(-90), number(50), number(30), number(-70), u8(8))),
            u8(11),
          ),
        ],
      ),
    OTF,
  ),
  file(
    'lie',
    'stack-that-overflows',
    'a letter of more numbers than there is room for',
    () => openType([ENDCHAR, join(repeated(number(1), 60_000), u8(5), ENDCHAR)], []),
    OTF,
  ),
  file(
    'lie',
    'index-beyond-the-end',
    'a compact font whose places lie beyond it',
    () => openType([ENDCHAR], []).fill(255, 340),
    OTF,
  ),
];
