import { deflateSync } from 'node:zlib';
import { filesOf, type HostileFile, REFUSED } from './hostile-file.ts';
import { deflatedTwice, deflatedZeros } from './write/deflate.ts';
import { join, many, repeated, u8, u16, u32 } from './write/numbers.ts';
import { chunk, END, head, PNG_SIGNATURE, png, SMALL, SMALL_DATA } from './write/png-chunks.ts';

const file = filesOf('png', 'image', '.png');
const MIB = 2 ** 20;

/** A PNG of any size whose pixels are all zero, in a thousandth of the size of its pixels. */
const blank = (
  side: number,
  bytes_per_pixel: number,
  more: Omit<Parameters<typeof head>[0], 'width' | 'height'> = {},
): Buffer =>
  png(head({ width: side, height: side, ...more }), chunk('IDAT', deflatedZeros(side * (side * bytes_per_pixel + 1))));

const SMALL_PIXELS = deflateSync(Buffer.alloc(68));

const splitUp = (data: Buffer): Buffer => many(data.length, (index) => chunk('IDAT', data.subarray(index, index + 1)));

const small = (...chunks: readonly Buffer[]): Buffer => png(head(SMALL), ...chunks, SMALL_DATA);
const promising = (width: number, height: number): Buffer => png(head({ width, height }), SMALL_DATA);
const frame = (sequence: number, width: number, height: number): Buffer =>
  chunk('fcTL', u32(sequence, width, height, 0, 0), u16(1, 1000), u8(0, 0));

export const PNG: readonly HostileFile[] = [
  file('size', 'square-of-65535', 'says 65,535 pixels on a side', () => promising(65_535, 65_535), REFUSED),
  file('size', 'square-of-2-31', 'says 2^31-1 pixels on a side', () => promising(2 ** 31 - 1, 2 ** 31 - 1), REFUSED),
  file('size', 'square-of-2-32', 'says 2^32-1 pixels on a side', () => promising(2 ** 32 - 1, 2 ** 32 - 1), REFUSED),
  file('size', 'one-row-of-2-31', '2^31-1 pixels in one row', () => promising(2 ** 31 - 1, 1), REFUSED),
  file('size', 'million-by-one', 'a million pixels in one row', () => promising(1_000_000, 1)),
  file('size', 'no-side', '0 by 0 pixels', () => promising(0, 0), REFUSED),
  file('size', 'just-within-the-limit', '10,000 by 10,000 pixels of 16 bits, 800 MB, in 800 KB', () =>
    blank(10_000, 8, { depth: 16 }),
  ),
  file('size', 'just-within-the-limit-interlaced', 'the same interlaced, which is held as a whole', () =>
    blank(10_000, 8, { depth: 16, interlaced: true }),
  ),
  file('size', 'just-beyond-the-limit', '10,001 by 10,001 pixels', () => blank(10_001, 1, { color: 0 }), REFUSED),
  file('size', 'palette-of-100-million', '100 million pixels of one bit with a palette, in 12 KB', () =>
    png(
      head({ width: 10_000, height: 10_000, depth: 1, color: 3 }),
      chunk('PLTE', u8(0, 0, 0, 9, 9, 9)),
      chunk('IDAT', deflatedZeros(10_000 * 1251)),
    ),
  ),
  file('size', 'more-data-than-pixels', 'a gigabyte behind four by four pixels', () =>
    png(head(SMALL), chunk('IDAT', deflatedZeros(1024 * MIB))),
  ),
  file('size', 'profile-of-a-gigabyte', 'an iCCP that unpacks to a gigabyte', () =>
    small(chunk('iCCP', 'icc\0\0', deflatedZeros(1024 * MIB))),
  ),
  file('size', 'text-of-a-gigabyte', 'a zTXt that unpacks to a gigabyte', () =>
    small(chunk('zTXt', 'Comment\0\0', deflatedZeros(1024 * MIB))),
  ),
  file('size', 'texts-of-seven-mebibytes', '190 zTXt that unpack to 7 MiB each', () =>
    small(repeated(chunk('zTXt', 'Comment\0\0', deflatedZeros(7 * MIB)), 190)),
  ),
  file('size', 'international-texts', '190 iTXt that unpack to 7 MiB each', () =>
    small(repeated(chunk('iTXt', 'Comment\0\x01\0\0\0', deflatedZeros(7 * MIB)), 190)),
  ),
  file('size', 'texts-behind-the-picture', '190 zTXt behind the picture', () =>
    png(head(SMALL), SMALL_DATA, repeated(chunk('zTXt', 'Comment\0\0', deflatedZeros(7 * MIB)), 190)),
  ),
  file('size', 'packed-twice', 'a zTXt that is a stream of zeros when unpacked', () =>
    small(chunk('zTXt', 'a\0\0', deflatedTwice(1024 * MIB))),
  ),
  file('count', 'chunks', '150,000 unknown chunks', () => small(repeated(chunk('abCd'), 150_000))),
  file('count', 'texts', '100,000 texts', () => small(repeated(chunk('tEXt', 'a\0b'), 100_000))),
  file('count', 'empty-data', '150,000 empty IDAT', () =>
    png(head(SMALL), repeated(chunk('IDAT'), 150_000), SMALL_DATA),
  ),
  file('count', 'data-of-one-byte', 'a picture in IDATs of one byte', () =>
    png(head({ width: 3000, height: 3000 }), splitUp(deflatedZeros(3000 * 12_001))),
  ),
  file('count', 'suggested-palettes', '600 sPLT of 1,000 colours', () =>
    small(many(200, (n) => chunk('sPLT', `p${n}\0`, u8(8), Buffer.alloc(6000)))),
  ),
  file('size', 'animation-of-100-million-pixels', 'APNG of a large canvas', () =>
    png(
      head({ width: 10_000, height: 10_000 }),
      chunk('acTL', u32(1000, 0)),
      frame(0, 10_000, 10_000),
      chunk('IDAT', deflatedZeros(MIB)),
    ),
  ),
  file('count', 'animation-of-30000-frames', 'APNG of 30,000 frames, 12,000 of which are there', () =>
    png(
      head(SMALL),
      chunk('acTL', u32(30_000, 0)),
      SMALL_DATA,
      many(12_000, (n) => join(frame(2 * n, 4, 4), chunk('fdAT', u32(2 * n + 1), SMALL_PIXELS))),
    ),
  ),
  file('lie', 'animation-of-2-32-frames', 'APNG that says to have 2^32 frames', () =>
    small(chunk('acTL', u32(0xffffffff, 0xffffffff))),
  ),
  file(
    'lie',
    'chunk-of-two-gigabytes',
    'a chunk that says to have 2 GiB',
    () => join(PNG_SIGNATURE, head(SMALL), u32(0x7fffffff), 'IDATx'),
    REFUSED,
  ),
  file(
    'lie',
    'chunk-beyond-2-31',
    'a chunk of a negative length',
    () => join(PNG_SIGNATURE, head(SMALL), u32(0xfffffffe), 'iCCPx', SMALL_DATA, END),
    REFUSED,
  ),
  file(
    'lie',
    'wrong-check-sums',
    'check sums that do not fit',
    () => {
      const bytes = small();
      bytes.writeUInt32BE(0x12345678, 8 + 8 + 13);
      return bytes;
    },
    REFUSED,
  ),
  file('lie', 'palette-too-short', 'pixels beyond the palette', () =>
    png(
      head({ width: 4, height: 4, color: 3 }),
      chunk('PLTE', u8(0, 0, 0)),
      chunk('tRNS', Buffer.alloc(256, 7)),
      chunk('IDAT', deflateSync(Buffer.alloc(20, 255))),
    ),
  ),
  file('lie', 'unknown-filter', 'rows with filters that do not exist', () =>
    png(head(SMALL), chunk('IDAT', deflateSync(Buffer.alloc(68, 9)))),
  ),
  file(
    'lie',
    'depth-and-colour-that-do-not-fit',
    'RGB of one bit',
    () => png(head({ ...SMALL, depth: 1, color: 2 }), SMALL_DATA),
    REFUSED,
  ),
  file('recursion', 'exif-in-a-circle', 'EXIF whose directories lead to each other', () =>
    small(chunk('eXIf', 'MM', u16(42), u32(8), u16(1), u16(0x8769, 4), u32(1, 8), u32(8))),
  ),
  file('truncated', 'no-data', 'a head and an end', () => png(head({ width: 9000, height: 9000 })), REFUSED),
  file(
    'truncated',
    'half-of-the-data',
    'a large picture that breaks off',
    () => {
      const bytes = blank(9000, 4);
      return bytes.subarray(0, bytes.length / 2);
    },
    REFUSED,
  ),
];
