import { filesOf, type HostileFile, type Material, REFUSED } from './hostile-file.ts';
import { join, latin, many, times, u16le, u32le } from './write/numbers.ts';

const image = filesOf('disguise', 'image', '.png');
const VIDEO = { kind: 'video', ending: '.mp4' } as const;
const AUDIO = { kind: 'audio', ending: '.mp3' } as const;
const FONT = { kind: 'font', ending: '.ttf' } as const;
const KINDS = [
  ['image', {}],
  ['video', VIDEO],
  ['audio', AUDIO],
  ['font', FONT],
] as const;

const base =
  (name: keyof Material['bases']) =>
  ({ bases }: Material): Buffer =>
    bases[name];

const mat = join('MATLAB 5.0 MAT-file'.padEnd(124), u16le(0x0100), 'IM', u32le(14, 0xfffffff0));
const fits =
  'SIMPLE  =                    T'.padEnd(80) +
  'BITPIX  =                    8'.padEnd(80) +
  'NAXIS   =                    2'.padEnd(80) +
  'NAXIS1  =           2147483647'.padEnd(80) +
  'NAXIS2  =           2147483647'.padEnd(80) +
  'END'.padEnd(2480);

export const DISGUISE: readonly HostileFile[] = [
  ...KINDS.flatMap(([kind, as]) => [
    image('truncated', `empty-${kind}`, 'no byte at all', () => Buffer.alloc(0), { ...as, ...REFUSED }),
    image('truncated', `one-byte-${kind}`, 'one byte', () => Buffer.alloc(1), { ...as, ...REFUSED }),
    image('disguise', `zeros-${kind}`, 'a mebibyte of zeros', () => Buffer.alloc(2 ** 20), { ...as, ...REFUSED }),
    image(
      'disguise',
      `noise-${kind}`,
      '60,000 bytes of noise',
      () => Buffer.from(times(60_000, (n) => (n * n * 31 + (n >> 3) * 17 + 5) & 255)),
      { ...as, ...REFUSED },
    ),
    image(
      'disguise',
      `program-${kind}`,
      'a program of Linux',
      () => join(Buffer.from('7f454c46020101000000000000000000', 'hex'), u16le(2, 62), Buffer.alloc(300)),
      { ...as, ...REFUSED },
    ),
    image('disguise', `line-ends-${kind}`, 'a mebibyte of line ends', () => Buffer.alloc(2 ** 20, '\n'), {
      ...as,
      ...REFUSED,
    }),
  ]),
  image('disguise', 'film-as-a-picture', 'MP4 as PNG', base('base.mp4'), REFUSED),
  image('disguise', 'sound-as-a-picture', 'MP3 as PNG', base('base.mp3'), REFUSED),
  image('disguise', 'font-as-a-picture', 'TTF as PNG', base('base.ttf'), REFUSED),
  image('disguise', 'svg-as-a-picture', 'SVG as PNG', base('base.svg')),
  image('disguise', 'picture-as-a-film', 'PNG as MP4', base('base.png'), { ...VIDEO, ...REFUSED }),
  image('disguise', 'animation-as-a-film', 'GIF as MP4', base('base.gif'), { ...VIDEO, ...REFUSED }),
  image('disguise', 'svg-as-a-film', 'SVG as MP4', base('base.svg'), { ...VIDEO, ...REFUSED }),
  image('disguise', 'font-as-a-film', 'TTF as MP4', base('base.ttf'), { ...VIDEO, ...REFUSED }),
  image('disguise', 'sound-as-a-film', 'WAV as MP4', base('base.wav'), { ...VIDEO, ...REFUSED }),
  image('disguise', 'picture-as-sound', 'JPEG as MP3', base('base.jpg'), { ...AUDIO, ...REFUSED }),
  image('disguise', 'svg-as-sound', 'SVG as MP3', base('base.svg'), { ...AUDIO, ...REFUSED }),
  image('disguise', 'picture-as-a-font', 'PNG as TTF', base('base.png'), { ...FONT, ...REFUSED }),
  image('disguise', 'film-as-a-font', 'MP4 as TTF', base('base.mp4'), { ...FONT, ...REFUSED }),
  image('disguise', 'pixel-map', 'PPM of 2^31 pixels on a side', () => 'P6\n2147483647 2147483647\n65535\n', REFUSED),
  image('disguise', 'pixel-map-of-30000', 'PPM of 30,000 pixels on a side', () => 'P5 30000 30000 255\n', REFUSED),
  image('disguise', 'pixel-map-of-text', 'PPM in letters', () => `P1 10000 10000\n${'1 '.repeat(500_000)}`, REFUSED),
  image(
    'disguise',
    'radiance',
    'a picture of Radiance',
    () => '#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 2147483647 +X 2147483647\n',
    REFUSED,
  ),
  image('disguise', 'astronomy', 'FITS of 2^31 pixels on a side', () => fits, REFUSED),
  image('disguise', 'matlab', 'a matrix of MATLAB', () => mat, REFUSED),
  image(
    'disguise',
    'vips',
    'a picture of libvips, as it is in memory',
    () => join(Buffer.from('b6a6f208', 'hex'), u32le(60_000, 60_000, 3, 0, 0, 0), Buffer.alloc(40)),
    REFUSED,
  ),
  image(
    'disguise',
    'jpeg-2000',
    'JPEG 2000',
    () => join(Buffer.from('0000000c6a5020200d0a870a', 'hex'), Buffer.alloc(99)),
    REFUSED,
  ),
  image(
    'disguise',
    'bitmap',
    'BMP of 2^31 pixels on a side',
    () => join('BM', u32le(99, 0, 54, 40, 2 ** 31 - 1, 2 ** 31 - 1), u16le(1, 24), Buffer.alloc(40)),
    REFUSED,
  ),
  image(
    'disguise',
    'icon',
    'an icon of 65,535 pictures',
    () => join(u16le(0, 1, 65_535), Buffer.alloc(9000, 255)),
    REFUSED,
  ),
  image(
    'disguise',
    'photoshop',
    'PSD of 300,000 pixels on a side',
    () => join('8BPS', Buffer.from('000200000000000000380004930e0000493e000000080003', 'hex'), Buffer.alloc(60)),
    REFUSED,
  ),
  image(
    'disguise',
    'pdf',
    'PDF of an endless page',
    () =>
      '%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Kids[2 0 R]/Count 2147483647/MediaBox[0 0 1e30 1e30]>>endobj\ntrailer<</Root 1 0 R>>',
    REFUSED,
  ),
  image(
    'reach',
    'postscript',
    'PostScript that reads a file',
    ({ canary_file }) => `%!PS\n(${canary_file}) (r) file 1000 string readstring pop print\n{ } loop\n`,
    REFUSED,
  ),
  image(
    'reach',
    'magick-script',
    'a script of ImageMagick',
    ({ canary_file, canary_url }) =>
      `<?xml version="1.0"?><image><read filename="${canary_file}"/><read filename="${canary_url}x"/><write filename="${canary_file}.msl"/></image>`,
    REFUSED,
  ),
  image(
    'reach',
    'magick-drawing',
    'a drawing of ImageMagick',
    ({ canary_file, canary_url }) =>
      `push graphic-context\nviewbox 0 0 9 9\nimage over 0,0 0,0 '${canary_file}'\nfill 'url(${canary_url}x)'\npop graphic-context\n`,
    REFUSED,
  ),
  image(
    'reach',
    'deep-zoom',
    'a pyramid of pictures',
    ({ canary_url }) =>
      `<?xml version="1.0"?><Image TileSize="254" Format="jpg" Url="${canary_url}" xmlns="http://schemas.microsoft.com/deepzoom/2008"><Size Width="99999" Height="99999"/></Image>`,
    REFUSED,
  ),
  image(
    'disguise',
    'avi',
    'AVI of 2^32 frames',
    () =>
      join(
        'RIFF',
        u32le(0xfffffff0),
        'AVI LIST',
        u32le(192),
        'hdrlavih',
        u32le(56, 0, 0, 0, 0x10, 0xffffffff, 0, 0xffffffff, 0, 0xffff, 0xffff),
        Buffer.alloc(16),
      ),
    { ...VIDEO, ...REFUSED },
  ),
  image(
    'disguise',
    'transport-stream',
    'MPEG-TS of packets that lead to each other',
    () =>
      join(many(5000, (n) => join(Buffer.from([0x47, 0x40 | (n & 31), n & 255, 0x10]), Buffer.alloc(184, n & 255)))),
    { ...VIDEO, ending: '.ts' },
  ),
  image('disguise', 'aac', 'AAC of heads only', () => join(many(50_000, () => Buffer.from('fff1508000fffc', 'hex'))), {
    ...AUDIO,
    ending: '.aac',
  }),
  image(
    'disguise',
    'flash',
    'FLV of packets of 16 MiB',
    () =>
      join(
        'FLV\x01\x05\0\0\0\x09\0\0\0\0',
        many(50, () => latin('\x09\xff\xff\xff\0\0\0\0\0\0\0\x17')),
      ),
    { ...VIDEO, ...REFUSED },
  ),
  image(
    'disguise',
    'windows-media',
    'ASF of 2^64 bytes',
    () => join(Buffer.from('3026b2758e66cf11a6d900aa0062ce6c', 'hex'), Buffer.alloc(8, 255), Buffer.alloc(60, 255)),
    { ...VIDEO, ...REFUSED },
  ),
  image(
    'disguise',
    'midi',
    'MIDI and a module of a tracker',
    () => join('MThd\0\0\0\x06\0\x01\xff\xff\0\x01', 'MTrk\xff\xff\xff\xff'),
    { ...AUDIO, ...REFUSED },
  ),
  image(
    'disguise',
    'lottie',
    'an animation of JSON',
    () => `{"v":"5","fr":1e9,"ip":0,"op":1e30,"w":1e9,"h":1e9,"layers":[]}`,
    REFUSED,
  ),
];
