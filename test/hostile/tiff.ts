import { filesOf, type HostileFile, REFUSED } from './hostile-file.ts';
import { deflatedZeros } from './write/deflate.ts';
import { join, many, repeated, times, u8, u16, u16le, u32, u32le, u64le } from './write/numbers.ts';
import { changed, directory, type Entry, oneImage, picture, sizeOfDirectory, tiff } from './write/tiff-directory.ts';

const file = filesOf('tiff', 'image', '.tiff');
const SHORT = 3;
const LONG = 4;
const DEFLATE = 8;

const small = (...changes: readonly Entry[]): Buffer =>
  oneImage((at) => changed(picture(4, 4, at, 16), ...changes), Buffer.alloc(16));
const promising = (width: number, height: number, ...changes: readonly Entry[]): Buffer =>
  oneImage((at) => changed(picture(width, height, at, 16), ...changes), Buffer.alloc(16));

const deflated = (side: number, ...changes: readonly Entry[]): Buffer => {
  const data = deflatedZeros(side * side);
  return oneImage((at) => changed(picture(side, side, at, data.length, DEFLATE), ...changes), data);
};

/** A directory for each page, in sequence. The last one refers back to the page `back_to`. */
const pages = (count: number, back_to: number | null): Buffer => {
  const size = sizeOfDirectory(picture(0, 0, 0, 0));
  const at = (page: number): number => 8 + page * size;
  return tiff(
    many(count, (page) =>
      directory(picture(4, 4, 8, 16), page < count - 1 ? at(page + 1) : back_to === null ? 0 : at(back_to)),
    ),
    Buffer.alloc(16),
  );
};

export const TIFF: readonly HostileFile[] = [
  file('size', 'square-of-65535', 'says 65,535 pixels on a side', () => promising(65_535, 65_535), REFUSED),
  file('size', 'square-of-2-31', 'says 2^31 pixels on a side', () => promising(2 ** 31, 2 ** 31), REFUSED),
  file('size', 'row-of-2-32', 'one row of 2^32-1 pixels', () => promising(2 ** 32 - 1, 1), REFUSED),
  file('size', 'deflated-just-within-the-limit', '100 million pixels in one strip of 100 KB', () => deflated(10_000)),
  file('size', 'one-tile', '100 million pixels in one tile', () => {
    const data = deflatedZeros(10_000 * 10_000);
    return oneImage(
      (at) =>
        changed(
          picture(10_000, 10_000, at, data.length, DEFLATE).filter(
            ([tag]) => tag !== 273 && tag !== 278 && tag !== 279,
          ),
          [322, LONG, 1, 10_000],
          [323, LONG, 1, 10_000],
          [324, LONG, 1, at],
          [325, LONG, 1, data.length],
        ),
      data,
    );
  }),
  file('size', 'tile-of-2-31', 'four pixels in a tile of 2^31', () =>
    promising(4, 4, [322, LONG, 1, 2 ** 31 - 16], [323, LONG, 1, 2 ** 31 - 16], [324, LONG, 1, 8], [325, LONG, 1, 16]),
  ),
  file('size', 'tile-of-30000', 'four pixels in a tile of 30,000 on a side', () =>
    promising(4, 4, [322, LONG, 1, 30_000], [323, LONG, 1, 30_000], [324, LONG, 1, 8], [325, LONG, 1, 16]),
  ),
  file(
    'size',
    'samples',
    '65,535 samples for each pixel',
    () => promising(9000, 9000, [277, SHORT, 1, 65_535]),
    REFUSED,
  ),
  file('size', 'two-thousand-samples', '2,000 samples for each of 4 million pixels', () =>
    promising(2000, 2000, [277, SHORT, 1, 2000], [284, SHORT, 1, 2]),
  ),
  file('size', 'strip-of-2-32-rows', 'more rows in a strip than there are', () =>
    promising(9000, 9000, [278, LONG, 1, 0xffffffff]),
  ),
  file('size', 'packed-bits', 'PackBits of nothing', () =>
    oneImage((at) => picture(9900, 9900, at, 1_540_000, 32_773), repeated(u8(0x81, 0), 770_000)),
  ),
  file('size', 'lzw', 'LZW that resets its table endlessly', () =>
    oneImage((at) => picture(9900, 9900, at, 1_000_000, 5), repeated(u8(0x80), 1_000_000)),
  ),
  file('size', 'fax', 'CCITT rows of which each is empty', () =>
    oneImage((at) => changed(picture(9900, 9900, at, 100_000, 4), [258, SHORT, 1, 1]), Buffer.alloc(100_000, 255)),
  ),
  file('recursion', 'page-of-itself', 'a directory that is its own next one', () => pages(1, 0)),
  file('recursion', 'pages-in-a-circle', '50 directories, after the last the first again', () => pages(50, 0)),
  file('recursion', 'pages-that-lead-back', '6,000 directories, after the last one in the middle', () =>
    pages(6000, 3000),
  ),
  file('recursion', 'sub-directory-of-itself', 'sub-directories that are the directory', () =>
    small([330, LONG, 1, 8], [34_665, LONG, 1, 8], [34_853, LONG, 1, 8]),
  ),
  file('count', 'pages', '6,000 pages', () => pages(6000, null)),
  file('count', 'entries', 'a directory of 65,535 entries', () =>
    tiff(
      directory(
        times(65_535, (n) => [n + 1, SHORT, 1, 8] as const),
        0,
      ),
    ),
  ),
  file('count', 'entries-of-4-gb', 'a thousand values of 4 GB each', () =>
    small(...times(1000, (n) => [40_000 + n, 7, 0xffffffff, 8] as const)),
  ),
  file('lie', 'strips', '2^30 strips', () =>
    promising(4, 4, [278, LONG, 1, 1], [273, LONG, 2 ** 30, 8], [279, LONG, 2 ** 30, 8]),
  ),
  file('lie', 'strip-bytes', 'a strip of 4 GB', () => small([279, LONG, 1, 0xffffffff]), {}),
  file('lie', 'strip-beyond-the-end', 'a strip at 4 GB', () => small([273, LONG, 1, 0xfffffff0]), REFUSED),
  file('lie', 'next-beyond-the-end', 'a next directory at 4 GB', () =>
    tiff(directory(picture(4, 4, 8, 16), 0xfffffff0)),
  ),
  file('lie', 'bits', '255 bits for each sample', () => small([258, SHORT, 1, 255]), REFUSED),
  file('lie', 'compression', 'an unknown compression', () => small([259, SHORT, 1, 65_000]), REFUSED),
  file('lie', 'jpeg-tables', 'JPEG within TIFF, with tables of 4 GB', () =>
    small([259, SHORT, 1, 7], [347, 7, 0xffffffff, 8]),
  ),
  file('lie', 'old-jpeg', 'the first form of JPEG within TIFF', () =>
    small([259, SHORT, 1, 6], [513, LONG, 1, 0], [514, LONG, 1, 0xffffffff]),
  ),
  file('lie', 'profile-of-2-gb', 'a profile of 2 GB', () => small([34_675, 7, 0x7fffffff, 8])),
  file(
    'lie',
    'big-tiff',
    'BigTIFF of 2^64 entries',
    () => join('II', u16le(43, 8, 0), u64le(16n), u64le(2n ** 64n - 1n)),
    REFUSED,
  ),
  file(
    'lie',
    'big-tiff-values',
    'BigTIFF with a value of 2^62',
    () => join('II', u16le(43, 8, 0), u64le(16n), u64le(1n), u16le(273, 16), u64le(2n ** 62n), u64le(16n), u64le(16n)),
    REFUSED,
  ),
  file(
    'lie',
    'big-endian',
    'Motorola order with a directory at 4 GB',
    () => join('MM', u16(42), u32(0xfffffffe)),
    REFUSED,
  ),
  file('lie', 'resolution', 'a resolution of 0 by 0 and turned nine ways', () =>
    small([282, 5, 1, 8], [283, 5, 1, 8], [274, SHORT, 1, 9]),
  ),
  file(
    'truncated',
    'half',
    'the first half',
    ({ bases: { 'base.tiff': base } }) => base.subarray(0, base.length / 2),
    REFUSED,
  ),
  file('truncated', 'head-only', 'eight bytes', () => join('II', u16le(42), u32le(8)), REFUSED),
];
