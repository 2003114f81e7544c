import { filesOf, type HostileFile, REFUSED } from './hostile-file.ts';
import {
  baseline,
  FINISH,
  type Frame,
  huffman,
  jpeg,
  progressive,
  QUANTISATION,
  START,
  scan,
  segment,
  TABLES,
} from './write/jpeg-segments.ts';
import { join, many, repeated, times, u8, u16, u32 } from './write/numbers.ts';

const file = filesOf('jpeg', 'image', '.jpg');

const SIDE = 10_000;
const LARGE: Frame = { width: SIDE, height: SIDE, components: 3 };

const BLOCKS_AT_ONCE = 32_766;
const NO_BLOCKS = u8(0x7f, 0xfe);
/**
 * Passes for each coefficient: the first one sends its highest bits, and each further pass one more bit. After the last
 * coefficient, the passes begin again.
 */
const BITS = 14;

/** Each pass goes through all blocks again; all blocks are empty. */
const scans = (count: number, of: Frame): Buffer => {
  const { width, height, components = 1 } = of;
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const empty = repeated(NO_BLOCKS, Math.ceil(blocks / BLOCKS_AT_ONCE));
  const pass = (n: number): Buffer => {
    const [coefficient, step] = [1 + (Math.floor(n / BITS) % 63), n % BITS];
    const low = BITS - 1 - step;
    return scan([1], coefficient, coefficient, step === 0 ? low : ((low + 1) << 4) | low, empty);
  };
  const all = times(components, (n) => n + 1);
  return jpeg(
    TABLES,
    progressive(of),
    scan(all, 0, 0, 0, Buffer.alloc(Math.ceil((blocks * components) / 8))),
    many(count, pass),
  );
};

const tiff = (...fields: readonly Buffer[]): Buffer => join('Exif\0\0MM', u16(42), u32(8), ...fields);
const small = (...segments: readonly Buffer[]): Buffer =>
  jpeg(...segments, TABLES, baseline({ width: 8, height: 8 }), scan([1], 0, 63, 0, u8(0)));

export const JPEG: readonly HostileFile[] = [
  file(
    'size',
    'square-of-65535',
    'says 65,535 pixels on a side',
    () => jpeg(TABLES, baseline({ width: 65_535, height: 65_535 }), scan([1], 0, 63, 0, u8(0))),
    REFUSED,
  ),
  file(
    'size',
    'square-of-65500',
    'the largest that libjpeg reads',
    () => jpeg(TABLES, progressive({ width: 65_500, height: 65_500, components: 3 }), scan([1], 0, 0, 0, u8(0))),
    REFUSED,
  ),
  file('size', 'no-height', 'a height that comes later', () =>
    jpeg(TABLES, baseline({ width: 8, height: 0 }), scan([1], 0, 63, 0, u8(0)), segment(0xdc, u16(8))),
  ),
  file('size', 'just-within-the-limit', '10,000 by 10,000 pixels of nothing', () =>
    jpeg(TABLES, baseline({ width: SIDE, height: SIDE }), scan([1], 0, 63, 0, Buffer.alloc(400_000))),
  ),
  file('size', 'progressive-just-within-the-limit', '100 million pixels whose coefficients are all held', () =>
    scans(1, LARGE),
  ),
  file('time', 'ninety-scans', '90 passes over 100 million pixels', () => scans(90, LARGE)),
  file('time', 'thousand-scans', '1,000 passes over 100 million pixels', () => scans(1000, LARGE)),
  file('time', 'thirty-thousand-scans', '30,000 passes over 4 million pixels', () =>
    scans(30_000, { width: 2000, height: 2000 }),
  ),
  file('time', 'ninety-scans-four-components', '90 passes, of which each component has 16 million pixels', () =>
    scans(90, { width: 5000, height: 5000, components: 4 }),
  ),
  file('size', 'four-by-four-sampling', 'components of 4 by 4 samples', () =>
    jpeg(TABLES, progressive({ ...LARGE, sampling: 0x44 }), scan([1, 2, 3], 0, 0, 0, u8(0))),
  ),
  file(
    'count',
    'components',
    '255 components',
    () => jpeg(TABLES, baseline({ width: 8, height: 8, components: 255 }), scan([1], 0, 63, 0, u8(0))),
    REFUSED,
  ),
  file('count', 'markers', '500,000 comments', () => small(repeated(segment(0xfe), 400_000))),
  file('count', 'fill-bytes', 'a mebibyte of fill bytes', () =>
    join(START, Buffer.alloc(2 ** 20, 255), small().subarray(2)),
  ),
  file('count', 'restart-markers', 'a million restart markers', () =>
    jpeg(
      TABLES,
      segment(0xdd, u16(1)),
      baseline({ width: 8000, height: 8000 }),
      scan([1], 0, 63, 0, times(125_000, (n) => `\0\xff${String.fromCharCode(0xd0 + (n % 8))}`).join('')),
    ),
  ),
  file('count', 'profile-in-255-parts', 'an ICC profile of 255 parts of 64 KiB, all the same one', () =>
    small(many(30, (n) => segment(0xe2, 'ICC_PROFILE\0', u8(n + 1, 255), Buffer.alloc(60_000)))),
  ),
  file('lie', 'profile-parts-out-of-order', 'parts 255 of 1 and 0 of 0', () =>
    small(
      segment(0xe2, 'ICC_PROFILE\0', u8(255, 1), Buffer.alloc(99)),
      segment(0xe2, 'ICC_PROFILE\0', u8(0, 0), Buffer.alloc(99)),
    ),
  ),
  file(
    'lie',
    'segment-too-long',
    'a segment that is longer than the file',
    () => join(START, u8(0xff, 0xe1), u16(0xffff), 'Exif'),
    REFUSED,
  ),
  file(
    'lie',
    'segment-of-length-0',
    'a segment shorter than its own length',
    () => join(START, u8(0xff, 0xe1), u16(0), TABLES, FINISH),
    REFUSED,
  ),
  file(
    'lie',
    'too-many-codes',
    'a Huffman table of more codes than there can be',
    () =>
      jpeg(
        QUANTISATION,
        segment(0xc4, u8(0), Buffer.alloc(16, 255), Buffer.alloc(255)),
        baseline({ width: 8, height: 8 }),
        scan([1], 0, 63, 0, u8(0)),
      ),
    REFUSED,
  ),
  file('lie', 'no-tables', 'a picture without tables', () =>
    jpeg(baseline({ width: 8, height: 8 }), scan([1], 0, 63, 0, u8(0))),
  ),
  file(
    'lie',
    'two-frames',
    'two frames of different sizes',
    () =>
      jpeg(
        TABLES,
        baseline({ width: 8, height: 8 }),
        baseline({ width: 9999, height: 9999 }),
        scan([1], 0, 63, 0, u8(0)),
      ),
    REFUSED,
  ),
  file('lie', 'end-of-2-15-blocks', 'codes that end more blocks than there are', () =>
    jpeg(
      QUANTISATION,
      huffman(0, [11], 4),
      huffman(0x10, [0xf0, 0xe0], 4),
      progressive({ width: 64, height: 64 }),
      scan([1], 0, 0, 13, Buffer.alloc(99, 0x11)),
      scan([1], 1, 63, 0x0d, Buffer.alloc(99, 0x1f)),
    ),
  ),
  file('recursion', 'exif-in-a-circle', 'directories of EXIF that lead to each other', () =>
    small(segment(0xe1, tiff(u16(2), u16(0x8769, 4), u32(1, 8), u16(0x8825, 4), u32(1, 8), u32(8)))),
  ),
  file('count', 'exif-entries', 'a directory of 65,535 entries, each of 4 GB', () =>
    small(segment(0xe1, tiff(u16(65_535), repeated(join(u16(0x9286, 7), u32(0xffffffff, 8)), 5000)))),
  ),
  file('size', 'exif-thumbnail', 'a thumbnail that is the file itself', () =>
    small(
      segment(0xe1, tiff(u16(0), u32(14), u16(2), u16(0x201, 4), u32(1, 0), u16(0x202, 4), u32(1, 0xffffffff), u32(0))),
    ),
  ),
  file('count', 'pictures-in-a-row', '10,000 pictures after each other', () => repeated(small(), 8000)),
  file('size', 'gain-map', 'a gain map of itself, as ultra HDR has it', ({ bases }) =>
    join(
      bases['base.jpg'].subarray(0, 2),
      segment(
        0xe1,
        'http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0" hdrgm:GainMapMax="1e38"/></rdf:RDF></x:xmpmeta>',
      ),
      bases['base.jpg'].subarray(2),
      bases['base.jpg'],
    ),
  ),
  file(
    'truncated',
    'half',
    'the first half',
    ({ bases: { 'base.jpg': base } }) => base.subarray(0, base.length / 2),
    REFUSED,
  ),
  file('truncated', 'start-only', 'two bytes', () => START, REFUSED),
];
