import { join, type Part, times, u8, u16, u32 } from './numbers.ts';

export type Tables = Readonly<Record<string, Buffer>>;

const padded = (part: Buffer): Buffer => join(part, Buffer.alloc((4 - (part.length % 4)) % 4));

export const TRUETYPE = u32(0x00010000);
export const OPENTYPE = Buffer.from('OTTO');

export const sfnt = (tables: Tables, version: Part = TRUETYPE): Buffer => {
  const names = Object.keys(tables).sort();
  let at = 12 + 16 * names.length;
  const entries: Buffer[] = [];
  const bodies: Buffer[] = [];
  for (const name of names) {
    const body = tables[name] ?? Buffer.alloc(0);
    entries.push(join(name, u32(0, at, body.length)));
    bodies.push(padded(body));
    at += padded(body).length;
  }
  return join(version, u16(names.length, 0, 0, 0), ...entries, ...bodies);
};

export const tablesOf = (font: Buffer): Tables =>
  Object.fromEntries(
    times(font.readUInt16BE(4), (n) => {
      const at = 12 + 16 * n;
      const from = font.readUInt32BE(at + 8);
      return [font.toString('latin1', at, at + 4), font.subarray(from, from + font.readUInt32BE(at + 12))];
    }),
  );

const UNITS = 1000;

export const head = (long_offsets = true): Buffer =>
  join(
    u32(0x00010000, 0x00010000, 0, 0x5f0f3cf5),
    u16(0, UNITS),
    Buffer.alloc(16),
    u16(0, 0, 1000, 1000, 0, 8, 2, long_offsets ? 1 : 0, 0),
  );

export const hhea = (metrics: number): Buffer =>
  join(u32(0x00010000), u16(800, -200, 0, 1000, 0, 0, 1000, 1, 0, 0), Buffer.alloc(10), u16(metrics));

/** The largest possible values, so that no glyph exceeds them. */
export const maxp = (glyphs: number): Buffer =>
  join(u32(0x00010000), u16(glyphs, ...times(5, () => 0x7fff), ...times(6, () => 0x7fff), 0xffff, 0xffff));

export const hmtx = (glyphs: number): Buffer => Buffer.concat(times(glyphs, () => u16(500, 0)));

export type Name = readonly [id: number, text: string];
export const nameTable = (names: readonly Name[]): Buffer => {
  const texts = names.map(([, text]) => Buffer.from(text, 'utf16le').swap16());
  let at = 0;
  const records = names.map(([id], index) => {
    const length = texts[index]?.length ?? 0;
    const record = u16(3, 1, 0x409, id, length, at);
    at += length;
    return record;
  });
  return join(u16(0, names.length, 6 + 12 * names.length), ...records, ...texts);
};
export const NAMES = nameTable([
  [1, 'Hostile'],
  [2, 'Regular'],
  [4, 'Hostile'],
  [6, 'Hostile'],
]);

export const groups = (
  format: 12 | 13,
  ...of: readonly (readonly [from: number, to: number, glyph: number])[]
): Buffer => join(u16(format, 0), u32(16 + 12 * of.length, 0, of.length), ...of.map((group) => u32(...group)));
export const cmap = (...subtables: readonly Buffer[]): Buffer => {
  let at = 4 + 8 * subtables.length;
  const records = subtables.map((subtable) => {
    const record = join(u16(3, 10), u32(at));
    at += subtable.length;
    return record;
  });
  return join(u16(0, subtables.length), ...records, ...subtables);
};

export const os2 = (): Buffer =>
  join(
    u16(4, 500, 400, 5, 0),
    Buffer.alloc(20),
    u16(0),
    Buffer.alloc(10),
    u32(1, 0, 0, 0),
    'NONE',
    u16(0x40, 32, 0xffff, 800, -200, 0, 1000, 200),
    u32(1, 0),
    u16(500, 700, 0, 32, 2),
  );
export const post = (): Buffer => join(u32(0x00030000, 0), Buffer.alloc(24));

export const SQUARE = join(u16(1, 0, 0, 500, 500, 3, 0), u8(1, 1, 1, 1), u16(0, 500, 0, -500), u16(0, 0, 500, 0));
export const composite = (glyphs: readonly number[], flags = 0x0003): Buffer =>
  join(
    u16(-1, 0, 0, 500, 500),
    ...glyphs.map((glyph, n) =>
      join(u16(flags | (n < glyphs.length - 1 ? 0x20 : 0), glyph), u16(...((flags & 1) === 1 ? [0, 0] : [0]))),
    ),
  );

export const glyphTables = (glyphs: readonly Buffer[]): Tables => {
  let at = 0;
  const offsets = [0];
  for (const glyph of glyphs) {
    at += padded(glyph).length;
    offsets.push(at);
  }
  return { glyf: join(...glyphs.map(padded)), loca: u32(...offsets) };
};

/** A font with outlines; by default every letter is glyph 1. */
export const trueType = (glyphs: readonly Buffer[], more: Tables = {}): Buffer =>
  sfnt({
    head: head(),
    hhea: hhea(glyphs.length),
    maxp: maxp(glyphs.length),
    hmtx: hmtx(glyphs.length),
    name: NAMES,
    cmap: cmap(groups(13, [32, 0x7e, 1], [0x5d0, 0x5ea, 1])),
    'OS/2': os2(),
    post: post(),
    ...glyphTables(glyphs),
    ...more,
  });
