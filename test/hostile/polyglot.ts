import { gzipSync } from 'node:zlib';
import { filesOf, type HostileFile, REFUSED } from './hostile-file.ts';
import { box } from './write/boxes.ts';
import { frame, screen } from './write/gif-blocks.ts';
import { START, segment } from './write/jpeg-segments.ts';
import { join, latin, patched, u16, u32 } from './write/numbers.ts';
import { riffChunk } from './write/riff.ts';

const image = filesOf('polyglot', 'image', '.png');
const AS = {
  jpeg: { ending: '.jpg' },
  gif: { ending: '.gif' },
  svg: { ending: '.svg' },
  webp: { ending: '.webp' },
  video: { kind: 'video', ending: '.mp4' },
  audio: { kind: 'audio', ending: '.mp3' },
  font: { kind: 'font', ending: '.ttf' },
} as const;

const svg = (inside: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" height="9">${inside}</svg>`;
const script = '<script>fetch("/v1/keys")</script>';
/** A ZIP with one empty file, which readers find from its end. */
const zip = Buffer.from(
  '504b03040a00000000000000000000000000000000000000000001000000612e504b01021e030a00000000000000000000000000000000000000000001000000000000000000000000000000000061504b050600000000010001002f0000001f0000000000',
  'hex',
);

export const POLYGLOT: readonly HostileFile[] = [
  image('polyglot', 'png-and-zip', 'a PNG, and behind it an archive', ({ bases: { 'base.png': base } }) =>
    join(base, zip),
  ),
  image('polyglot', 'png-and-mp4', 'a PNG, and behind it a film', ({ bases }) =>
    join(bases['base.png'], bases['base.mp4']),
  ),
  image('polyglot', 'png-and-html', 'a PNG, and behind it a page', ({ bases: { 'base.png': base } }) =>
    join(base, `<!doctype html>${script}`),
  ),
  image(
    'polyglot',
    'jpeg-and-script',
    'a JPEG whose comment is a page',
    ({ bases: { 'base.jpg': base } }) => join(START, segment(0xfe, `*/--><html>${script}<!--`), base.subarray(2)),
    AS.jpeg,
  ),
  image(
    'polyglot',
    'jpeg-and-svg',
    'a JPEG that holds an SVG early on',
    ({ bases: { 'base.jpg': base }, canary_file }) =>
      join(START, segment(0xfe, svg(`<image width="9" height="9" href="file://${canary_file}"/>`)), base.subarray(2)),
    AS.svg,
  ),
  image(
    'polyglot',
    'gif-and-script',
    'a GIF that is a script, too',
    () => join('GIF89a=1;/*', screen(9, 9).subarray(6), frame(9, 9), `*/;${script}`),
    { ...AS.gif, expects: 'either' },
  ),
  image('polyglot', 'gif-and-archive', 'GIFAR', ({ bases: { 'base.gif': base } }) => join(base, zip), AS.gif),
  image('polyglot', 'svg-and-html', 'an SVG that is a page', () => `<!doctype html>${svg(script)}`, {
    ...AS.svg,
    ...REFUSED,
  }),
  image('polyglot', 'svg-and-pdf', 'an SVG within a comment of a PDF', () => `%PDF-1.7\n${svg('')}`, {
    ...AS.svg,
    ...REFUSED,
  }),
  image(
    'polyglot',
    'svg-and-playlist',
    'a playlist within an SVG',
    ({ canary_file, canary_url }) => `#EXTM3U\n#EXTINF:1,\n${canary_url}x\n<!--${canary_file}-->${svg('')}`,
    { ...AS.svg, ...REFUSED, reaches: true },
  ),
  image(
    'polyglot',
    'svg-behind-a-playlist',
    'an SVG whose comment is a playlist, sent as a film',
    ({ canary_file, canary_url }) => `<!--\n#EXTM3U\n#EXTINF:1,\nfile://${canary_file}\n${canary_url}x\n-->${svg('')}`,
    { ...AS.video, ...REFUSED, reaches: true },
  ),
  image(
    'polyglot',
    'webp-and-wav',
    'RIFF that is both',
    ({ bases: { 'base.webp': base } }) =>
      join(base, riffChunk('fmt ', u16(1, 1), u32(8000, 16_000), u16(2, 16)), riffChunk('data', Buffer.alloc(99))),
    AS.webp,
  ),
  image(
    'polyglot',
    'wav-and-mp3',
    'WAV whose data are MP3',
    ({ bases }) => join(bases['base.wav'].subarray(0, 44), bases['base.mp3']),
    AS.audio,
  ),
  image(
    'polyglot',
    'mp3-and-zip',
    'MP3 with an archive in its tag',
    ({ bases: { 'base.mp3': base } }) =>
      join('ID3\x04\0\0\0\0\0\x7f', zip.subarray(0, 127), Buffer.alloc(127 - Math.min(127, zip.length)), base),
    AS.audio,
  ),
  image(
    'polyglot',
    'mp4-and-playlist',
    'a film whose first box is a playlist',
    ({ bases: { 'base.mp4': base }, canary_file, canary_url }) =>
      join(latin(`#EXTM3U\n#EXTINF:1,\nfile://${canary_file}\n${canary_url}x\n`), base),
    { ...AS.video, reaches: true },
  ),
  image(
    'polyglot',
    'mp4-and-webm',
    'a film of both',
    ({ bases }) => join(box('free', bases['base.webm']), bases['base.mp4']),
    AS.video,
  ),
  image(
    'polyglot',
    'webm-and-mp4',
    'a WebM, and behind it an MP4',
    ({ bases }) => join(bases['base.webm'], bases['base.mp4']),
    { ...AS.video, ending: '.webm' },
  ),
  image(
    'polyglot',
    'avif-and-mp4',
    'a picture that is a film, too',
    ({ bases }) => join(bases['base.avif'], bases['base.mp4'].subarray(32)),
    { ending: '.avif' },
  ),
  image(
    'polyglot',
    'mp4-of-an-avif',
    'a picture sent as a film',
    ({ bases: { 'base.avif': base } }) => patched(base, 8, latin('isom')),
    AS.video,
  ),
  image(
    'polyglot',
    'tiff-and-zip',
    'TIFF, and behind it an archive',
    ({ bases: { 'base.tiff': base } }) => join(base, zip),
    { ending: '.tiff' },
  ),
  image(
    'polyglot',
    'font-and-script',
    'a font, and behind it a page',
    ({ bases: { 'base.ttf': base } }) => join(base, `<!doctype html>${script}`),
    AS.font,
  ),
  image(
    'polyglot',
    'font-and-svg',
    'a font that begins like one and is an SVG',
    () => join(u32(0x10000), svg('')),
    AS.font,
  ),
  image(
    'polyglot',
    'gzip-and-png',
    'a PNG behind an empty archive',
    ({ bases: { 'base.png': base } }) => join(gzipSync(''), base),
    REFUSED,
  ),
  image(
    'polyglot',
    'ogg-and-flac',
    'Ogg, and behind it FLAC',
    ({ bases }) => join(bases['base.ogg'], bases['base.flac']),
    { ...AS.audio, ending: '.ogg' },
  ),
];
