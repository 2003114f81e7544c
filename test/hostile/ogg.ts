import { filesOf, type HostileFile, type Material, REFUSED } from './hostile-file.ts';
import { deflatedZeros } from './write/deflate.ts';
import { join, many, repeated, times, u8, u16le, u32, u32le } from './write/numbers.ts';
import { lacingOf, packetPage, page, pagesOf, resealed } from './write/ogg-pages.ts';
import { chunk, head, png } from './write/png-chunks.ts';

const file = filesOf('ogg', 'audio', '.ogg');

const OPUS_HEAD = join('OpusHead', u8(1, 1), u16le(0), u32le(48_000), u16le(0), u8(0));
const tags = (count: number, ...comments: readonly Buffer[]): Buffer =>
  join('OpusTags', u32le(1), 'a', u32le(count), ...comments.map((comment) => join(u32le(comment.length), comment)));

/** The head has one page, and the tags have as many as needed. */
const opus = (comments: Buffer, ...sound: readonly Buffer[]): Buffer => {
  const lacing = lacingOf(comments.length);
  const pages: Buffer[] = [];
  for (let at = 0; at < lacing.length; at += 255) {
    const some = lacing.slice(at, at + 255);
    pages.push(
      page({
        number: 1 + at / 255,
        flags: at > 0 ? 1 : 0,
        lacing: some,
        data: comments.subarray(at * 255, at * 255 + some.reduce((sum, one) => sum + one, 0)),
      }),
    );
  }
  return join(packetPage(OPUS_HEAD, { flags: 2 }), ...pages, ...sound);
};
const PLAIN = tags(0);
const SILENCE = packetPage(Buffer.from('f8fffe', 'hex'), { granule: 960n, number: 2, flags: 4 });

const pages =
  (change: (all: readonly Buffer[]) => readonly Buffer[]) =>
  ({ bases: { 'base.ogg': base } }: Material): Buffer =>
    join(...change(pagesOf(base)));

const withGranule = (bytes: Buffer, granule: bigint): Buffer => {
  const copy = Buffer.from(bytes);
  copy.writeBigInt64LE(BigInt.asIntN(64, granule), 6);
  return resealed(copy);
};

const cover = (side: number): Buffer => {
  const picture = png(head({ width: side, height: side }), chunk('IDAT', deflatedZeros(side * (side * 4 + 1))));
  return Buffer.from(
    `METADATA_BLOCK_PICTURE=${join(u32(3, 9), 'image/png', u32(0, 64, 48, 24, 0, picture.length), picture).toString('base64')}`,
  );
};

export const OGG: readonly HostileFile[] = [
  file('count', 'packets-of-nothing', '700,000 packets of no byte', () =>
    opus(
      PLAIN,
      many(2800, (n) =>
        page({ number: n + 2, granule: BigInt(n) * 960n, lacing: times(255, () => 0), data: Buffer.alloc(0) }),
      ),
    ),
  ),
  file('count', 'packets-of-one-byte', '900,000 packets of one byte', () =>
    opus(
      PLAIN,
      many(3500, (n) =>
        page({
          number: n + 2,
          granule: BigInt(n + 1) * 255n * 120n,
          lacing: times(255, () => 1),
          data: Buffer.alloc(255, 0xf8),
        }),
      ),
    ),
  ),
  file('count', 'streams', '20,000 streams that all begin', () =>
    join(many(20_000, (n) => packetPage(OPUS_HEAD, { flags: 2, serial: n + 1 }))),
  ),
  file('count', 'chains', '5,000 films after each other', () =>
    join(
      many(5000, (n) =>
        join(
          packetPage(OPUS_HEAD, { flags: 2, serial: n }),
          packetPage(PLAIN, { serial: n, number: 1 }),
          packetPage(Buffer.from('f8fffe', 'hex'), { serial: n, number: 2, granule: 960n, flags: 4 }),
        ),
      ),
    ),
  ),
  file('count', 'empty-pages', '70,000 pages without a packet', () =>
    opus(PLAIN, repeated(page({ number: 2, lacing: [], data: Buffer.alloc(0) }), 70_000), SILENCE),
  ),
  file('size', 'packet-without-end', 'a packet that continues over all pages', () =>
    opus(
      PLAIN,
      many(30, (n) =>
        page({ number: n + 2, flags: 1, granule: -1n, lacing: times(255, () => 255), data: Buffer.alloc(65_025) }),
      ),
    ),
  ),
  file(
    'recursion',
    'the-same-page',
    'one page 10,000 times',
    pages((all) => [...all.slice(0, 2), ...times(300, () => all[2] ?? Buffer.alloc(0))]),
  ),
  file(
    'recursion',
    'pages-backwards',
    'the pages of the sound in falling order',
    pages((all) => [...all.slice(0, 2), ...all.slice(2).reverse()]),
  ),
  file(
    'time',
    'granule-of-2-62',
    'a last page at 2^62',
    pages((all) => [...all.slice(0, -1), withGranule(all.at(-1) ?? Buffer.alloc(0), 2n ** 62n)]),
  ),
  file(
    'time',
    'granule-below-0',
    'a last page before the first',
    pages((all) => [...all.slice(0, -1), withGranule(all.at(-1) ?? Buffer.alloc(0), -(2n ** 60n))]),
  ),
  file('time', 'granules-that-jump', 'pages whose times jump by years', () =>
    opus(
      PLAIN,
      many(10_000, (n) =>
        packetPage(Buffer.from('f8fffe', 'hex'), { number: n + 2, granule: n % 2 === 0 ? 2n ** 60n : 0n }),
      ),
    ),
  ),
  file('lie', 'comments', 'a list of 2^32-1 comments', () => opus(tags(0xffffffff), SILENCE)),
  file('lie', 'comment-of-4-gb', 'a comment of 4 GB', () => opus(join('OpusTags', u32le(0xfffffff0)), SILENCE)),
  file('count', 'comments-of-one-byte', '60,000 comments', () =>
    opus(tags(60_000, ...times(60_000, () => Buffer.from('A=b'))), SILENCE),
  ),
  file('count', 'comments-of-different-names', '60,000 comments of different names', () =>
    opus(tags(60_000, ...times(60_000, (n) => Buffer.from(`K${n}=b`))), SILENCE),
  ),
  file('size', 'cover', 'a cover of 16,000 pixels on a side', () => opus(tags(1, cover(16_000)), SILENCE)),
  file('size', 'covers', '12 covers of 5,000 pixels on a side', () =>
    opus(tags(12, ...times(12, () => cover(5000))), SILENCE),
  ),
  file(
    'lie',
    'vorbis-tables',
    'code books of Vorbis of the largest size',
    pages(([first, , ...rest]) => [
      first ?? Buffer.alloc(0),
      packetPage(join('\x03vorbis', u32le(0, 0), u8(1)), { number: 1 }),
      packetPage(join('\x05vorbis', u8(255), repeated(join('BCV', u8(0xff, 0xff, 0xff, 0xff, 0xff)), 255)), {
        number: 2,
      }),
      ...rest,
    ]),
  ),
  file(
    'lie',
    'vorbis-head',
    'Vorbis of 255 channels at 2^31 Hz',
    () =>
      join(
        packetPage(join('\x01vorbis', u32le(0), u8(255), u32le(2 ** 31 - 1, 0, 0, 0), u8(0xd6, 1)), { flags: 2 }),
        SILENCE,
      ),
    REFUSED,
  ),
  file('lie', 'opus-of-255-channels', 'Opus of 255 channels in 255 streams', () =>
    join(
      packetPage(
        join(
          'OpusHead',
          u8(1, 255),
          u16le(0xffff),
          u32le(0xffffffff),
          u16le(0x7fff),
          u8(255, 255, 255),
          Buffer.alloc(255, 254),
        ),
        { flags: 2 },
      ),
      packetPage(PLAIN, { number: 1 }),
      SILENCE,
    ),
  ),
  file(
    'size',
    'theora',
    'Theora of a million pixels on a side',
    () =>
      join(
        packetPage(
          join(
            '\x80theora',
            u8(3, 2, 1, 0xff, 0xff, 0xff, 0xff, 0x0f, 0xff, 0xf0, 0x0f, 0xff, 0xf0, 0, 0),
            u32(0xffffffff, 1),
            Buffer.alloc(20),
          ),
          { flags: 2 },
        ),
        SILENCE,
      ),
    { kind: 'video', ending: '.ogv', expects: 'refused' },
  ),
  file('lie', 'skeleton', 'a skeleton that describes streams that are not there', () =>
    join(
      packetPage(join('fishead\0', u16le(3, 0), Buffer.alloc(52, 0xff)), { flags: 2, serial: 9 }),
      many(500, () => packetPage(join('fisbone\0', Buffer.alloc(60, 0xff)), { serial: 9, number: 1 })),
      opus(PLAIN, SILENCE),
    ),
  ),
  file('lie', 'flac-in-ogg', 'FLAC within Ogg, of 65,535 heads', () =>
    join(
      packetPage(join('\x7fFLAC', u8(1, 0, 255, 255), 'fLaC', u8(0, 0, 0, 34), Buffer.alloc(34, 255)), { flags: 2 }),
      many(2000, (n) => packetPage(Buffer.alloc(40, 4), { number: n + 1 })),
    ),
  ),
  file('lie', 'wrong-check-sums', 'pages whose check sums do not fit', ({ bases: { 'base.ogg': base } }) =>
    Buffer.from(base.toString('latin1').replaceAll('OggS\0', 'OggS\x01'), 'latin1'),
  ),
  file(
    'lie',
    'capture-patterns',
    '500,000 beginnings of pages',
    () => opus(PLAIN, repeated(Buffer.from('OggS'), 400_000)),
    {},
  ),
  file('reach', 'comments-of-urls', 'comments that name files and servers', ({ canary_file, canary_url }) =>
    opus(
      tags(
        3,
        Buffer.from(`COVERART=${canary_url}a`),
        Buffer.from(`LICENSE=file://${canary_file}`),
        Buffer.from(
          `METADATA_BLOCK_PICTURE=${join(u32(3, 3), '-->', u32(0, 0, 0, 0, 0, canary_url.length), canary_url).toString('base64')}`,
        ),
      ),
      SILENCE,
    ),
  ),
  file('truncated', 'first-page-only', 'a head without sound', () => packetPage(OPUS_HEAD, { flags: 2 }), REFUSED),
  file('truncated', 'half', 'the first half', ({ bases: { 'base.opus': base } }) => base.subarray(0, base.length / 2), {
    ending: '.opus',
  }),
];
