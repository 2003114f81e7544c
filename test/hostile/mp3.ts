import { filesOf, type HostileFile, REFUSED } from './hostile-file.ts';
import { deflatedZeros } from './write/deflate.ts';
import { join, latin, many, type Part, repeated, u8, u16, u32 } from './write/numbers.ts';
import { chunk, head, png } from './write/png-chunks.ts';

const file = filesOf('mp3', 'audio', '.mp3');

/** MPEG 1, layer 3, 32 kbit/s, 44.1 kHz: 104 bytes of silence. */
const FRAME = join(u8(0xff, 0xfb, 0x10, 0x00), Buffer.alloc(100));
const SOUND = repeated(FRAME, 40);

/** Seven bits per byte. */
const synchsafe = (size: number): Buffer => u8((size >> 21) & 127, (size >> 14) & 127, (size >> 7) & 127, size & 127);
const id3 = (flags: number, body: Part, size?: number): Buffer => {
  const content = join(body);
  return join('ID3', u8(4, 0, flags), synchsafe(size ?? content.length), content);
};
const field = (name: string, body: Part, flags = 0): Buffer => {
  const content = join(body);
  return join(name, synchsafe(content.length), u16(flags), content);
};
const COMPRESSED = 0x0009;

const cover = (picture: Buffer): Buffer => field('APIC', join('\0image/png\0\x03\0', picture));
const blank = (side: number): Buffer =>
  png(head({ width: side, height: side }), chunk('IDAT', deflatedZeros(side * (side * 4 + 1))));

const xing = (flags: number, frames: number, bytes: number): Buffer => {
  const info = Buffer.alloc(104);
  FRAME.copy(info);
  join('Xing', u32(flags, frames, bytes), Buffer.alloc(56)).copy(info, 36);
  return info;
};

export const MP3: readonly HostileFile[] = [
  file('lie', 'tag-of-256-mebibytes', 'a tag larger than the file', () => join(id3(0, 'TIT2', 0x0fffffff), SOUND)),
  file('count', 'tags', '100,000 empty tags after each other', () => join(repeated(id3(0, ''), 100_000), SOUND)),
  file('count', 'fields', '120,000 fields', () => join(id3(0, repeated(field('TXXX', '\0a\0b'), 120_000)), SOUND)),
  file('count', 'fields-of-one-byte', '150,000 fields of different names', () =>
    join(id3(0, join(many(100_000, (n) => field('TXXX', `\0${n}\0b`)))), SOUND),
  ),
  file('size', 'field-that-unpacks', 'a field that unpacks to 1.9 GB', () =>
    join(id3(0, field('TXXX', join(u32(0x76000000), deflatedZeros(0x76000000)), COMPRESSED)), SOUND),
  ),
  file('size', 'field-that-says-two-gigabytes', '200 fields that say to unpack to 2 GB', () =>
    join(id3(0, repeated(field('TXXX', join(u32(0x7fffffff), deflatedZeros(2 ** 20)), COMPRESSED), 200)), SOUND),
  ),
  file('size', 'text-of-a-mebibyte', 'a text of 1.9 MB in UTF-16', () =>
    join(id3(0, field('TIT2', join(u8(1, 0xff, 0xfe), Buffer.alloc(1_900_000, 'a\0')))), SOUND),
  ),
  file('size', 'cover-of-256-million-pixels', 'a cover of 16,000 pixels on a side', () =>
    join(id3(0, cover(blank(16_000))), SOUND),
  ),
  file('size', 'covers', '30 covers of 8,000 pixels on a side', () =>
    join(id3(0, repeated(cover(blank(3900)), 30)), SOUND),
  ),
  file('size', 'chapters', '20,000 chapters', () =>
    join(
      id3(0, join(many(50_000, (n) => field('CHAP', join(`${n}\0`, u32(50_000 - n, 0, 0xffffffff, 0xffffffff)))))),
      SOUND,
    ),
  ),
  file('depth', 'chapters-in-chapters', '2,000 chapters in each other', () => {
    let inner = field('TIT2', '\0a');
    for (let level = 0; level < 2000; level += 1) inner = field('CHAP', join('a\0', u32(0, 1, 2, 3), inner));
    return join(id3(0, inner), SOUND);
  }),
  file('lie', 'unsynchronised', 'a tag whose bytes all have to be mended', () =>
    join(id3(0x80, field('TIT2', repeated(u8(0xff, 0), 500_000), 2)), SOUND),
  ),
  file('lie', 'extended-head', 'an extended head of 256 MiB', () =>
    join(id3(0x40, join(synchsafe(0x0fffffff), u8(1, 0))), SOUND),
  ),
  file('lie', 'ape-tag', 'an APE tag of 2^32 entries', () =>
    join(
      SOUND,
      'APETAGEX',
      Buffer.from('d0070000ffffffff', 'hex'),
      Buffer.from('ffffffff00000080', 'hex'),
      Buffer.alloc(8),
    ),
  ),
  file(
    'time',
    'years',
    'a head that says to have 2^32-1 frames',
    () => join(xing(3, 0xffffffff, 0xffffffff), SOUND),
    {},
  ),
  file('count', 'frames', '20,000 frames of silence', () => repeated(FRAME, 20_000)),
  file('time', 'low-rate', 'frames of 8 kbit/s and 8 kHz, two hours in 2 MB', () =>
    repeated(join(u8(0xff, 0xe3, 0x18, 0xc4), Buffer.alloc(68)), 25_000),
  ),
  file('lie', 'rates-that-change', 'frames that each have another rate and another layer', () =>
    join(
      many(3000, (n) =>
        join(u8(0xff, n % 2 === 0 ? 0xfb : 0xf3, 0x10 | ((n % 3) << 2), (n % 4) << 6), Buffer.alloc(100)),
      ),
    ),
  ),
  file('lie', 'scale-factors', 'frames of ones', () =>
    repeated(join(u8(0xff, 0xfb, 0x10, 0x00), Buffer.alloc(100, 0xfe)), 2000),
  ),
  file('lie', 'noise', 'a megabyte in which frames seem to begin everywhere', () =>
    join(id3(0, ''), repeated(u8(0xff, 0xfb, 0x90), 400_000)),
  ),
  file('reach', 'urls', 'fields of URLs, and one that links to another file', ({ canary_file, canary_url }) =>
    join(
      id3(
        0,
        join(
          field('WXXX', `\0a\0${canary_url}w`),
          field('WOAF', `${canary_url}f`),
          field('LINK', `TIT2${canary_url}link\0`),
          field('APIC', `\0-->\0\x03\0${canary_url}cover.png`),
          field('GEOB', `\0text/plain\0${canary_file}\0\0x`),
        ),
      ),
      SOUND,
    ),
  ),
  file(
    'reach',
    'playlist-behind-a-tag',
    'a tag, and a playlist instead of sound',
    ({ canary_file, canary_url }) =>
      join(
        id3(0, field('PRIV', 'com.apple.streaming.transportStreamTimestamp\0\0\0\0\0\0\0\0\0')),
        latin(`#EXTM3U\n#EXTINF:1,\nfile://${canary_file}\n#EXTINF:1,\n${canary_url}a.mp3\n#EXT-X-ENDLIST\n`),
      ),
    REFUSED,
  ),
  file('truncated', 'tag-only', 'a tag without sound', () => id3(0, field('TIT2', '\0a')), REFUSED),
  file('truncated', 'half-a-frame', 'fifty bytes', () => FRAME.subarray(0, 50), REFUSED),
];
