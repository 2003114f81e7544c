import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32, deflateSync, gzipSync } from 'node:zlib';
import { ffmpeg } from '../engine/_measuring.ts';

export type Bait = {
  /** A named pipe without a writer: a reader that opens it blocks. */
  readonly file: string;
  readonly url: string;
};

export type Hostile = {
  readonly name: string;
  readonly kind: 'image' | 'video' | 'audio';
  readonly bytes: Buffer;
  readonly says: RegExp;
  /** The failure's code, if it differs from that of unreadable media. */
  readonly code?: string;
};

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
};

/** A PNG whose header declares a square of that side, with almost no data. */
const hugePng = (side: number): Buffer => {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 6], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc(1024))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

const made = async (folder: string, name: string, ...args: readonly string[]): Promise<Buffer> => {
  const file = join(folder, name);
  await ffmpeg(...args, file);
  return await readFile(file);
};

const PICTURES = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=30:d=4'] as const;
const TONE = ['-f', 'lavfi', '-i', 'sine=d=2'] as const;

/** A block that declares a petabyte. */
const ENDLESS_BLOCK = Buffer.from('1f43b67501ffffffffffffffe78100a301040000000000008100008000', 'hex');
const CLUSTER = Buffer.from('1f43b675', 'hex');

const svg = (inside: string): Buffer =>
  Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="80" height="80">
${inside}</svg>`);

/** Files with false types, each of which fails a render by name. */
export const hostileMedia = async (folder: string, { file, url }: Bait): Promise<readonly Hostile[]> => {
  const playlist = Buffer.from(
    `#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n${url}a.ts\n#EXTINF:2,\nfile://${file}\n#EXT-X-ENDLIST\n`,
  );
  const list = Buffer.from(`ffconcat version 1.0\nfile '${file}'\nfile '${url}b.mp4'\n`);
  const mp4 = await made(folder, 'whole.mp4', ...PICTURES, '-c:v', 'libx264', '-preset', 'ultrafast');
  const fast = await made(folder, 'fast.mp4', ...PICTURES, '-preset', 'ultrafast', '-movflags', '+faststart');
  const mp3 = await made(folder, 'tone.mp3', ...TONE);
  const webm = await made(folder, 'whole.webm', ...PICTURES, '-c:v', 'libvpx', '-deadline', 'realtime');
  const bomb = gzipSync(Buffer.concat([svg(''), Buffer.alloc(100 * 1024 ** 2, ' ')]));
  const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');
  return [
    { name: 'playlist.png', kind: 'image', bytes: playlist, says: /a playlist/ },
    { name: 'playlist.mp4', kind: 'video', bytes: playlist, says: /a playlist/ },
    { name: 'playlist.mp3', kind: 'audio', bytes: playlist, says: /a playlist/ },
    { name: 'list.mp4', kind: 'video', bytes: list, says: /a list of files/ },
    { name: 'list.png', kind: 'image', bytes: list, says: /a list of files/ },
    { name: '50000.png', kind: 'image', bytes: hugePng(50_000), says: /100 million pixels/ },
    { name: 'cut.mp4', kind: 'video', bytes: mp4.subarray(0, mp4.length / 2), says: /damaged or cut off/ },
    { name: 'cut-fast.mp4', kind: 'video', bytes: fast.subarray(0, fast.length / 2), says: /is cut off/ },
    { name: 'sound.mp4', kind: 'video', bytes: mp3, says: /has audio but no video/ },
    { name: 'silent.m4a', kind: 'audio', bytes: mp4, says: /has video but no audio/ },
    { name: 'empty.png', kind: 'image', bytes: Buffer.alloc(0), says: /is empty/ },
    { name: 'empty.mp4', kind: 'video', bytes: Buffer.alloc(0), says: /is empty/ },
    {
      name: 'endless.webm',
      kind: 'video',
      bytes: Buffer.concat([webm.subarray(0, webm.indexOf(CLUSTER)), ENDLESS_BLOCK]),
      says: /has no frame|cannot be|damaged/,
    },
    { name: 'bomb.svg', kind: 'image', bytes: bomb, says: /compressed \(gzip\)/ },
    { name: 'bomb-in-bomb.png', kind: 'image', bytes: gzipSync(bomb), says: /compressed \(gzip\)/ },
    {
      name: 'laughs.svg',
      kind: 'image',
      bytes: Buffer.from(`<!DOCTYPE svg [<!ENTITY l0 "ha">${laughs}]>${svg('<text y="40">&l9;</text>').toString()}`),
      says: /cannot be read: it is damaged or cut off/,
    },
    {
      name: 'unending.svg',
      kind: 'image',
      // A drawing without a size is rendered in order to measure it.
      bytes: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg"><text>${'aשع漢🙂'.repeat(80_000)}</text></svg>`),
      says: /crashes its decoder or exceeds its limits/,
      code: 'decoder_died',
    },
    { name: 'page.jpg', kind: 'image', bytes: Buffer.from('<!doctype html><title>Log in</title>'), says: /a web page/ },
    { name: 'picture.mp4', kind: 'video', bytes: hugePng(10), says: /a picture \(PNG\) and not a video/ },
    { name: 'film.png', kind: 'image', bytes: mp4, says: /a video \(MP4\) and not a picture/ },
    {
      name: 'phone.heic',
      kind: 'image',
      bytes: Buffer.concat([Buffer.from('000000186674797068656963', 'hex'), Buffer.alloc(200)]),
      says: /HEIC image: convert it to JPEG/,
    },
  ];
};

/** A green SVG whose references, if loaded, would cover it. */
export const referringSvg = ({ file, url }: Bait, picture: string): Buffer => {
  const everywhere = 'x="0" y="0" width="80" height="80"';
  const references = [file, `file://${file}`, picture, `file://${picture}`, `${url}c.png`, 'picture.png'];
  return svg(
    [
      `<?xml-stylesheet href="${url}d.css" type="text/css"?>`,
      `<style>@import url("${url}e.css"); @font-face { font-family: x; src: url("${url}f.ttf"); }</style>`,
      `<rect ${everywhere} fill="#00FF00"/>`,
      ...references.map((to) => `<image ${everywhere} href="${to}" xlink:href="${to}"/>`),
      ...references.map((to) => `<use ${everywhere} xlink:href="${to}#a"/>`),
      `<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="${file}" parse="text"/>`,
      `<foreignObject ${everywhere}><img xmlns="http://www.w3.org/1999/xhtml" src="${url}g.png"/></foreignObject>`,
    ].join('\n'),
  );
};
