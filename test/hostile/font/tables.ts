import { gzipSync } from 'node:zlib';
import { filesOf, type HostileFile, REFUSED } from '../hostile-file.ts';
import { join, latin, many, patched, repeated, times, u8, u16, u32 } from '../write/numbers.ts';
import { cmap, groups, NAMES, nameTable, OPENTYPE, SQUARE, sfnt, tablesOf, trueType } from '../write/sfnt.ts';

const file = filesOf('font', 'font', '.ttf');
const TWO = [SQUARE, SQUARE];

/** A table of this many names of a font, which all refer to the same 60,000 bytes. */
const longNames = (count: number, different: boolean): Buffer =>
  join(
    u16(0, count, 6 + 12 * count),
    many(count, (n) =>
      u16(3, 1, 0x409 + (n % 90), [1, 2, 4, 6, 16][n % 5] ?? 1, 60_000 - (different ? 2 * (n % 2000) : 0), 0),
    ),
    Buffer.alloc(60_000, '\0a'),
  );

const variations = (axes: number, instances: number): Buffer => {
  const size = 4 + 4 * axes;
  return join(
    u16(1, 0, 16, 2, axes, 20, instances, size),
    many(axes, (n) =>
      join(
        n === 0 ? 'wght' : `a${String(n).padStart(3, '0')}`.slice(0, 4),
        u32(100 << 16, 400 << 16, 900 << 16),
        u16(0, 1),
      ),
    ),
    repeated(join(u16(1, 0), repeated(u32(500 << 16), axes)), instances),
  );
};

const entry = (name: string, offset: number, length: number): Buffer => join(name, u32(0, offset, length));

export const FONT_TABLES: readonly HostileFile[] = [
  file('count', 'long-names', '30,000 names of 60,000 bytes, all the same place', () =>
    trueType(TWO, { name: longNames(30_000, false) }),
  ),
  file('count', 'long-names-that-differ', '30,000 names of 60,000 bytes of different lengths', () =>
    trueType(TWO, { name: longNames(30_000, true) }),
  ),
  file('count', 'names', '65,000 families', () =>
    trueType(TWO, { name: nameTable(times(8000, (n) => [n % 2 === 0 ? 1 : 4, `F${n}`] as const)) }),
  ),
  file('lie', 'names-beyond-the-end', 'names that lie beyond the file', () =>
    trueType(TWO, { name: join(u16(0, 0xffff, 0xffff), Buffer.alloc(1200, 255)) }),
  ),
  file('count', 'letters', 'a million letters', () => trueType(TWO, { cmap: cmap(groups(13, [1, 0x10ffff, 1])) })),
  file('count', 'letters-many-times', '200 tables of a million letters', () =>
    trueType(TWO, { cmap: cmap(...times(200, () => groups(13, [1, 0x10ffff, 1]))) }),
  ),
  file('count', 'letters-without-glyphs', 'a million letters to glyphs that are not there', () =>
    trueType(TWO, { cmap: cmap(groups(12, [1, 0x10ffff, 2])) }),
  ),
  file('count', 'letters-of-2-32', '2^32 letters', () => trueType(TWO, { cmap: cmap(groups(12, [0, 0xffffffff, 1])) })),
  file('count', 'groups', '60,000 groups of letters that overlap', () =>
    trueType(TWO, { cmap: cmap(groups(12, ...times(60_000, (n) => [n % 1000, 0x10ffff, 0] as const))) }),
  ),
  file('count', 'groups-in-falling-order', '60,000 groups in falling order', () =>
    trueType(TWO, { cmap: cmap(groups(12, ...times(60_000, (n) => [60_000 - n, 60_000 - n, 1] as const))) }),
  ),
  file('lie', 'groups-of-2-32', 'a table that says to have 2^32-1 groups', () =>
    trueType(TWO, { cmap: cmap(join(u16(12, 0), u32(0xffffffff, 0, 0xffffffff), u32(0, 1, 1))) }),
  ),
  file('lie', 'segments', 'a table of segments that lie in each other', () =>
    trueType(TWO, {
      cmap: join(
        u16(0, 1, 3, 1),
        u32(12),
        u16(4, 0xffff, 0, 0xfffe, 0, 0, 0),
        repeated(u16(0xffff, 0, 1, 0xfff0), 8000),
      ),
    }),
  ),
  file('count', 'variants-of-letters', 'variation sequences of 2^24', () =>
    trueType(TWO, {
      cmap: join(
        u16(0, 2, 3, 10),
        u32(20),
        u16(0, 5),
        u32(48),
        groups(13, [32, 126, 1]),
        u16(14),
        u32(0xffffff, 0xffffff),
        repeated(join(u8(0, 0xfe, 0), u32(10, 10)), 9000),
      ),
    }),
  ),
  file('count', 'instances', 'a variable font of 20,000 instances', () =>
    trueType(TWO, { fvar: variations(1, 20_000) }),
  ),
  file('count', 'instances-of-many-axes', 'a variable font of 60 axes and 4,000 instances', () =>
    trueType(TWO, { fvar: variations(60, 4000) }),
  ),
  file('count', 'instances-and-letters', '4,000 instances, each of a million letters', () =>
    trueType(TWO, { fvar: variations(1, 4000), cmap: cmap(groups(13, [1, 0x10ffff, 1])) }),
  ),
  file('count', 'instances-and-names', '4,000 instances, each of 3,000 long names', () =>
    trueType(TWO, { fvar: variations(1, 4000), name: longNames(3000, true) }),
  ),
  file('lie', 'axes', 'a variable font of 65,535 axes', () =>
    trueType(TWO, { fvar: variations(1, 1).subarray(0, 16), avar: join(u32(0x10000), u16(0, 0xffff)) }),
  ),
  file('lie', 'glyphs-of-65535', '65,535 glyphs, of which two are there', () =>
    trueType(TWO, { maxp: join(u32(0x10000), u16(0xffff), Buffer.alloc(26, 255)) }),
  ),
  file('lie', 'metrics', 'more metrics than glyphs', () =>
    trueType(TWO, { hhea: join(u32(0x10000), u16(0x7fff, -0x8000, 0x7fff, 0xffff), Buffer.alloc(22), u16(0xffff)) }),
  ),
  file('lie', 'no-units', '0 units for an em', ({ bases: { 'base.ttf': base } }) => {
    const tables = tablesOf(base);
    return sfnt({ ...tables, head: patched(tables.head ?? Buffer.alloc(54), 18, u16(0)) });
  }),
  file(
    'lie',
    'one-unit',
    'one unit for an em, so that letters are a thousand times as large',
    ({ bases: { 'base.ttf': base } }) => {
      const tables = tablesOf(base);
      return sfnt({ ...tables, head: patched(tables.head ?? Buffer.alloc(54), 18, u16(1)) });
    },
  ),
  file('lie', 'tables-beyond-the-end', 'tables at 4 GB', () =>
    join(
      u32(0x10000),
      u16(9, 0, 0, 0),
      ...['cmap', 'glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp', 'name', 'OS/2'].map((name) =>
        entry(name, 0xfffffff0, 0xffffffff),
      ),
    ),
  ),
  file('lie', 'tables-that-overlap', 'all tables are the whole file', ({ bases: { 'base.ttf': base } }) =>
    join(
      u32(0x10000),
      u16(9, 0, 0, 0),
      ...['cmap', 'glyf', 'head', 'hhea', 'hmtx', 'loca', 'maxp', 'name', 'OS/2'].map((name) =>
        entry(name, 0, base.length),
      ),
      base.subarray(156),
    ),
  ),
  file('count', 'tables', '65,535 tables', () =>
    join(
      u32(0x10000),
      u16(0xffff, 0, 0, 0),
      many(65_535, (n) => entry('head', n * 16, 0xffffffff)),
    ),
  ),
  file('recursion', 'offsets-in-a-circle', 'glyphs that begin behind their end', ({ bases: { 'base.ttf': base } }) => {
    const tables = tablesOf(base);
    return sfnt({ ...tables, loca: Buffer.from(tables.loca ?? '').reverse() });
  }),
  file(
    'count',
    'collection',
    'a collection of 2^32-1 fonts',
    () => join('ttcf', u32(0x10000, 0xffffffff), repeated(u32(12), 1000)),
    { ending: '.ttc', expects: 'refused' },
  ),
  file(
    'recursion',
    'collection-of-itself',
    'a collection whose fonts are the collection',
    () => join('ttcf', u32(0x10000, 1000), repeated(u32(0), 1000)),
    { ending: '.ttc', expects: 'refused' },
  ),
  file(
    'size',
    'web-font',
    'WOFF that says to unpack to 4 GB',
    () =>
      join(
        'wOFF',
        u32(0x10000, 100),
        u16(1, 0),
        u32(0xffffffff, 0x10000, 0, 0, 0, 0),
        'glyf',
        u32(64, 36, 0xffffffff, 0),
        Buffer.alloc(36),
      ),
    { ending: '.woff', expects: 'refused' },
  ),
  file(
    'size',
    'web-font-2',
    'WOFF2 that says to unpack to 4 GB',
    () => join('wOF2', u32(0x10000, 100), u16(1, 0), u32(0xffffffff, 50), Buffer.alloc(80, 255)),
    { ending: '.woff2', expects: 'refused' },
  ),
  file('disguise', 'compressed', 'a font in gzip', ({ bases: { 'base.ttf': base } }) => gzipSync(base), REFUSED),
  file(
    'disguise',
    'bitmaps',
    'a font of X11',
    () => latin('STARTFONT 2.1\nFONT x\nSIZE 9 9 9\nFONTBOUNDINGBOX 99999 99999 0 0\nCHARS 999999999\n'),
    REFUSED,
  ),
  file(
    'disguise',
    'post-script',
    'a PostScript font that never ends',
    () => latin('%!PS-AdobeFont-1.0: X\n/FontName /X def { } loop\neexec\n'),
    { ending: '.otf', expects: 'refused' },
  ),
  file('reach', 'names-of-files', 'names that are files and URLs', ({ canary_file, canary_url }) =>
    trueType(TWO, {
      name: nameTable([
        [1, canary_file],
        [4, `file://${canary_file}`],
        [6, canary_url],
        [11, `${canary_url}vendor`],
        [14, canary_url],
        [16, `Project Face 0,${canary_file}`],
      ]),
    }),
  ),
  file('reach', 'markup-in-names', 'names that are markup', ({ canary_file, canary_url }) =>
    trueType(TWO, {
      name: nameTable([
        [1, `</string><include>${canary_file}</include><dir>${canary_url}</dir><string>`],
        [4, `<span font="${canary_file}">`],
      ]),
    }),
  ),
  file('truncated', 'half', 'the first half', ({ bases: { 'base.ttf': base } }) => base.subarray(0, base.length / 2)),
  file('truncated', 'directory-only', 'a directory without tables', ({ bases: { 'base.ttf': base } }) =>
    base.subarray(0, 12 + 16 * base.readUInt16BE(4)),
  ),
  file('truncated', 'four-bytes', 'four bytes', () => u32(0x10000)),
  file('truncated', 'opentype-only', 'OTTO', () => OPENTYPE, { ending: '.otf' }),
  file('lie', 'no-tables', 'a font of no table', () => sfnt({})),
  file('lie', 'names-only', 'a font that has only names', () => sfnt({ name: NAMES })),
];
