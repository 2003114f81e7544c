import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { execa } from 'execa';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import type { FrameRate } from '../../../domain/composition/frame-rate.ts';
import { CRF, QUALITIES, type VideoCodec } from '../../../domain/composition/video-codecs.ts';
import { type EncodedPart, joinParts } from '../../../engine/encode/join-parts.ts';
import { extractPoster } from '../../../engine/encode/poster.ts';
import { verifyOutput } from '../../../engine/encode/verify-output.ts';
import { cases } from '../../helpers/runs.ts';
import { BOUNDS, limitsOf } from '../../helpers/sandbox.ts';
import { ffmpeg, folderOf } from './_measuring.ts';
import { partsOf } from './_parts.ts';

const CODECS = ['h264', 'h265', 'vp9', 'av1'] as const;
const FFMPEG = process.env.FFMPEG_PATH ?? 'ffmpeg';
const FFPROBE = process.env.FFPROBE_PATH ?? 'ffprobe';
const NTSC: FrameRate = { num: 30_000, den: 1001 };
const SIZE = { width: 128, height: 72 };
/** The frames of the film: its last part exceeds the maximum distance of key frames. */
const FRAMES = 124;
const source = ({ num, den }: FrameRate) => `testsrc2=s=128x72:r=${num}/${den},noise=alls=12:allf=t:all_seed=7`;

const probed = async (file: string, ...shown: readonly string[]) =>
  JSON.parse((await execa(FFPROBE, ['-v', 'error', '-of', 'json', ...shown, file])).stdout);

/** A folder whose path looks like an option or a protocol of ffmpeg. */
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
  parts: readonly EncodedPart[],
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

/** The frame hashes of each of these inputs, from a strict decoder. */
const decoded = async (...inputs: readonly (readonly string[])[]): Promise<readonly (readonly string[])[]> => {
  const strict = ['-v', 'error', '-xerror', '-filter_threads', '1'];
  const opened = inputs.flatMap((input) => ['-threads', '1', '-err_detect', 'explode', ...input]);
  const maps = inputs.flatMap((_, n) => ['-map', `${n}:v:0`]);
  const { stdout } = await execa(FFMPEG, [
    ...[...strict, ...opened, ...maps],
    ...['-fps_mode', 'passthrough', '-f', 'framemd5', '-'],
  ]);
  const lines = stdout.split('\n');
  const of = (n: number) => lines.filter((line) => line.startsWith(`${n},`));
  return inputs.map((_, n) => of(n).map((line) => line.split(',').at(-1)?.trim() ?? ''));
};

const headersOf = async (files: readonly string[]): Promise<readonly string[]> => {
  const maps = files.flatMap((_, n) => ['-map', `${n}:v:0`]);
  const inputs = files.flatMap((file) => ['-i', file]);
  const { stdout } = await execa(FFMPEG, ['-v', 'error', ...inputs, ...maps, '-c', 'copy', '-f', 'framecrc', '-']);
  return stdout.split('\n').flatMap((line) => /^#extradata \d+: *(.+)$/.exec(line)?.[1] ?? []);
};

const steps = async (file: string, { num, den }: FrameRate) => {
  const shown = 'packet=stream_index,pts,dts,flags';
  const { streams, packets } = await probed(file, '-show_streams', '-show_entries', shown);
  const timescale = Number(streams[0].time_base.split('/')[1]);
  const frame = (timescale * den) / num;
  const all: { stream_index: number; pts: number; dts: number; flags: string }[] = packets;
  const pictures = all.filter(({ stream_index }) => stream_index === 0);
  return {
    streams,
    numbers: pictures.map(({ pts }) => pts / frame).toSorted((a, b) => a - b),
    keys: pictures.filter(({ flags }) => flags.startsWith('K')).map(({ pts }) => pts / frame),
    late: pictures.filter(({ pts, dts }) => dts > pts).length,
  };
};

const count = (length: number): readonly number[] => Array.from({ length }, (_, n) => n);

for (const codec of CODECS)
  test(`${codec}: parts of several runs join into one exact film`, async (t) => {
    const folder = await oddFolder(t);
    const film = { codec, crf: CRF[codec].standard, ...SIZE, fps: NTSC };
    const runs = [
      [0, 17, 34, 51],
      [51, 52],
      [52, 59],
      [59, FRAMES],
    ];
    const parts = await partsOf(folder, film, source(NTSC), runs);
    t.deepEqual(
      parts.map(({ frames }) => frames),
      [17, 17, 17, 1, 7, FRAMES - 59],
    );
    const { file, samples } = await joined(t, folder, codec, NTSC, parts);

    const { streams, numbers, keys, late } = await steps(file, NTSC);
    const [video, audio] = streams;
    t.like(video, {
      ...SIZE,
      pix_fmt: 'yuv420p',
      start_pts: 0,
      nb_frames: String(FRAMES),
      avg_frame_rate: '30000/1001',
    });
    t.like(video, { color_space: 'bt709', color_primaries: 'bt709', color_transfer: 'bt709', color_range: 'tv' });
    const tags = { h264: 'avc1', h265: 'hvc1', vp9: 'vp09', av1: 'av01' };
    t.is(video.codec_tag_string, tags[codec]);
    t.like(audio, { codec_name: 'aac', start_pts: 0, duration_ts: samples });
    t.deepEqual(numbers, count(FRAMES));
    t.is(late, 0, 'no picture is decoded after its presentation time');
    for (const cut of [0, 17, 34, 51, 52, 59]) t.true(keys.includes(cut), `a key frame at the cut ${cut}`);
    for (const [index, key] of keys.entries())
      t.true((keys[index + 1] ?? FRAMES) - key <= 60, `a key frame within 2 s of ${key}`);
    const bytes = await readFile(file);
    t.true(bytes.indexOf('moov') < bytes.indexOf('mdat'), 'faststart');

    const paths = parts.map((part) => part.file);
    const [whole = [], ...apart] = await decoded(...[file, ...paths].map((path) => ['-i', path]));
    t.is(whole.length, FRAMES);
    t.deepEqual(whole, apart.flat(), 'the pictures are those of the parts');
    const headers = await headersOf(paths);
    t.is(headers.length, codec === 'vp9' ? 0 : parts.length, 'VP9 has no such box');
    t.true(new Set(headers).size <= 1, 'all parts have the same headers');

    const expected = { ...SIZE, codec, frames: FRAMES, fps: NTSC, samples };
    t.deepEqual(await verifyOutput(file, expected), E.right(undefined));
    for (const other of [
      { frames: FRAMES - 1 },
      { samples: samples + 1 },
      { width: SIZE.width + 2 },
      { fps: { num: 30, den: 1 } },
    ])
      t.true(E.isLeft(await verifyOutput(file, { ...expected, ...other })), JSON.stringify(other));

    const poster = join(folder, 'poster.jpg');
    const posed = { fps: NTSC, poster_frame: 57 };
    t.deepEqual(await extractPoster(posed, { master: file, poster }, FFMPEG, limitsOf(), BOUNDS), E.right(undefined));
    t.like(await sharp(poster).metadata(), { format: 'jpeg', ...SIZE });
  });

for (const codec of ['h264', 'h265', 'vp9'] as const)
  test(`${codec}: a lossless encoding has the exact frames of the source`, async (t) => {
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
    const drawn = `${source(NTSC)},trim=end_frame=30,format=yuv420p`;
    const [found, plain = []] = await decoded(['-i', file], ['-f', 'lavfi', '-i', drawn]);
    t.is(plain.length, 30);
    t.deepEqual(found, plain);
  });

const SIZES = [
  [2, 2],
  [34, 16],
  [62, 200],
] as const;
for (const size of cases(SIZES, ([width]) => width !== 34))
  test(`a film of ${size.join('x')} is encoded in every codec that allows this size`, async (t) => {
    const files: string[] = [];
    for (const codec of ['h264', 'vp9', 'av1'] as const) {
      const folder = await folderOf(t);
      const film = { codec, crf: 30, width: size[0], height: size[1], fps: NTSC };
      const small = `testsrc2=s=${size.join('x')}:r=30000/1001`;
      files.push((await joined(t, folder, codec, NTSC, await partsOf(folder, film, small, [[0, 5, 10]]))).file);
    }
    for (const frames of await decoded(...files.map((file) => ['-i', file]))) t.is(frames.length, 10);
  });

const RATES = [
  { num: 24_000, den: 1001 },
  { num: 29_971, den: 1000 },
  { num: 119_999, den: 1000 },
];
for (const fps of cases(RATES, ({ num }) => num === 29_971))
  test(`900 parts join without an accumulating error, at ${fps.num}/${fps.den}`, async (t) => {
    const folder = await folderOf(t);
    const film = { codec: 'h264', crf: 40, width: 64, height: 36, fps } as const;
    const parts = await partsOf(folder, film, `testsrc2=s=64x36:r=${fps.num}/${fps.den}`, [
      [0, 7],
      [7, 15],
    ]);
    const many = Array.from({ length: 450 }, () => parts).flat();
    const frames = 450 * 15;
    const { file } = await joined(t, folder, 'h264', fps, many, 48_000);
    const { numbers } = await steps(file, fps);
    t.deepEqual([numbers.length, numbers.findIndex((number, n) => number !== n)], [frames, -1]);
  });

const GRAINY = 'mandelbrot=s=320x180:r=30:end_scale=0.05,noise=alls=5:allf=t:all_seed=7,format=yuv420p';
const THIRTY: FrameRate = { num: 30, den: 1 };
const GRAINY_FRAMES = 180;
/** Frames at which the second of two runs starts and ends. A single run also has a key frame at this start. */
const RUNS = { h264: [60, 90], h265: [60, 90], vp9: [120, 180], av1: [60, 90] } as const;

let drawing: Promise<string> | null = null;
/** The grain as a file, because generating it takes longer than encoding it. */
const grain = (): Promise<string> => {
  drawing ??= mkdtemp(join(tmpdir(), 'grain-')).then(async (folder) => {
    const file = join(folder, 'grain.nut');
    const colours = ['-colorspace', 'bt709', '-color_range', 'tv'];
    await ffmpeg('-f', 'lavfi', '-i', GRAINY, '-frames:v', String(GRAINY_FRAMES), ...colours, '-c:v', 'rawvideo', file);
    return file;
  });
  return drawing;
};
test.after.always(async () => {
  if (drawing !== null) await rm(dirname(await drawing), { recursive: true });
});

const likeness = async (folder: string, ...films: readonly string[]): Promise<readonly (readonly number[])[]> => {
  const logs = films.map((_, n) => join(folder, `ssim-${n}.txt`));
  const graph = [
    `[0:v]settb=1/30,setpts=N,split=${films.length}${films.map((_, n) => `[a${n}]`).join('')}`,
    ...logs.map(
      (log, n) => `[${n + 1}:v]settb=1/30,setpts=N[b${n}];[a${n}][b${n}]ssim=stats_file=${log}:shortest=1[c${n}]`,
    ),
  ].join(';');
  const maps = films.flatMap((_, n) => ['-map', `[c${n}]`]);
  const inputs = [await grain(), ...films].flatMap((film) => ['-i', film]);
  await ffmpeg(...inputs, '-filter_complex', graph, ...maps, '-f', 'null', '-');
  const read = await Promise.all(logs.map(async (log) => (await readFile(log, 'utf8')).trim().split('\n')));
  return read.map((lines) => lines.map((line) => Number(/All:([0-9.]+)/.exec(line)?.[1])));
};

for (const codec of cases(CODECS, (one) => one !== 'vp9'))
  test(`${codec}: grain has the same quality in two runs as in one`, async (t) => {
    const folder = await folderOf(t);
    const film = { codec, crf: CRF[codec].standard, width: 320, height: 180, fps: THIRTY };
    const [cut_at, end] = RUNS[codec];
    const source = `movie=${await grain()},settb=1/30`;
    const parts = await partsOf(folder, film, source, [
      [0, cut_at],
      [cut_at, end],
    ]);
    const { file } = await joined(t, folder, codec, THIRTY, parts);
    let whole = join(folder, 'whole.mp4');
    const options = [
      '-c:v',
      'libx264',
      '-preset',
      'faster',
      '-crf',
      '21',
      '-profile:v',
      'high',
      '-g',
      '60',
      '-x264-params',
      'trellis=0',
    ];
    if (codec === 'h264') await ffmpeg('-i', await grain(), '-frames:v', String(end), ...options, whole);
    else whole = (await partsOf(await folderOf(t), film, source, [[0, end]]))[0]?.file ?? '';
    const [cut = [], one = []] = await likeness(folder, file, whole);
    t.deepEqual([cut.length, one.length], [end, end]);
    for (const [n, like] of cut.entries())
      t.true(like >= (one[n] ?? 1) - 0.005, `frame ${n}: ${like}, and ${one[n]} in one run`);
  });

for (const codec of cases(CODECS, (one) => one === 'h264' || one === 'av1'))
  test(`${codec}: slower encodings are closer to the source`, async (t) => {
    const folder = await folderOf(t);
    const source = `movie=${await grain()},settb=1/30`;
    const files: string[] = [];
    // Omits the VP9 draft, which uses the encoder's other mode and takes more bits.
    for (const quality of codec === 'vp9' ? (['standard', 'high'] as const) : QUALITIES) {
      const film = { codec, quality, crf: CRF[codec][quality], width: 320, height: 180, fps: THIRTY };
      files.push((await partsOf(await folderOf(t), film, source, [[0, 20]]))[0]?.file ?? '');
    }
    const like = (await likeness(folder, ...files)).map((frames) => frames.reduce((sum, one) => sum + one, 0));
    t.deepEqual(
      like.toSorted((one, other) => one - other),
      like,
    );
  });
