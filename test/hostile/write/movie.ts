import { box, fullBox } from './boxes.ts';
import { join, type Part, u8, u16, u32 } from './numbers.ts';

const MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

export const TIMESCALE = 1000;

export const ftyp = (brand = 'isom'): Buffer => box('ftyp', brand, u32(512), 'isomiso2mp41');

export const mvhd = (duration = TIMESCALE): Buffer =>
  fullBox(
    'mvhd',
    0,
    0,
    u32(0, 0, TIMESCALE, duration, 0x10000),
    u16(0x100, 0),
    u32(0, 0),
    MATRIX,
    Buffer.alloc(24),
    u32(2),
  );

export const tkhd = (id: number, duration: number, width = 64, height = 48): Buffer =>
  fullBox(
    'tkhd',
    0,
    3,
    u32(0, 0, id, 0, duration, 0, 0),
    u16(0, 0, 0, 0),
    MATRIX,
    u32(width * 65_536, height * 65_536),
  );

export const visual = (codec: string, width: number, height: number, ...more: readonly Part[]): Buffer =>
  box(
    codec,
    ...[Buffer.alloc(6), u16(1), Buffer.alloc(16), u16(width, height), u32(0x480000, 0x480000, 0), u16(1)],
    ...[Buffer.alloc(32), u16(24, 0xffff), ...more],
  );

/** An entry of stsd for 16-bit sound. */
export const sound = (codec: string, channels: number, rate: number, ...more: readonly Part[]): Buffer =>
  box(codec, Buffer.alloc(6), u16(1), Buffer.alloc(8), u16(channels, 16, 0, 0), u32(rate * 65_536), ...more);

export const stsd = (...entries: readonly Part[]): Buffer => fullBox('stsd', 0, 0, u32(entries.length), ...entries);
export const stts = (...pairs: readonly (readonly [count: number, delta: number])[]): Buffer =>
  fullBox('stts', 0, 0, u32(pairs.length), ...pairs.map((pair) => u32(...pair)));
export const stsc = (...runs: readonly (readonly [first: number, samples: number])[]): Buffer =>
  fullBox('stsc', 0, 0, u32(runs.length), ...runs.map(([first, samples]) => u32(first, samples, 1)));
/** All samples have the same size. */
export const stsz = (size: number, count: number): Buffer => fullBox('stsz', 0, 0, u32(size, count));
export const stco = (offsets: Part, count: number): Buffer => fullBox('stco', 0, 0, u32(count), offsets);

/** References to media files; without arguments, to the file itself. */
export const dinf = (...references: readonly Part[]): Buffer =>
  box(
    'dinf',
    fullBox(
      'dref',
      0,
      0,
      u32(Math.max(1, references.length)),
      ...(references.length > 0 ? references : [fullBox('url ', 0, 1)]),
    ),
  );

export type Track = {
  readonly id?: number;
  readonly handler?: 'vide' | 'soun' | 'text' | 'tmcd' | 'subt';
  readonly duration?: number;
  readonly timescale?: number;
  readonly entry: Part;
  readonly tables: readonly Part[];
  readonly data?: Part;
  /** Boxes before mdia: tref, edts. */
  readonly before?: Part;
  readonly after?: Part;
};

const HEADS = { vide: fullBox('vmhd', 0, 1, u16(0, 0, 0, 0)), soun: fullBox('smhd', 0, 0, u16(0, 0)) } as const;

export const trak = ({
  id = 1,
  handler = 'vide',
  duration = TIMESCALE,
  timescale = TIMESCALE,
  entry,
  tables,
  data = dinf(),
  before = '',
  after = '',
}: Track): Buffer =>
  box(
    'trak',
    tkhd(id, duration),
    before,
    box(
      'mdia',
      fullBox('mdhd', 0, 0, u32(0, 0, timescale, duration), u16(0x55c4, 0)),
      fullBox('hdlr', 0, 0, u32(0), handler, Buffer.alloc(13)),
      box('minf', handler === 'vide' ? HEADS.vide : HEADS.soun, data, box('stbl', stsd(entry), ...tables)),
    ),
    after,
  );

/** The media data come before the moov, after a header of that many bytes. */
export const DATA_AT = 36;

export const movie = (data: Part, ...moov: readonly Part[]): Buffer =>
  join(ftyp(), box('mdat', data), box('moov', mvhd(), ...moov));

/** An edit list: duration in the film's time, start in the track's time. */
export const elst = (edits: Part, count: number): Buffer => box('edts', fullBox('elst', 0, 0, u32(count), edits));
export const edit = (length: number, from: number): Buffer => join(u32(length, from), u16(1, 0));

export const RAW = visual('raw ', 4, 4);
/** The size of a sample, a 4 by 4 picture of 24 bits. */
export const RAW_BYTES = 48;
export const PCM = sound('sowt', 2, 48_000);

export const emptyTables: readonly Buffer[] = [stts(), stsc(), stsz(0, 0), stco(u8(), 0)];

export const oneChunk = (count: number, size = RAW_BYTES, delta = 1): readonly Buffer[] => [
  stts([count, delta]),
  stsc([1, count]),
  stsz(size, count),
  stco(u32(DATA_AT), 1),
];
