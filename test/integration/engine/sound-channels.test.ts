import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { probeMedia } from '../../../engine/media/cached-media.ts';
import { probe } from '../../../engine/media/probe.ts';
import { sampleDecode } from '../../../engine/media/sample-decode.ts';
import { limitsOf } from '../../helpers/sandbox.ts';
import { finalOf } from './_composition.ts';
import { ffmpeg, folderOf, levelOf, samplesOf } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

/**
 * Sounds with any number of channels and any layout. Either the import refuses a sound, or it is audible in the film.
 */

type Kind = 'audio' | 'video';

const FFMPEG = process.env.FFMPEG_PATH ?? 'ffmpeg';
const inspector = { inspect: async () => await Promise.reject(new Error('not asked for')) };
const probes = { ffprobe_path: process.env.FFPROBE_PATH ?? 'ffprobe', inspector };

/** The fault that the import reports for a file, or null. */
const importFault = async (path: string, kind: Kind): Promise<string | null> => {
  const media = { id: 'a', kind, path };
  const properties = await probe(media, probes, limitsOf());
  const found = E.isLeft(properties) ? properties : await sampleDecode(media, properties.right, FFMPEG, limitsOf());
  if (E.isRight(found)) return null;
  return 'message' in found.left ? found.left.message : found.left.tag;
};

/** Levels of the left and right side, in dB, of each file in a film that plays them one after the other. */
const heard = async (
  t: ExecutionContext,
  folder: string,
  paths: readonly string[],
  kind: Kind,
): Promise<readonly (readonly number[])[]> => {
  const layers = paths.map((_, n) => ({ id: `l${n}`, type: kind, asset: `a${n}`, start: n, duration: 1 }));
  const assets = paths.map((_, n) => ({ id: `a${n}`, kind }));
  const final = finalOf({ fps: 10, duration: paths.length, layers }, assets);
  const files = Object.fromEntries(paths.map((path, n) => [`a${n}`, path]));
  const options = optionsOf(final, join(folder, 'out'), files);
  // Probes and samples each file as the import does. The render then uses the cached properties.
  const media = await probeMedia(options.final, options.assets, probes, { cores: 1 }, limitsOf());
  if (E.isLeft(media)) throw new Error(JSON.stringify(media.left));
  for (const [id, properties] of media.right) {
    const decoded = await sampleDecode({ id, kind, path: files[id] ?? '' }, properties, FFMPEG, limitsOf());
    t.deepEqual(decoded, E.right(undefined), files[id]);
  }
  const { master } = await rendered(options);
  const samples = await samplesOf(master);
  return paths.map((_, n) => [levelOf(samples, n + 0.2, n + 0.8), levelOf(samples.subarray(1), n + 0.2, n + 0.8)]);
};

const LEVEL = 20 * Math.log10(0.1 / Math.SQRT2);
const TONE = '0.1*sin(2*PI*440*t)';

const near = (
  t: ExecutionContext,
  found: readonly number[],
  wanted: readonly (number | null)[],
  what: string,
): void => {
  for (const [side, level] of found.entries()) {
    const most = wanted[side] ?? null;
    const is_near = most === null ? level < -80 : Math.abs(level - LEVEL - most) < 0.3;
    t.true(is_near, `${what}: ${found.map((one) => (one - LEVEL).toFixed(2))}, not ${wanted}`);
  }
};

const plainWav = async (path: string, channels: number, only: number | null = null): Promise<string> => {
  const [rate, seconds] = [48_000, 1];
  const data = Buffer.alloc(rate * seconds * channels * 2);
  for (let n = 0; n < rate * seconds; n += 1)
    for (let channel = 0; channel < channels; channel += 1) {
      const value = only === null || only === channel ? 3277 * Math.sin((2 * Math.PI * 440 * n) / rate) : 0;
      data.writeInt16LE(Math.round(value), 2 * (n * channels + channel));
    }
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * channels * 2, 28);
  head.writeUInt16LE(channels * 2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  await writeFile(path, Buffer.concat([head, data]));
  return path;
};

const named = async (
  path: string,
  layout: string,
  count: number,
  only: number | null,
  ...encoder: readonly string[]
) => {
  const channels = Array.from({ length: count }, (_, channel) => (only === null || only === channel ? TONE : '0'));
  await ffmpeg('-f', 'lavfi', '-i', `aevalsrc='${channels.join('|')}':d=1:s=48000:c=${layout}`, ...encoder, path);
  return path;
};

test('channels without a layout play on both sides at their joint loudness', async (t) => {
  const folder = await folderOf(t);
  const second = -20 * Math.log10(4);
  const alone: readonly (readonly [string, number, number | null, readonly (number | null)[]])[] = [
    ...[1, 2, 3, 4, 5, 7, 9, 12, 16].map((channels) => [`${channels}`, channels, null, [0, 0]] as const),
    ['one of 4', 4, 1, [second, second]],
    ['5.1, of channel 0', 6, 0, [0, null]],
    ['5.1, of channel 2', 6, 2, [-3, -3]],
    ['5.1, of channel 5', 6, 5, [null, -3]],
  ];
  const paths: string[] = [];
  for (const [name, channels, only] of alone) paths.push(await plainWav(join(folder, `${name}.wav`), channels, only));
  for (const [n, levels] of (await heard(t, folder, paths, 'audio')).entries())
    near(t, levels, alone[n]?.[3] ?? [], alone[n]?.[0] ?? '');
});

test('more channels without a layout are refused with their number and advice', async (t) => {
  const folder = await folderOf(t);
  for (const channels of [17, 24, 60, 64]) {
    const path = await plainWav(join(folder, `${channels}.wav`), channels);
    t.is(
      await importFault(path, 'audio'),
      `the audio "a" has ${channels} channels without a layout: mix it down to one or two channels (at most 16 are supported)`,
    );
  }
});

test('channel layouts beyond the usual speakers are audible', async (t) => {
  const folder = await folderOf(t);
  const wav = ['-c:a', 'pcm_s16le'];
  const layouts = [
    ['LFE', 1, null, [0, 0]],
    ['FL', 1, null, [0, 0]],
    ['FL+FC', 2, 1, [-3, -3]],
    ['TFL+TFR', 2, 0, [-3, null]],
    ['BL+BR', 2, 1, [null, -3]],
    ['FL+FR+TC', 3, 2, [-6, -6]],
    ['5.1', 6, 4, [-3, null]],
    ['7.1', 8, 7, [null, -3]],
  ] as const;
  const paths: string[] = [];
  for (const [layout, count, only] of layouts)
    paths.push(await named(join(folder, `${layout}-${only}.wav`), layout, count, only, ...wav));
  const found = await heard(t, folder, paths, 'audio');
  for (const [n, [layout, , only, wanted]] of layouts.entries())
    near(t, found[n] ?? [], wanted, `${layout}, of channel ${only}`);
});

test('surround sound plays on the side of its speaker, in any codec', async (t) => {
  const folder = await folderOf(t);
  const picture = ['-f', 'lavfi', '-i', 'color=gray:s=64x36:r=10:d=1'];
  const paths: string[] = [];
  for (const [codec, layout, count] of [
    ['ac3', '5.1', 6],
    ['eac3', '5.1', 6],
    ['dca', '5.1(side)', 6],
    ['aac', '7.1', 8],
    ['flac', '7.1', 8],
    ['libopus', '7.1', 8],
  ] as const) {
    const path = join(folder, `${codec}.mkv`);
    const channels = Array.from({ length: count }, (_, channel) => (channel === count - 1 ? TONE : '0'));
    const source = `aevalsrc='${channels.join('|')}':d=1:s=48000:c=${layout}`;
    await ffmpeg(...picture, '-f', 'lavfi', '-i', source, '-c:v', 'libx264', '-strict', '-2', '-c:a', codec, path);
    paths.push(path);
  }
  for (const [n, [left = 0, right = 0]] of (await heard(t, folder, paths, 'video')).entries())
    t.true(Math.abs(right - LEVEL + 3) < 0.5 && left < right - 20, `${paths[n]}: ${left} ${right}`);
});

test('ambisonic sound plays whole on both sides', async (t) => {
  const folder = await folderOf(t);
  const opus = ['-c:a', 'libopus', '-b:a', '256k', '-mapping_family', '2'];
  const tracks = [
    ['first', 'quad', 4, 0, [0, 0]],
    ['first-side', 'quad', 4, 1, [null, null]],
    ['pair', '5.1', 6, 4, [0, null]],
  ] as const;
  const paths: string[] = [];
  for (const [name, layout, count, only] of tracks)
    paths.push(await named(join(folder, `${name}.webm`), layout, count, only, ...opus));
  const found = await heard(t, folder, paths, 'audio');
  for (const [n, [name, , , , wanted]] of tracks.entries()) {
    const [left = 0, right = 0] = found[n] ?? [];
    for (const [side, level] of [left, right].entries()) {
      const dB = wanted[side] ?? null;
      t.true(dB === null ? level < LEVEL - 25 : Math.abs(level - LEVEL - dB) < 0.6, `${name}: ${left} ${right}`);
    }
  }
});
