import { filesOf, type HostileFile, REFUSED } from './hostile-file.ts';
import { box, fullBox } from './write/boxes.ts';
import { deflatedZeros } from './write/deflate.ts';
import {
  DATA_AT,
  dinf,
  ftyp,
  movie,
  mvhd,
  oneChunk,
  RAW,
  RAW_BYTES,
  stco,
  stsc,
  stsz,
  stts,
  trak,
  visual,
} from './write/movie.ts';
import { join, latin, repeated, u8, u16, u32 } from './write/numbers.ts';
import { tiff } from './write/tiff-directory.ts';

const file = filesOf('mov', 'video', '.mov');
const SAMPLE = Buffer.alloc(RAW_BYTES);

const pascal = (text: string, bytes: number): Buffer => {
  const field = Buffer.alloc(bytes);
  field.writeUInt8(Math.min(text.length, bytes - 1));
  field.write(text.slice(0, bytes - 1), 1, 'latin1');
  return field;
};

/** A Macintosh alias: a volume, a file, and its path in forms 2 (Mac), 15 and 18 (POSIX). */
const alias = (path: string): Buffer => {
  const name = path.split('/').at(-1) ?? '';
  const text = (type: number, value: string): Buffer =>
    join(u16(type, value.length), value, value.length % 2 === 0 ? '' : '\0');
  const body = join(
    ...[u32(0), u16(0, 2, 0), pascal('Macintosh HD', 28), u32(0), 'H+', u16(0), u32(0), pascal(name, 64)],
    ...[u32(0, 0), 'TVODMooV', u16(0xffff, 0xffff), u32(0), u16(0), Buffer.alloc(10)],
    ...[
      text(2, `Macintosh HD${path.replaceAll('/', ':')}`),
      text(15, 'Macintosh HD'),
      text(18, path),
      text(19, '/'),
      u16(0xffff, 0),
    ],
  );
  const length = Buffer.from(body);
  length.writeUInt16BE(length.length, 4);
  return fullBox('alis', 0, 0, length);
};

const elsewhere = (...references: readonly Buffer[]): Buffer =>
  movie(SAMPLE, trak({ entry: RAW, tables: oneChunk(9), data: dinf(...references) }));

const redirect = (...to: readonly Buffer[]): Buffer =>
  join(ftyp('qt  '), box('moov', box('rmra', ...to.map((reference) => box('rmda', reference)))));
const toUrl = (url: string): Buffer => fullBox('rdrf', 0, 0, 'url ', u32(url.length + 1), `${url}\0`);

const coded = (codec: string, side: number, data: Buffer, count = 9): Buffer =>
  movie(
    data,
    trak({
      entry: visual(codec, side, side),
      duration: count,
      tables: [stts([count, 1]), stsc([1, 1]), stsz(data.length, count), stco(repeated(u32(DATA_AT), count), count)],
    }),
  );

const skippedTiff = (side: number): Buffer => {
  const data = deflatedZeros(side * side);
  const entry = (tag: number, type: number, value: number): Buffer =>
    join(
      Buffer.from([tag & 255, tag >> 8, type, 0, 1, 0, 0, 0]),
      Buffer.from([value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24]),
    );
  const entries = [
    entry(256, 4, side),
    entry(257, 4, side),
    entry(258, 3, 8),
    entry(259, 3, 8),
    entry(262, 3, 1),
    entry(273, 4, 8 + 2 + 9 * 12 + 4),
    entry(277, 3, 1),
    entry(278, 4, side),
    entry(279, 4, data.length),
  ];
  return tiff(Buffer.from([9, 0]), ...entries, Buffer.alloc(4), data);
};

export const MOV: readonly HostileFile[] = [
  file('reach', 'samples-in-a-file', 'samples in another file, by a URL', ({ canary_file }) =>
    elsewhere(fullBox('url ', 0, 0, `file://${canary_file}\0`)),
  ),
  file('reach', 'samples-at-a-path', 'samples in another file, by a bare path', ({ canary_file }) =>
    elsewhere(fullBox('url ', 0, 0, `${canary_file}\0`)),
  ),
  file('reach', 'samples-at-a-server', 'samples at a server', ({ canary_url }) =>
    elsewhere(fullBox('url ', 0, 0, `${canary_url}samples.mov\0`)),
  ),
  file('reach', 'samples-by-name', 'samples in another file, by a name', ({ canary_file, canary_url }) =>
    elsewhere(fullBox('urn ', 0, 0, `urn:x\0${canary_url}urn\0`), fullBox('urn ', 0, 0, `x\0file://${canary_file}\0`)),
  ),
  file('reach', 'samples-by-alias', 'samples in another file, by an alias of the Macintosh', ({ canary_file }) =>
    elsewhere(alias(canary_file)),
  ),
  file('reach', 'samples-by-alias-that-climbs', 'an alias that climbs out of the folder', ({ canary_file }) =>
    elsewhere(alias(`${'/..'.repeat(9)}${canary_file}`)),
  ),
  file('reach', 'samples-by-resource', 'samples in another file, by a resource', ({ canary_file }) =>
    elsewhere(fullBox('rsrc', 0, 0, alias(canary_file).subarray(12))),
  ),
  file('reach', 'several-references', '200 references to a file and to a server', ({ canary_file, canary_url }) =>
    elsewhere(
      ...Array.from({ length: 100 }, () => [alias(canary_file), fullBox('url ', 0, 0, `${canary_url}x\0`)]).flat(),
    ),
  ),
  file(
    'reach',
    'film-at-a-server',
    'a reference film that leads to a server',
    ({ canary_url }) => redirect(toUrl(`${canary_url}film.mov`)),
    REFUSED,
  ),
  file(
    'reach',
    'film-in-a-file',
    'a reference film that leads to a file',
    ({ canary_file }) => redirect(toUrl(`file://${canary_file}`), toUrl(canary_file)),
    REFUSED,
  ),
  file(
    'reach',
    'film-by-alias',
    'a reference film that leads to an alias',
    ({ canary_file }) => redirect(fullBox('rdrf', 0, 0, 'alis', u32(200), alias(canary_file).subarray(12))),
    REFUSED,
  ),
  file('reach', 'film-beside-its-own', 'a reference film that has tracks as well', ({ canary_url }) =>
    join(
      ftyp('qt  '),
      box('mdat', SAMPLE),
      box(
        'moov',
        mvhd(),
        box('rmra', box('rmda', toUrl(`${canary_url}film.mov`))),
        trak({ entry: RAW, tables: oneChunk(9) }),
      ),
    ),
  ),
  file(
    'reach',
    'stream-of-a-server',
    'a track of RTSP',
    ({ canary_url }) =>
      movie(
        SAMPLE,
        trak({
          entry: box('rtsp', Buffer.alloc(8)),
          tables: oneChunk(1),
          data: dinf(fullBox('url ', 0, 0, `rtsp${canary_url.slice(4)}x\0`)),
        }),
        box('udta', box('hnti', box('rtp ', 'sdp ', `v=0\r\nc=IN IP4 127.0.0.1\r\na=control:${canary_url}sdp\r\n`))),
      ),
    REFUSED,
  ),
  file(
    'reach',
    'subtitles-with-style',
    'subtitles that name a style sheet and a picture',
    ({ canary_file, canary_url }) => {
      const xml = `<tt xmlns="http://www.w3.org/ns/ttml"><head><metadata><image href="${canary_url}a.png"/></metadata></head><body style="file://${canary_file}"/></tt>`;
      return movie(
        latin(xml.padEnd(RAW_BYTES)),
        trak({ entry: RAW, tables: oneChunk(9) }),
        trak({
          id: 2,
          handler: 'subt',
          entry: box('stpp', Buffer.alloc(6), u16(1), `http://www.w3.org/ns/ttml\0${canary_url}schema\0\0`),
          tables: oneChunk(1, xml.length),
        }),
      );
    },
  ),
  file('reach', 'link-in-tags', 'tags that hold URLs', ({ canary_file, canary_url }) =>
    movie(
      SAMPLE,
      trak({ entry: RAW, tables: oneChunk(9) }),
      box(
        'udta',
        box('\xa9url', u16(canary_url.length, 0), canary_url),
        box('\xa9src', u16(canary_file.length, 0), canary_file),
        box('loca', `\0\0\0\0${canary_url}`),
      ),
    ),
  ),
  file('size', 'tiff-of-256-million-pixels', 'frames of TIFF of 16,000 pixels on a side', () =>
    coded('tiff', 64, skippedTiff(16_000)),
  ),
  file('size', 'run-lengths', 'run lengths that fill 8,000 by 8,000 pixels', () =>
    coded('rle ', 8000, join(u32(12), u16(0), Buffer.alloc(48)), 10_000),
  ),
  file('size', 'graphics', 'QuickDraw of 16,000 pixels on a side', () =>
    coded('qdrw', 16_000, join(u16(0, 0, 0, 16_000, 16_000, 0x0011, 0x02ff, 0x0c00), Buffer.alloc(200))),
  ),
  file('lie', 'palette-of-65536', 'a table of more colours than there can be', () =>
    movie(
      SAMPLE,
      trak({
        entry: join(visual('raw ', 4, 4).subarray(0, 82), u16(8, 0), u32(0), u16(0x8000, 0xffff), Buffer.alloc(80)),
        tables: oneChunk(9),
      }),
    ),
  ),
  file(
    'recursion',
    'waves-in-waves',
    'a description of sound within itself',
    () => {
      let inner: Buffer = box('esds', Buffer.alloc(8));
      for (let level = 0; level < 3000; level += 1) inner = box('wave', inner);
      return movie(
        SAMPLE,
        trak({
          handler: 'soun',
          entry: box(
            'mp4a',
            Buffer.alloc(6),
            u16(1, 1, 0),
            u32(0),
            u16(2, 16, 0, 0),
            u32(48_000 * 65_536),
            Buffer.alloc(16),
            inner,
          ),
          tables: oneChunk(9, 4),
        }),
      );
    },
    { kind: 'audio' },
  ),
  file('size', 'keys', 'a list of 2^28 keys', () =>
    movie(
      SAMPLE,
      trak({ entry: RAW, tables: oneChunk(9) }),
      box(
        'meta',
        fullBox('hdlr', 0, 0, u32(0), 'mdta', Buffer.alloc(13)),
        fullBox('keys', 0, 0, u32(2 ** 28 - 1), u32(9), 'mdtaa'),
        box('ilst', repeated(box('\0\0\0\x01', box('data', u32(1, 0), 'a')), 1000)),
      ),
    ),
  ),
  file('lie', 'time-code', 'a time code of frames that take no time', () =>
    movie(
      SAMPLE,
      trak({ entry: RAW, tables: oneChunk(9) }),
      trak({
        id: 2,
        handler: 'tmcd',
        entry: box('tmcd', Buffer.alloc(6), u16(1), u32(0, 0, 0xffffffff, 0), u8(0, 0)),
        tables: oneChunk(1, 4),
      }),
    ),
  ),
  file(
    'truncated',
    'half',
    'the first half',
    ({ bases: { 'base.mov': base } }) => base.subarray(0, base.length / 2),
    REFUSED,
  ),
  file('truncated', 'wide-only', 'an empty file of the old form', () => join(box('wide'), box('mdat')), REFUSED),
];
