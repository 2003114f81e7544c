import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import type { FrameRate } from '../../../domain/composition/frame-rate.ts';
import { CRF, type VideoCodec } from '../../../domain/composition/video-codecs.ts';
import { joinParts, type Part } from '../../../render-workers/engine/encode/join-parts.ts';
import { takePoster } from '../../../render-workers/engine/encode/poster.ts';
import { verifyOutput } from '../../../render-workers/engine/encode/verify-output.ts';
import { BOUNDS, limitsOf } from '../../helpers/sandbox.ts';
import { ffmpeg, folderOf } from './_measuring.ts';
import { partsOf } from './_parts.ts';

const CODECS = ['h264', 'h265', 'vp9', 'av1'] as const;
const FFMPEG = process.env.FFMPEG_PATH ?? 'ffmpeg';
const FFPROBE = process.env.FFPROBE_PATH ?? 'ffprobe';
const NTSC: FrameRate = { num: 30_000, den: 1001 };
const SIZE = { width: 160, height: 90 };
/** Grain that is the same whichever frames are taken of it. */
const source = ({ num, den }: FrameRate) => `testsrc2=s=160x90:r=${num}/${den},noise=alls=12:allf=t:all_seed=7`;

const probed = async (file: string, ...shown: readonly string[]) =>
  JSON.parse((await execa(FFPROBE, ['-v', 'error', '-of', 'json', ...shown, file])).stdout);

/** A folder whose path ffmpeg could take for something else. */
const oddFolder = async (t: ExecutionContext): Promise<string> => {
  const folder = join(await folderOf(t), `it's 100% "odd" %d`);
  await mkdir(folder);
  return folder;
};

const joined = async (
  t: ExecutionContext,
  folder: string,
  codec: VideoCodec,
  fps: FrameRate,
  parts: readonly Part[],
  most_samples = Number.POSITIVE_INFINITY,
): Promise<{ readonly file: string; readonly samples: number }> => {
  const frames = parts.reduce((sum, part) => sum + part.frames, 0);
  const samples = Math.min(most_samples, Math.round((frames * fps.den * 48_000) / fps.num));
  const sound = join(folder, 'sound.m4a');
  const tone = `sine=sample_rate=48000,atrim=end_sample=${samples}`;
  await ffmpeg('-f', 'lavfi', '-i', tone, '-ac', '2', '-c:a', 'aac', '-movie_timescale', '48000', sound);
  const file = join(folder, 'film.mp4');
  const join_ = { parts, sound, codec, fps, list: join(folder, 'parts.txt'), file };
  t.deepEqual(await joinParts(join_, FFMPEG, limitsOf(), BOUNDS), E.right(undefined));
  return { file, samples };
};

/** The hash of every frame, as a decoder shows them that takes nothing amiss. */
const decoded = async (file: string): Promise<readonly string[]> => {
  const strict = ['-v', 'error', '-xerror', '-err_detect', 'explode', '-i', file];
  const { stdout } = await execa(FFMPEG, [
    ...strict,
    '-map',
    '0:v:0',
    '-fps_mode',
    'passthrough',
    '-f',
    'framemd5',
    '-',
  ]);
  return stdout
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .map((line) => line.split(',').at(-1)?.trim() ?? '');
};

const steps = async (file: string, { num, den }: FrameRate) => {
  const { streams, packets } = await probed(
    file,
    ...['-select_streams', 'v:0', '-show_entries', 'stream=time_base:packet=pts,dts,flags'],
  );
  const timescale = Number(streams[0].time_base.split('/')[1]);
  const frame = (timescale * den) / num;
  const pictures: { pts: number; dts: number; flags: string }[] = packets;
  return {
    numbers: pictures.map(({ pts }) => pts / frame).toSorted((a, b) => a - b),
    keys: pictures.filter(({ flags }) => flags.startsWith('K')).map(({ pts }) => pts / frame),
    late: pictures.filter(({ pts, dts }) => dts > pts).length,
  };
};

const count = (length: number): readonly number[] => Array.from({ length }, (_, n) => n);

for (const codec of CODECS)
  test(`${codec}: parts of several runs become one film that is exact and plays to its end`, async (t) => {
    const folder = await oddFolder(t);
    const film = { codec, crf: CRF[codec].usual, ...SIZE, fps: NTSC };
    const runs = [
      [0, 29, 58, 87],
      [87, 88],
      [88, 95],
      [95, 200],
    ];
    const parts = await partsOf(folder, film, source(NTSC), runs);
    t.deepEqual(
      parts.map(({ frames }) => frames),
      [29, 29, 29, 1, 7, 105],
    );
    const { file, samples } = await joined(t, folder, codec, NTSC, parts);

    const [video, audio] = (await probed(file, '-show_streams')).streams;
    t.like(video, { ...SIZE, pix_fmt: 'yuv420p', start_pts: 0, nb_frames: '200', avg_frame_rate: '30000/1001' });
    t.like(video, { color_space: 'bt709', color_primaries: 'bt709', color_transfer: 'bt709', color_range: 'tv' });
    const tags = { h264: 'avc1', h265: 'hvc1', vp9: 'vp09', av1: 'av01' };
    t.is(video.codec_tag_string, tags[codec]);
    t.like(audio, { codec_name: 'aac', start_pts: 0, duration_ts: samples });
    const { numbers, keys, late } = await steps(file, NTSC);
    t.deepEqual(numbers, count(200));
    t.is(late, 0, 'no picture is decoded after it is to be seen');
    for (const cut of [0, 29, 58, 87, 88, 95]) t.true(keys.includes(cut), `a key frame at the cut ${cut}`);
    for (const [index, key] of keys.entries())
      t.true((keys[index + 1] ?? 200) - key <= 60, `a key frame within 2 s of ${key}`);
    const bytes = await readFile(file);
    t.true(bytes.indexOf('moov') < bytes.indexOf('mdat'), 'faststart');

    const hashes = await decoded(file);
    t.is(hashes.length, 200);
    const apart: string[] = [];
    const headers = new Set<string>();
    for (const part of parts) {
      apart.push(...(await decoded(part.file)));
      const shown = ['-select_streams', 'v:0', '-show_entries', 'stream=extradata_hash', '-show_data_hash', 'md5'];
      headers.add((await probed(part.file, ...shown)).streams[0].extradata_hash);
    }
    t.deepEqual(hashes, apart, 'the pictures are those of the parts');
    t.is(headers.size, 1, 'all parts have the same headers');

    const expected = { ...SIZE, codec, frames: 200, fps: NTSC, samples };
    t.deepEqual(await verifyOutput(file, expected), E.right(undefined));
    for (const other of [{ frames: 199 }, { samples: samples + 1 }, { width: 162 }, { fps: { num: 30, den: 1 } }])
      t.true(E.isLeft(await verifyOutput(file, { ...expected, ...other })), JSON.stringify(other));

    const poster = join(folder, 'poster.jpg');
    const posed = { fps: NTSC, poster_frame: 93 };
    t.deepEqual(await takePoster(posed, { master: file, poster }, FFMPEG, limitsOf(), BOUNDS), E.right(undefined));
    t.like((await probed(poster, '-show_streams')).streams[0], { codec_name: 'mjpeg', ...SIZE });
  });

for (const codec of ['h264', 'h265', 'vp9'] as const)
  test(`${codec}: encoded without loss, every frame is the source's`, async (t) => {
    const folder = await folderOf(t);
    const film = { codec, crf: 20, ...SIZE, fps: NTSC };
    const parts = await partsOf(
      folder,
      film,
      source(NTSC),
      [
        [0, 7, 14, 15],
        [15, 22, 30],
      ],
      { lossless: true },
    );
    const { file } = await joined(t, folder, codec, NTSC, parts);
    const plain = join(folder, 'plain.nut');
    const frames = ['-frames:v', '30', '-pix_fmt', 'yuv420p', '-c:v', 'rawvideo'];
    await ffmpeg('-f', 'lavfi', '-i', source(NTSC), ...frames, plain);
    t.deepEqual(await decoded(file), await decoded(plain));
  });

for (const size of [
  [2, 2],
  [34, 16],
  [62, 200],
] as const)
  test(`a film of ${size.join('x')} can be made in every codec that allows it`, async (t) => {
    for (const codec of ['h264', 'vp9', 'av1'] as const) {
      const folder = await folderOf(t);
      const film = { codec, crf: 30, width: size[0], height: size[1], fps: NTSC };
      const small = `testsrc2=s=${size.join('x')}:r=30000/1001`;
      const { file } = await joined(t, folder, codec, NTSC, await partsOf(folder, film, small, [[0, 5, 10]]));
      t.is((await decoded(file)).length, 10, codec);
    }
  });

for (const fps of [
  { num: 24_000, den: 1001 },
  { num: 29_971, den: 1000 },
  { num: 119_999, den: 1000 },
])
  test(`900 parts are joined without an error that adds up, at ${fps.num}/${fps.den}`, async (t) => {
    const folder = await folderOf(t);
    const film = { codec: 'h264', crf: 40, width: 64, height: 36, fps } as const;
    const parts = await partsOf(folder, film, `testsrc2=s=64x36:r=${fps.num}/${fps.den}`, [
      [0, 29],
      [29, 60],
    ]);
    const many = Array.from({ length: 450 }, () => parts).flat();
    const frames = 450 * 60;
    const { file } = await joined(t, folder, 'h264', fps, many, 48_000);
    const { numbers } = await steps(file, fps);
    t.deepEqual([numbers.length, numbers.findIndex((number, n) => number !== n)], [frames, -1]);
  });

const GRAINY = 'mandelbrot=s=320x180:r=30:end_scale=0.05,noise=alls=5:allf=t:all_seed=7';
const THIRTY: FrameRate = { num: 30, den: 1 };

/** How like the source each of the first frames is. */
const likeness = async (folder: string, file: string, frames: number): Promise<readonly number[]> => {
  const of_source = `${GRAINY},trim=end_frame=${frames},format=yuv420p,settb=1/30,setpts=N[a]`;
  const log = join(folder, 'ssim.txt');
  const graph = `${of_source};[0:v]settb=1/30,setpts=N[b];[a][b]ssim=stats_file=${log}`;
  await ffmpeg('-i', file, '-filter_complex', graph, '-f', 'null', '-');
  const lines = (await readFile(log, 'utf8')).trim().split('\n');
  return lines.map((line) => Number(/All:([0-9.]+)/.exec(line)?.[1]));
};

for (const codec of CODECS)
  test(`${codec}: grain is as good in a film of two runs as in one that was encoded in one go`, async (t) => {
    const folder = await folderOf(t);
    const film = { codec, crf: CRF[codec].usual, width: 320, height: 180, fps: THIRTY };
    const parts = await partsOf(folder, film, GRAINY, [
      [0, 120],
      [120, 180],
    ]);
    const cut = await likeness(folder, (await joined(t, folder, codec, THIRTY, parts)).file, 180);
    let whole = join(folder, 'whole.mp4');
    const options = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '20', '-profile:v', 'high', '-g', '60'];
    if (codec === 'h264')
      await ffmpeg('-f', 'lavfi', '-i', `${GRAINY},format=yuv420p`, '-frames:v', '180', ...options, whole);
    else whole = (await partsOf(await folderOf(t), film, GRAINY, [[0, 180]]))[0]?.file ?? '';
    const one = await likeness(folder, whole, 180);
    t.is(cut.length, 180);
    for (const [n, like] of cut.entries())
      t.true(like >= (one[n] ?? 1) - 0.005, `frame ${n}: ${like}, and ${one[n]} in one go`);
  });
