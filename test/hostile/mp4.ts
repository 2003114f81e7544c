import { deflateSync } from 'node:zlib';
import { filesOf, type HostileFile, REFUSED } from './hostile-file.ts';
import { box, fullBox, lyingBox, nestedBoxes, wideBox } from './write/boxes.ts';
import { deflatedTwice, deflatedZeros } from './write/deflate.ts';
import {
  DATA_AT,
  dinf,
  edit,
  elst,
  emptyTables,
  ftyp,
  movie,
  mvhd,
  oneChunk,
  PCM,
  RAW,
  RAW_BYTES,
  sound,
  stco,
  stsc,
  stsd,
  stsz,
  stts,
  type Track,
  trak,
  visual,
} from './write/movie.ts';
import { join, many, patched, repeated, times, u8, u16, u32, u64 } from './write/numbers.ts';
import { chunk, head, png } from './write/png-chunks.ts';

const file = filesOf('mp4', 'video', '.mp4');
const SAMPLE = Buffer.alloc(RAW_BYTES);
const MILLION = 1_000_000;

const raw = (tables: readonly Buffer[], more: Partial<Track> = {}): Buffer =>
  movie(SAMPLE, trak({ entry: RAW, tables, ...more }));
const chunks = (count: number): Buffer => stco(repeated(u32(DATA_AT), count), count);

/** PNG pictures in which all samples are the same. */
const pictures = (picture: Buffer, count: number, ...more: readonly Buffer[]): Buffer =>
  movie(
    picture,
    trak({
      entry: visual('png ', 64, 48),
      duration: count,
      tables: [stts([count, 1]), stsc([1, 1]), stsz(picture.length, count), chunks(count), ...more],
    }),
  );
const blank = (side: number, bytes_per_pixel: number, more = {}): Buffer =>
  png(head({ width: side, height: side, ...more }), chunk('IDAT', deflatedZeros(side * (side * bytes_per_pixel + 1))));

/** Fragments whose samples have defaults for everything but their count. */
const fragmented = (count: number, fragments: number, more = ''): Buffer =>
  join(
    ftyp('iso5'),
    box(
      'moov',
      mvhd(0),
      trak({ entry: RAW, tables: emptyTables, duration: 0 }),
      box('mvex', fullBox('trex', 0, 0, u32(1, 1, 1, RAW_BYTES, 0))),
    ),
    many(fragments, () =>
      join(
        box(
          'moof',
          fullBox('mfhd', 0, 0, u32(1)),
          box(
            'traf',
            fullBox('tfhd', 0, 0x020000, u32(1)),
            fullBox('tfdt', 0, 0, u32(0)),
            fullBox('trun', 0, 1, u32(count, 8)),
            more,
          ),
        ),
        box('mdat', SAMPLE),
      ),
    ),
  );

const compressed = (packed: Buffer, size: number): Buffer =>
  join(ftyp(), box('moov', box('cmov', box('dcom', 'zlib'), box('cmvd', u32(size), packed))));

const h264 =
  (change: (bytes: Buffer) => Buffer): HostileFile['make'] =>
  ({ bases: { 'base.mp4': base } }) =>
    change(base);
const behind = (bytes: Buffer, type: string, at: number, part: Buffer): Buffer =>
  patched(bytes, bytes.indexOf(type) + 4 + at, part);

export const MP4: readonly HostileFile[] = [
  file('count', 'sixty-million-samples', 'stsz of 60 million samples of one size, in 656 bytes', () =>
    raw(oneChunk(60 * MILLION)),
  ),
  file('count', 'two-billion-samples', 'stsz of 2^31 samples', () => raw(oneChunk(2 ** 31 - 1))),
  file('count', 'samples-without-size', 'stsz of 60 million samples of no byte', () => raw(oneChunk(60 * MILLION, 0))),
  file(
    'count',
    'samples-of-one-byte-sound',
    'sound of 90 million samples of one byte',
    () => movie(SAMPLE, trak({ handler: 'soun', entry: sound('ulaw', 1, 8000), tables: oneChunk(90 * MILLION, 1) })),
    { kind: 'audio', ending: '.m4a' },
  ),
  file('count', 'tracks-of-ten-million-samples', '20 tracks of 10 million samples', () =>
    movie(
      SAMPLE,
      many(20, (n) => trak({ id: n + 1, entry: RAW, tables: oneChunk(10 * MILLION) })),
    ),
  ),
  file('lie', 'stsz-without-its-table', 'stsz of 2^30 sizes that are not there', () =>
    raw([stts([1, 1]), stsc([1, 1]), fullBox('stsz', 0, 0, u32(0, 2 ** 30)), stco(u32(DATA_AT), 1)]),
  ),
  file('lie', 'stts-without-its-table', 'stts of 2^28 entries that are not there', () =>
    raw([fullBox('stts', 0, 0, u32(2 ** 28)), stsc([1, 1]), stsz(48, 1), stco(u32(DATA_AT), 1)]),
  ),
  file('lie', 'ctts-without-its-table', 'ctts of 2^28 entries that are not there', () =>
    raw([...oneChunk(9), fullBox('ctts', 0, 0, u32(2 ** 28))]),
  ),
  file('lie', 'stco-without-its-table', 'stco of 2^28 places that are not there', () =>
    raw([stts([1, 1]), stsc([1, 1]), stsz(48, 1), fullBox('stco', 0, 0, u32(2 ** 28), u32(DATA_AT))]),
  ),
  file('lie', 'co64-without-its-table', 'co64 of 2^27 places that are not there', () =>
    raw([stts([1, 1]), stsc([1, 1]), stsz(48, 1), fullBox('co64', 0, 0, u32(2 ** 27), u64(DATA_AT))]),
  ),
  file('lie', 'stsc-without-its-table', 'stsc of 2^27 runs that are not there', () =>
    raw([stts([1, 1]), fullBox('stsc', 0, 0, u32(2 ** 27), u32(1, 1, 1)), stsz(48, 1), stco(u32(DATA_AT), 1)]),
  ),
  file('lie', 'stss-without-its-table', 'stss of 2^29 key frames that are not there', () =>
    raw([...oneChunk(9), fullBox('stss', 0, 0, u32(2 ** 29))]),
  ),
  file('lie', 'elst-without-its-table', 'elst of 2^28 edits that are not there', () =>
    raw(oneChunk(9), { before: box('edts', fullBox('elst', 0, 0, u32(2 ** 28))) }),
  ),
  file('lie', 'stsd-without-entries', 'stsd of 2^31 entries', () =>
    movie(SAMPLE, box('trak', box('mdia', box('minf', box('stbl', fullBox('stsd', 0, 0, u32(2 ** 31))))))),
  ),
  file('count', 'composition-times', 'ctts of one entry for 60 million samples', () =>
    raw([...oneChunk(20 * MILLION), fullBox('ctts', 0, 0, u32(1, 20 * MILLION, 5))]),
  ),
  file('count', 'edits', 'an edit list of 100,000 edits of 1,000 samples', () =>
    raw(oneChunk(1000), { before: elst(repeated(edit(1000, 0), 100_000), 100_000) }),
  ),
  file('count', 'edits-of-a-million-samples', '300 edits that each take a million samples', () =>
    raw(oneChunk(MILLION), { duration: MILLION, before: elst(repeated(edit(MILLION, 0), 300), 300) }),
  ),
  file('count', 'chunks-at-one-place', '400,000 chunks at one place', () =>
    raw([stts([400_000, 1]), stsc([1, 1]), stsz(48, 400_000), chunks(400_000)]),
  ),
  file('lie', 'samples-beyond-the-end', 'a million samples beyond the end of the file', () =>
    raw([stts([MILLION, 1]), stsc([1, MILLION]), stsz(9999, MILLION), stco(u32(0xf0000000), 1)]),
  ),
  file('lie', 'sample-of-2-gb', 'a sample of 2 GB', () =>
    raw([stts([1, 1]), stsc([1, 1]), stsz(0x7fffffff, 1), stco(u32(DATA_AT), 1)]),
  ),
  file('time', 'times-that-overflow', 'durations of 2^32-1', () =>
    raw([stts([9, 0xffffffff]), stsc([1, 9]), stsz(48, 9), stco(u32(DATA_AT), 1)], {
      timescale: 1,
      duration: 0xffffffff,
    }),
  ),
  file('time', 'timescale-of-2-32', 'a time scale of 2^32-1', () => raw(oneChunk(9), { timescale: 0xffffffff })),
  file('time', 'timescale-of-0', 'a time scale of 0', () => raw(oneChunk(9), { timescale: 0 })),
  file('time', 'a-year', 'frames of a day', () => raw(oneChunk(365, 48, 86_400_000), { duration: 365 * 86_400_000 })),
  file('depth', 'boxes-in-boxes', '10,000 boxes in each other', () =>
    join(ftyp(), nestedBoxes('moov', 10_000, mvhd())),
  ),
  file('depth', 'tracks-in-tracks', '100,000 boxes in each other', () =>
    join(ftyp(), box('moov', mvhd(), nestedBoxes('trak', 100_000, box('free')))),
  ),
  file('count', 'tracks', '4,500 tracks', () =>
    movie(
      SAMPLE,
      many(4500, (n) => trak({ id: n + 1, entry: RAW, tables: oneChunk(1) })),
    ),
  ),
  file('count', 'sample-entries', '20,000 sample entries', () =>
    movie(
      SAMPLE,
      trak({ entry: RAW, tables: oneChunk(9) }),
      box('trak', box('mdia', box('minf', box('stbl', stsd(...times(16_000, () => RAW)))))),
    ),
  ),
  file('count', 'boxes', '250,000 boxes', () => join(ftyp(), repeated(box('free'), 250_000), raw(oneChunk(1)))),
  file('count', 'tags', '80,000 tags', () =>
    movie(
      SAMPLE,
      trak({ entry: RAW, tables: oneChunk(1) }),
      box('udta', repeated(join(u32(16), u8(0xa9), 'cmt', u16(4, 0), 'abcd'), 80_000)),
    ),
  ),
  file('lie', 'tag-of-2-gb', 'a tag of 2 GB', () =>
    join(ftyp(), box('moov', mvhd(), box('udta', lyingBox('\xa9nam', 0x7fffffff, u16(0xffff, 0))))),
  ),
  file('lie', 'box-of-2-63', 'a box of 2^63-1 bytes', () => join(ftyp(), wideBox('moov', 2n ** 63n - 1n, mvhd()))),
  file('lie', 'box-of-negative-size', 'a box of 2^64-8 bytes', () =>
    join(ftyp(), wideBox('free', 2n ** 64n - 8n), raw(oneChunk(1))),
  ),
  file('lie', 'box-smaller-than-its-head', 'boxes of 1 to 7 bytes', () =>
    join(
      ftyp(),
      many(6, (n) => lyingBox('moov', n + 2)),
    ),
  ),
  file('lie', 'box-without-end', 'nested boxes that extend to the end of the file', () =>
    join(ftyp(), lyingBox('moov', 0, mvhd(), lyingBox('trak', 0, lyingBox('mdia', 0)))),
  ),
  file('size', 'compressed-head', 'a moov that unpacks to two gigabytes', () =>
    compressed(deflatedZeros(1900 * 2 ** 20), 0x7fffffff),
  ),
  file('size', 'compressed-head-twice', 'a moov that unpacks to a stream of zeros', () =>
    compressed(deflatedTwice(2 ** 30), 0x10000000),
  ),
  file('recursion', 'compressed-heads-in-each-other', '30 compressed heads in each other', () => {
    let inner = box('moov', mvhd());
    for (let level = 0; level < 30; level += 1)
      inner = box('moov', box('cmov', box('dcom', 'zlib'), box('cmvd', u32(inner.length), deflateSync(inner))));
    return join(ftyp(), inner);
  }),
  file('count', 'fragment-of-sixty-million', 'a fragment of 60 million samples', () => fragmented(60 * MILLION, 1)),
  file('count', 'fragment-of-2-32', 'a fragment of 2^32-1 samples', () => fragmented(0xffffffff, 1)),
  file('count', 'fragments', '12,000 fragments', () => fragmented(1, 12_000)),
  file('count', 'fragments-of-10000', '100 fragments of 100,000 samples', () => fragmented(100_000, 100)),
  file('recursion', 'fragment-index-in-a-circle', 'an index of fragments whose places are its own', () =>
    join(
      ftyp('iso6'),
      fullBox('sidx', 0, 0, u32(1, 1000, 0, 0), u16(0, 9), repeated(u32(0x80000000, 1000, 0), 9)),
      fragmented(9, 3).subarray(32),
      box('mfra', fullBox('tfra', 0, 0, u32(1, 0, 0xffffffff)), fullBox('mfro', 0, 0, u32(48))),
    ),
  ),
  file('count', 'encryption-samples', 'tables of encryption of 2^31 samples', () =>
    raw([
      ...oneChunk(9),
      fullBox('saiz', 0, 0, u8(8), u32(2 ** 31)),
      fullBox('saio', 0, 0, u32(2 ** 30)),
      fullBox('senc', 0, 2, u32(2 ** 31)),
    ]),
  ),
  file('lie', 'sample-groups', 'groups of samples of 2^32 entries', () =>
    raw([
      ...oneChunk(9),
      fullBox('sgpd', 1, 0, 'rap ', u32(4, 0xffffffff)),
      fullBox('sbgp', 0, 0, 'rap ', u32(0xffffffff)),
    ]),
  ),
  file('count', 'chapters', 'a track of chapters of a million samples', () =>
    movie(
      SAMPLE,
      trak({ id: 1, entry: RAW, tables: oneChunk(9), before: box('tref', box('chap', u32(2))) }),
      trak({
        id: 2,
        handler: 'text',
        entry: box('text', Buffer.alloc(6), u16(1), Buffer.alloc(51)),
        tables: oneChunk(2 * MILLION, 4),
      }),
    ),
  ),
  file('recursion', 'chapters-of-itself', 'a track that is its own chapters and time code', () =>
    raw(oneChunk(1000), { before: box('tref', box('chap', u32(1)), box('tmcd', u32(1)), box('cdsc', u32(1))) }),
  ),
  file('size', 'picture-of-256-million-pixels', 'frames of PNG of 16,000 pixels on a side, of which it says 64', () =>
    pictures(blank(16_000, 4), 1),
  ),
  file('size', 'pictures-of-eight-bytes', 'frames of PNG of 10,000 pixels on a side and 16 bits', () =>
    pictures(blank(10_000, 8, { depth: 16 }), 3),
  ),
  file('time', 'pictures-of-8k', '100,000 times the same frame of 8,192 by 8,192 pixels', () =>
    pictures(blank(8192, 1, { color: 0 }), 100_000),
  ),
  file('time', 'pictures-that-change-size', 'frames of another size than it says', () =>
    movie(
      blank(4000, 4),
      trak({
        entry: visual('png ', 16, 16),
        tables: [stts([90_000, 1]), stsc([1, 1]), stsz(blank(4000, 4).length, 90_000), chunks(90_000)],
      }),
    ),
  ),
  file(
    'size',
    'cover-of-256-million-pixels',
    'a cover that is a PNG of 16,000 pixels on a side',
    () => {
      const cover = blank(16_000, 4);
      return movie(
        SAMPLE,
        trak({ handler: 'soun', entry: PCM, tables: oneChunk(9, 4) }),
        box(
          'udta',
          fullBox(
            'meta',
            0,
            0,
            fullBox('hdlr', 0, 0, u32(0), 'mdir', Buffer.alloc(13)),
            box('ilst', box('covr', box('data', u32(14, 0), cover))),
          ),
        ),
      );
    },
    { kind: 'audio', ending: '.m4a' },
  ),
  file(
    'size',
    'side-of-65535',
    'frames of 65,535 pixels on a side',
    () => movie(SAMPLE, trak({ entry: visual('raw ', 65_535, 65_535), tables: oneChunk(9) })),
    REFUSED,
  ),
  file(
    'size',
    'raw-of-16000',
    'a raw frame of 16,000 pixels on a side',
    () => movie(SAMPLE, trak({ entry: visual('raw ', 16_000, 16_000), tables: oneChunk(9) })),
    REFUSED,
  ),
  file(
    'lie',
    'other-size-in-the-head',
    'a head of 8,192 pixels over H.264 of 64',
    h264((base) => behind(base, 'avc1', 24, u16(8192, 4320))),
  ),
  file('lie', 'aspect-of-a-hair', 'pixels that are 2^31 times as wide as high', () =>
    movie(SAMPLE, trak({ entry: visual('raw ', 4, 4, box('pasp', u32(0x7fffffff, 1))), tables: oneChunk(9) })),
  ),
  file('lie', 'matrix-of-nothing', 'a matrix that turns all into a point', () =>
    raw(oneChunk(9), {
      before: fullBox('tkhd', 0, 3, u32(0, 0, 1, 0, 9, 0, 0, 0, 0), Buffer.alloc(36), u32(0xffffffff, 0xffffffff)),
    }),
  ),
  file(
    'lie',
    'parameters-of-noise',
    'H.264 whose parameter sets are noise',
    h264((base) => behind(base, 'avcC', 8, Buffer.alloc(24, 0xb7))),
  ),
  file(
    'lie',
    'frames-of-noise',
    'H.264 whose frames are noise',
    h264((base) => {
      const at = base.indexOf('mdat') + 900;
      return patched(base, at, Buffer.from(times(4000, (n) => (n * n * 31 + n * 7) & 255)));
    }),
  ),
  file(
    'lie',
    'lengths-of-4-gb',
    'H.264 whose units say to have 4 GB',
    h264((base) => behind(base, 'mdat', 0, u32(0xffffffff))),
  ),
  file(
    'lie',
    'sound-of-65535-channels',
    '65,535 channels',
    () => movie(SAMPLE, trak({ handler: 'soun', entry: sound('sowt', 65_535, 48_000), tables: oneChunk(9, 4) })),
    { kind: 'audio', ending: '.m4a' },
  ),
  file(
    'lie',
    'sound-without-a-rate',
    'a rate of 0',
    () => movie(SAMPLE, trak({ handler: 'soun', entry: sound('sowt', 2, 0), tables: oneChunk(9, 4) })),
    { kind: 'audio', ending: '.m4a' },
  ),
  file(
    'lie',
    'descriptor-without-end',
    'an esds with endless lengths',
    () =>
      movie(
        SAMPLE,
        trak({
          handler: 'soun',
          entry: sound('mp4a', 2, 48_000, fullBox('esds', 0, 0, u8(3), repeated(u8(0xff), 5000))),
          tables: oneChunk(9, 4),
        }),
      ),
    { kind: 'audio', ending: '.m4a' },
  ),
  file('truncated', 'no-moov', 'media without a head', () => join(ftyp(), box('mdat', Buffer.alloc(5000))), REFUSED),
  file(
    'truncated',
    'half',
    'the first half',
    h264((base) => base.subarray(0, base.length / 2)),
    REFUSED,
  ),
  file('truncated', 'within-a-fragment', 'cut off within a fragment', ({ bases: { 'fragmented.mp4': base } }) =>
    base.subarray(0, Math.floor(base.length * 0.7)),
  ),
  file('truncated', 'brand-only', 'a brand', () => ftyp(), REFUSED),
  file(
    'disguise',
    'no-brand',
    'a film without its first box',
    h264((base) => base.subarray(base.readUInt32BE(0))),
  ),
  file('lie', 'reference-number', 'samples of a file that is not listed', () =>
    movie(
      SAMPLE,
      trak({ entry: RAW, tables: oneChunk(9), data: dinf(fullBox('url ', 0, 1), fullBox('urn ', 0, 0, 'a\0b\0')) }),
    ),
  ),
];
