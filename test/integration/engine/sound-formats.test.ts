import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { mixSound } from '../../../engine/encode/sound-run.ts';
import { probe } from '../../../engine/media/probe.ts';
import { sampleDecode } from '../../../engine/media/sample-decode.ts';
import type { AudioClip } from '../../../engine/scene/sound-step.ts';
import { limitsOf } from '../../helpers/sandbox.ts';
import { RATE, soundStep } from '../../helpers/sound-steps.ts';
import { ffmpeg, folderOf, levelOf, samplesOf } from './_measuring.ts';

/** Sounds whose channels or sample rate change in mid-stream, as in broadcasts and joined files. */

const heard = async (
  t: ExecutionContext,
  folder: string,
  path: string,
  steps: readonly Partial<AudioClip>[],
  duration_s: number,
): Promise<Float32Array> => {
  const file = join(folder, 'sound.m4a');
  const options = {
    scene: {
      sound: steps.map((step) => soundStep({ asset: 'a', track: path.endsWith('.mkv') ? 1 : 0, ...step })),
      samples: duration_s * RATE,
      hashes: {},
    },
    ...{ file, folder, assets: new Map([['a', path]]), ffmpeg_path: process.env.FFMPEG_PATH ?? 'ffmpeg' },
  };
  const before = (await readdir(folder)).filter((name) => name !== 'sound.m4a');
  t.deepEqual(await mixSound(options, limitsOf()), E.right(undefined));
  t.deepEqual((await readdir(folder)).sort(), [...before, 'sound.m4a'].sort(), 'no other file is left');
  return await samplesOf(file);
};

/** Samples of each mix. One file plays them one after the other, `each_s` seconds each. */
const heardEach = async (
  t: ExecutionContext,
  folder: string,
  path: string,
  mixes: readonly (readonly Partial<AudioClip>[])[],
  each_s: number,
): Promise<readonly Float32Array[]> => {
  const steps = mixes.flatMap((mix, n) =>
    mix.map((step) => ({ ...step, starts_at_sample: (step.starts_at_sample ?? 0) + n * each_s * RATE })),
  );
  const samples = await heard(t, folder, path, steps, each_s * mixes.length);
  return mixes.map((_, n) => samples.subarray(2 * n * each_s * RATE, 2 * (n + 1) * each_s * RATE));
};

const strokesIn = (samples: Float32Array): readonly number[] => {
  const found: number[] = [];
  let quiet = 0;
  for (let n = 0; n < samples.length / 2; n += 1) {
    if (Math.abs(samples[2 * n] ?? 0) < 0.15) quiet += 1;
    else {
      if (quiet > 2400) found.push(n);
      quiet = 0;
    }
  }
  return found;
};

const joined = async (path: string, parts: readonly string[]): Promise<string> => {
  await writeFile(path, Buffer.concat(await Promise.all(parts.map((part) => readFile(part)))));
  return path;
};

const PIECE_S = 1;
/** Short tones, four a second, from both front speakers. */
const STROKES = '0.5*sin(2*PI*1000*t)*between(mod(t,0.25),0.1,0.15)';
const SPEAKERS: Readonly<Record<string, string>> = {
  mono: STROKES,
  stereo: `${STROKES}|${STROKES}`,
  '5.1': `${STROKES}|${STROKES}|0|0|0|0`,
};

const piecesOf = async (folder: string, extension: string, layouts: readonly string[]): Promise<string> => {
  const parts: string[] = [];
  for (const layout of layouts) {
    const part = join(folder, `${layout}.${extension}`);
    const source = `aevalsrc='${SPEAKERS[layout]}':d=${PIECE_S}:s=48000:c=${layout}`;
    const encoder = extension === 'ac3' ? ['-b:a', '448k'] : ['-b:a', '128k'];
    await ffmpeg('-f', 'lavfi', '-i', source, ...encoder, part);
    parts.push(part);
  }
  return await joined(join(folder, `${layouts.join('-')}.${extension}`), parts);
};

const inMatroska = async (sound: string): Promise<string> => {
  const path = `${sound}.mkv`;
  await ffmpeg(
    ...['-f', 'lavfi', '-i', 'color=gray:s=64x36:r=25:d=3', '-i', sound],
    ...['-c:v', 'libx264', '-c:a', 'copy', path],
  );
  return path;
};

const second = RATE;

/** The same sound in one format, and in three. */
const sources: Readonly<Record<string, (folder: string) => Promise<readonly [even: string, changing: string]>>> = {
  'AC-3 in Matroska': async (folder) => [
    await inMatroska(await piecesOf(folder, 'ac3', ['stereo', 'stereo', 'stereo'])),
    await inMatroska(await piecesOf(folder, 'ac3', ['stereo', '5.1', 'stereo'])),
  ],
  'AAC in ADTS': async (folder) => [
    await piecesOf(folder, 'aac', ['stereo', 'stereo', 'stereo']),
    await piecesOf(folder, 'aac', ['stereo', 'mono', 'stereo']),
  ],
};

for (const [name, make] of Object.entries(sources))
  test(`every stroke has its time if channels change in mid-stream: ${name}`, async (t) => {
    const folder = await folderOf(t);
    const [even, changing] = await make(folder);
    const cases: Readonly<Record<string, { strokes: number; steps: readonly Partial<AudioClip>[] }>> = {
      whole: { strokes: 12, steps: [{ samples: 3 * second }] },
      'after the change': { strokes: 6, steps: [{ trim_start_s: 1.52, samples: 3 * second }] },
      'after both': { strokes: 2, steps: [{ trim_start_s: 2.52, part_s: 0.5, samples: 3 * second }] },
      looped: {
        strokes: 12,
        steps: [{ trim_start_s: 0.75, part_s: 0.5, loop_samples: second / 2, samples: 3 * second }],
      },
      'twice as fast': { strokes: 12, steps: [{ speed: 2, samples: 1.5 * second }] },
      'two layers': {
        strokes: 6,
        steps: [
          { trim_start_s: 1.52, part_s: 1, samples: second },
          { trim_start_s: 0.52, part_s: 0.5, starts_at_sample: 1.5 * second },
        ],
      },
    };
    const all = Object.values(cases).map(({ steps }) => steps);
    const [wanted_of, found_of] = [
      await heardEach(t, folder, even, all, 3),
      await heardEach(t, folder, changing, all, 3),
    ];
    for (const [index, [what, { strokes, steps }]] of Object.entries(cases).entries()) {
      const wanted = strokesIn(wanted_of[index] ?? new Float32Array());
      const found = strokesIn(found_of[index] ?? new Float32Array());
      t.is(wanted.length, strokes, what);
      t.is(found.length, strokes, what);
      // At another speed, strokes are only approximately at their times.
      const most_ms = steps[0]?.speed === 2 ? 10 : 1;
      for (const [n, at] of found.entries()) {
        const apart_ms = Math.abs(at - (wanted[n] ?? 0)) / 48;
        t.true(apart_ms <= most_ms, `${what}: stroke ${n} is ${apart_ms} ms away`);
      }
    }
  });

test('an MP3 may change from 44.1 kHz stereo to 24 kHz mono in mid-stream', async (t) => {
  const folder = await folderOf(t);
  const bare = ['-c:a', 'libmp3lame', '-write_xing', '0', '-id3v2_version', '0'];
  const tone = (rate: number, hz: number) => `aevalsrc='0.2*sin(2*PI*${hz}*t)':d=2:s=${rate}`;
  const [first, next] = [join(folder, 'first.mp3'), join(folder, 'next.mp3')];
  await ffmpeg('-f', 'lavfi', '-i', `${tone(44_100, 400)},pan=stereo|c0=c0|c1=c0`, ...bare, first);
  await ffmpeg('-f', 'lavfi', '-i', tone(24_000, 800), ...bare, next);
  const path = await joined(join(folder, 'joined.mp3'), [first, next]);
  const level = 20 * Math.log10(0.2 / Math.SQRT2);
  const evenUntil = (samples: Float32Array, until_s: number, what: string) => {
    for (let at_s = 0.25; at_s < until_s - 0.2; at_s += 0.25) {
      const found = levelOf(samples, at_s, at_s + 0.25);
      // The second part starts with 47 ms of its encoder's silence and a frame of 24 ms that ffmpeg decodes at the
      // former rate.
      t.true(Math.abs(found - level) < 2, `${what}: ${found} dB at ${at_s} s`);
    }
    t.true(levelOf(samples, until_s + 0.2, 5) < -60, what);
  };
  const ends = [
    [0, 4, 'whole'],
    [1, 3, 'trimmed'],
    [3, 1, 'after the change'],
  ] as const;
  const mixes = ends.map(([trim_start_s]) => [{ trim_start_s, samples: 5 * second }]);
  for (const [index, samples] of (await heardEach(t, folder, path, mixes, 5)).entries()) {
    const [, until_s, what] = ends[index] ?? [0, 0, ''];
    evenUntil(samples, until_s, what);
  }
});

for (const [extension, layouts] of [
  ['ogg', ['stereo', 'stereo', 'stereo']],
  ['opus', ['stereo', 'mono', 'stereo']],
] as const)
  test(`every stroke has its time in chained Ogg streams with separate clocks: ${extension}`, async (t) => {
    const folder = await folderOf(t);
    const path = await piecesOf(folder, extension, layouts);
    const inspector = { inspect: async () => await Promise.reject(new Error('not asked for')) };
    const ffmpeg_path = process.env.FFMPEG_PATH ?? 'ffmpeg';
    const probes = { ffprobe_path: process.env.FFPROBE_PATH ?? 'ffprobe', inspector };
    const found = await probe({ id: 'a', kind: 'audio', path }, probes, limitsOf());
    if (E.isLeft(found) || found.right.kind !== 'audio') return t.fail(JSON.stringify(found));
    const { duration_s, starts_s, chained } = found.right;
    t.true(Math.abs(duration_s - 3 * PIECE_S) < 0.02, `${duration_s} s`);
    t.deepEqual([chained, starts_s], [true, 0]);
    t.deepEqual(
      await sampleDecode({ id: 'a', kind: 'audio', path }, found.right, ffmpeg_path, limitsOf()),
      E.right(undefined),
    );
    const trims = [0, 1.55];
    const mixes = trims.map((trim_start_s) => [{ trim_start_s, samples: 3 * second, chained: true } as const]);
    for (const [index, samples] of (await heardEach(t, folder, path, mixes, 3)).entries()) {
      const trim_start_s = trims[index];
      const strokes = strokesIn(samples);
      const first_s = trim_start_s === 0 ? 0.1 : 0.05;
      t.is(strokes.length, trim_start_s === 0 ? 12 : 6);
      for (const [n, at] of strokes.entries())
        t.true(Math.abs(at / RATE - first_s - n / 4) < 0.01, `stroke ${n} of ${trim_start_s}: ${at / RATE} s`);
    }
  });
