import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { finalOf } from './_composition.ts';
import { ffmpeg, folderOf, framesOf, pixelAt } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

/** Sources whose size or pixel format changes in mid-stream, as browsers do in calls. */

type Piece = { readonly size: string; readonly format?: string; readonly encoder: readonly string[] };

const FRAMES = 20;

/**
 * Pieces of 20 frames at 25 fps in sequence without a new header.
 * @param grey the level of all frames; by default frame n has the level 4n + 10
 */
const joined = async (
  folder: string,
  name: string,
  pieces: readonly Piece[],
  rotate = 0,
  grey?: string,
): Promise<string> => {
  const files: string[] = [];
  for (const [i, { size, format = 'yuv420p', encoder }] of pieces.entries()) {
    const file = join(folder, `${name}-${i}.mkv`);
    const level = grey ?? `4*(N+${i * FRAMES})+10`;
    // Scaled up from few pixels, because geq computes each pixel slowly.
    const source = `color=c=black:s=16x16:r=25,format=gbrp,geq=r='${level}':g='${level}':b='${level}'`;
    const toYuv = `scale=${size.replace('x', ':')}:flags=neighbor:out_color_matrix=bt709:out_range=tv,format=${format}`;
    await ffmpeg('-f', 'lavfi', '-i', source, '-vf', toYuv, '-frames:v', String(FRAMES), ...encoder, file);
    files.push(`file '${file}'`);
  }
  const list = join(folder, `${name}.txt`);
  await writeFile(list, files.join('\n'));
  const path = join(folder, name);
  await ffmpeg('-f', 'concat', '-safe', '0', '-i', list, '-c', 'copy', '-metadata:s:v', `rotate=${rotate}`, path);
  return path;
};

/**
 * Renders one layer of the clip per column, side by side. Returns for each column which frame of the clip each rendered
 * frame shows.
 */
const shown = async (
  folder: string,
  clip: string,
  columns: readonly object[],
  parts: object,
): Promise<readonly (readonly number[])[]> => {
  const width = 320 / columns.length;
  const layers = columns.map((layer, n) => ({
    ...{ id: `v${n}`, type: 'video', asset: 'clip', x: n * width, y: 0, width, height: 180, fit: 'fill' },
    ...layer,
  }));
  const final = finalOf({ fps: 25, ...parts, layers }, [{ id: 'clip', kind: 'video' }]);
  // Without loss, adjacent columns do not change each other's colours.
  const { master } = await rendered({ ...optionsOf(final, join(folder, 'out'), { clip }), lossless: true });
  const bands = await framesOf(master, 320, 16, [], 82);
  return columns.map((_, n) =>
    bands.map((band) => Math.round(((pixelAt(band, 320, (n + 0.5) * width, 8)[0] ?? 0) - 10) / 4)),
  );
};

const VP8 = ['-c:v', 'libvpx', '-b:v', '2M', '-g', '25', '-deadline', 'realtime', '-cpu-used', '8'];
const VP9 = ['-c:v', 'libvpx-vp9', '-lossless', '1', '-g', '25', '-cpu-used', '8'];
const SIZES = ['640x360', '320x180', '640x360'];
const upTo = (end: number) => Array.from({ length: end }, (_, n) => n);

/** An encoder that repeats the frame size at each key frame, even in an MP4. */
const H264 = ['-c:v', 'libx264', '-crf', '10', '-preset', 'ultrafast', '-x264-params', 'repeat-headers=1'];
const TURNED = SIZES.map((size) => ({ size, encoder: H264 }));

const CASES: readonly (readonly [string, readonly Piece[], number?])[] = [
  ['sizes.webm', SIZES.map((size) => ({ size, encoder: VP8 }))],
  ['depths.webm', ['yuv420p', 'yuv420p10le', 'yuv420p'].map((format) => ({ size: '320x180', format, encoder: VP9 }))],
  ['quarter-turn.mp4', TURNED, 90],
  ['half-turn.mp4', TURNED, 180],
];

for (const [name, pieces, rotate] of CASES)
  test(`every frame has its time if the format changes in mid-stream: ${name}`, async (t) => {
    const folder = await folderOf(t);
    const clip = await joined(folder, name, pieces, rotate);
    const frames = pieces.length * FRAMES;
    const trimmed = { trim_start: 0.4, trim_end: 2, duration: 1.6 };
    const looped = { trim_start: 0.4, trim_end: 1.2, loop: true, duration: 2 };
    const fast = { speed: 2, duration: 1.2 };
    const found = await shown(folder, clip, [{}, trimmed, looped, fast], { duration: frames / 25 });
    t.deepEqual(found[0], upTo(frames), 'whole');
    t.deepEqual(
      found[1]?.slice(0, 40),
      upTo(40).map((n) => n + 10),
      'trimmed',
    );
    t.deepEqual(
      found[2]?.slice(0, 50),
      upTo(50).map((n) => 10 + (n % 20)),
      'looped',
    );
    t.deepEqual(
      found[3]?.slice(0, 30),
      upTo(30).map((n) => 2 * n),
      'at double speed',
    );
  });

/** White pieces of 20 frames, fitted into a film that starts with 320x180; the white area of each piece. */
const TURNING: readonly (readonly [string, readonly Piece[], readonly (readonly [number, number])[]])[] = [
  [
    'wide-tall.webm',
    ['320x180', '180x320', '640x360', '352x288'].map((size) => ({ size, encoder: VP8 })),
    [
      [320, 180],
      [102, 180],
      [320, 180],
      [220, 180],
    ],
  ],
  [
    'tall-wide.mp4',
    ['180x320', '320x180'].map((size) => ({ size, encoder: H264 })),
    [
      [320, 180],
      [320, 56],
    ],
  ],
];

const whiteOf = (frame: Buffer | undefined): readonly [number, number] => {
  const isWhite = (x: number, y: number): boolean => (pixelAt(frame, 320, x, y)[0] ?? 0) > 128;
  return [upTo(320).filter((x) => isWhite(x, 90)).length, upTo(180).filter((y) => isWhite(160, y)).length];
};

for (const [name, pieces, white] of TURNING)
  test(`frames keep their aspect ratio if the rotation changes in mid-stream: ${name}`, async (t) => {
    const folder = await folderOf(t);
    const clip = await joined(folder, name, pieces, 0, '235');
    const layers = [{ id: 'v', type: 'video', asset: 'clip', width: 320, height: 180, fit: 'fill' }];
    const duration = (pieces.length * FRAMES) / 25;
    const final = finalOf({ fps: 25, duration, layers }, [{ id: 'clip', kind: 'video' }]);
    const { master } = await rendered(optionsOf(final, join(folder, 'out'), { clip }));
    const ends = white.flatMap((_, i) => [i * FRAMES, i * FRAMES + FRAMES - 1]);
    const frames = await framesOf(master, 320, 180, ends);
    for (const [i, [across, down]] of white.entries())
      for (const n of [2 * i, 2 * i + 1]) {
        const found = whiteOf(frames[n]);
        t.true(Math.abs(found[0] - across) <= 2 && Math.abs(found[1] - down) <= 2, `frame ${ends[n]}: ${found}`);
      }
  });
