import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const PICTURE = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=0.1', '-frames:v', '1'] as const;
const FILM = ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=1'] as const;
const TONE = ['-f', 'lavfi', '-i', 'sine=d=1:r=44100'] as const;
const BOTH = [...FILM, ...TONE, '-shortest'] as const;
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'] as const;

const ENCODED = {
  'base.png': PICTURE,
  'base.jpg': [...PICTURE, '-pix_fmt', 'yuvj420p'],
  'base.gif': [...FILM, '-frames:v', '3'],
  'base.webp': [...PICTURE, '-c:v', 'libwebp', '-quality', '60'],
  'base.avif': [...PICTURE, '-c:v', 'libaom-av1', '-cpu-used', '8', '-still-picture', '1'],
  'base.tiff': PICTURE,
  'base.mp4': [...BOTH, ...H264, '-c:a', 'aac'],
  'fragmented.mp4': [...BOTH, ...H264, '-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', '-g', '3'],
  'base.mov': [...BOTH, '-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-c:a', 'pcm_s16le'],
  'base.mkv': [...BOTH, ...H264, '-c:a', 'libopus'],
  'base.webm': [...BOTH, '-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-c:a', 'libopus'],
  'base.mp3': TONE,
  'base.wav': TONE,
  'base.ogg': [...TONE, '-c:a', 'libvorbis', '-serial_offset', '1'],
  'base.opus': [...TONE, '-c:a', 'libopus', '-serial_offset', '1'],
  'base.flac': TONE,
} as const;

const ENCODED_NAMES = Object.keys(ENCODED) as readonly (keyof typeof ENCODED)[];
export type BaseName = keyof typeof ENCODED | 'base.svg' | 'base.ttf';
export type Bases = Readonly<Record<BaseName, Buffer>>;

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 64 48">
<defs><linearGradient id="g"><stop offset="0" stop-color="#f00"/><stop offset="1" stop-color="#00f"/></linearGradient>
<filter id="f"><feGaussianBlur stdDeviation="2"/></filter><path id="p" d="M0 0L9 9H3z"/></defs>
<rect width="64" height="48" fill="url(#g)" filter="url(#f)"/><use xlink:href="#p" x="5" stroke="#fff" stroke-dasharray="2 1"/>
<text x="4" y="40" font-size="9">sound</text></svg>
`;
const FONT = fileURLToPath(
  import.meta.resolve('@expo-google-fonts/noto-sans-hebrew/400Regular/NotoSansHebrew_400Regular.ttf'),
);

const PRLIMIT = ['/usr/bin/prlimit', '--data=2147483648', '--cpu=60', '--core=0', '--'] as const;
/** One thread, no encoder version and no date, so that the bytes are always the same. */
const SAME_BYTES = ['-threads', '1', '-flags', '+bitexact', '-fflags', '+bitexact', '-map_metadata', '-1'] as const;

const encode = async (folder: string, name: keyof typeof ENCODED): Promise<Buffer> => {
  const program = process.env.FFMPEG_PATH ?? 'ffmpeg';
  const file = join(folder, name);
  const [prlimit, ...limits] = PRLIMIT;
  const args = ['-nostdin', '-v', 'error', '-filter_threads', '1', ...ENCODED[name], ...SAME_BYTES, '-y', file];
  await execa(prlimit, [...limits, program, ...args], { timeout: 60_000, killSignal: 'SIGKILL' });
  return await readFile(file);
};

/** Sound files for mutation, made by ffmpeg; the same ffmpeg gives the same bytes. Takes about a second. */
export const makeBases = async (): Promise<Bases> => {
  const folder = await mkdtemp(join(tmpdir(), 'hostile-bases-'));
  try {
    const made: [BaseName, Buffer][] = [];
    for (const name of ENCODED_NAMES) made.push([name, await encode(folder, name)]);
    made.push(['base.svg', Buffer.from(SVG)], ['base.ttf', await readFile(FONT)]);
    return Object.fromEntries(made) as Bases;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
