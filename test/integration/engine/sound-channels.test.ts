import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { probe } from '../../../engine/media/probe.ts';
import { sampleDecode } from '../../../engine/media/sample-decode.ts';
import { limitsOf } from '../../helpers/sandbox.ts';
import { finalOf } from './_composition.ts';
import { ffmpeg, folderOf, levelOf, samplesOf } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

/** Sounds with any number of channels and any layout: the import refuses them, or the film has them. */

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

const heard = async (t: ExecutionContext, folder: string, path: string, kind: Kind): Promise<readonly number[]> => {
  t.is(await importFault(path, kind), null, path);
  const final = finalOf({ fps: 10, duration: 1, layers: [{ id: 'a', type: kind, asset: 'a' }] }, [{ id: 'a', kind }]);
  const { master } = await rendered(optionsOf(final, join(folder, `out-${path.split('/').at(-1)}`), { a: path }));
  const samples = await samplesOf(master);
  return [levelOf(samples, 0.2, 0.8), levelOf(samples.subarray(1), 0.2, 0.8)];
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
  for (const channels of [1, 2, 3, 4, 5, 7, 9, 12, 16])
    near(
      t,
      await heard(t, folder, await plainWav(join(folder, `${channels}.wav`), channels), 'audio'),
      [0, 0],
      `${channels}`,
    );
  const second = -20 * Math.log10(4);
  near(t, await heard(t, folder, await plainWav(join(folder, 'one.wav'), 4, 1), 'audio'), [second, second], 'one of 4');
  for (const [channel, wanted] of [
    [0, [0, null]],
    [2, [-3, -3]],
    [5, [null, -3]],
  ] as const)
    near(
      t,
      await heard(t, folder, await plainWav(join(folder, `6-${channel}.wav`), 6, channel), 'audio'),
      wanted,
      '5.1',
    );
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
  for (const [layout, count, only, wanted] of [
    ['LFE', 1, null, [0, 0]],
    ['FL', 1, null, [0, 0]],
    ['FL+FC', 2, 1, [-3, -3]],
    ['TFL+TFR', 2, 0, [-3, null]],
    ['BL+BR', 2, 1, [null, -3]],
    ['FL+FR+TC', 3, 2, [-6, -6]],
    ['5.1', 6, 4, [-3, null]],
    ['7.1', 8, 7, [null, -3]],
  ] as const) {
    const path = await named(join(folder, `${layout}-${only}.wav`), layout, count, only, ...wav);
    near(t, await heard(t, folder, path, 'audio'), wanted, `${layout}, of channel ${only}`);
  }
});

test('surround sound plays on the side of its speaker, in any codec', async (t) => {
  const folder = await folderOf(t);
  const picture = ['-f', 'lavfi', '-i', 'color=gray:s=64x36:r=10:d=1'];
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
    const [left = 0, right = 0] = await heard(t, folder, path, 'video');
    t.true(Math.abs(right - LEVEL + 3) < 0.5 && left < right - 20, `${codec}: ${left} ${right}`);
  }
});

test('ambisonic sound plays whole on both sides', async (t) => {
  const folder = await folderOf(t);
  const opus = ['-c:a', 'libopus', '-b:a', '256k', '-mapping_family', '2'];
  for (const [name, layout, count, only, wanted] of [
    ['first', 'quad', 4, 0, [0, 0]],
    ['first-side', 'quad', 4, 1, [null, null]],
    ['pair', '5.1', 6, 4, [0, null]],
  ] as const) {
    const path = await named(join(folder, `${name}.webm`), layout, count, only, ...opus);
    const [left = 0, right = 0] = await heard(t, folder, path, 'audio');
    for (const [side, level] of [left, right].entries()) {
      const dB = wanted[side] ?? null;
      t.true(dB === null ? level < LEVEL - 25 : Math.abs(level - LEVEL - dB) < 0.6, `${name}: ${left} ${right}`);
    }
  }
});
