import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { finalOf } from './_composition.ts';
import { ffmpeg, folderOf, framesOf, levelOf, pixelAt, samplesOf } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

const BLUE = ['-f', 'lavfi', '-i', 'color=c=blue:s=64x36:r=25:d=2'];
const RED = ['-f', 'lavfi', '-i', 'color=c=red:s=64x36:r=25:d=2'];
const tone = (hz: number) => ['-f', 'lavfi', '-i', `sine=${hz}:d=2:r=48000`];
const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];

/** Zero crossings per second of the left channel, between 0.5 s and 1.5 s. */
const hertz = (samples: Float32Array): number => {
  let count = 0;
  for (let n = 24_000; n < 72_000; n += 1) if ((samples[2 * n] ?? 0) <= 0 && (samples[2 * n + 2] ?? 0) > 0) count += 1;
  return count;
};

const filmOf = async (folder: string, path: string, layer: object = {}, kind: 'video' | 'audio' = 'video') => {
  const final = finalOf({ duration: 2, layers: [{ id: 'v', type: kind, asset: 'a', ...layer }] }, [{ id: 'a', kind }]);
  const { master } = await rendered(optionsOf(final, join(folder, 'out'), { a: path }));
  const samples = await samplesOf(master);
  const [red = 0, , blue = 0] = pixelAt((await framesOf(master, 320, 180))[30] ?? Buffer.alloc(0), 320, 160, 90);
  return {
    shows: red > 200 ? 'red' : blue > 200 ? 'blue' : 'black',
    tone: hertz(samples) > 1000 ? 'high' : 'low',
    hertz: hertz(samples),
    samples,
  };
};

/** Writes the flags of each track of an MP4 in file order: 3 is on, 2 is off. */
const withFlags = async (from: string, to: string, flags: readonly number[]): Promise<string> => {
  const bytes = await readFile(from);
  let at = -1;
  for (const flag of flags) {
    at = bytes.indexOf('tkhd', at + 1);
    bytes[at + 7] = flag;
  }
  await writeFile(to, bytes);
  return to;
};

test('the default track is used as in players, otherwise the first one', async (t) => {
  const folder = await folderOf(t);
  const two = join(folder, 'two.mkv');
  await ffmpeg(
    ...[...RED, ...BLUE, ...tone(300), ...tone(2000)],
    ...['-map', '0', '-map', '1', '-map', '2', '-map', '3', ...H264, '-c:a', 'aac'],
    ...['-disposition:v:0', '0', '-disposition:v:1', 'default', '-disposition:a:0', '0', '-disposition:a:1', 'default'],
    two,
  );
  t.like(await filmOf(folder, two), { shows: 'blue', tone: 'high' });
  t.like(await filmOf(folder, two, { trim_start: 1, loop: true }), { shows: 'blue', tone: 'high' });
  const none = join(folder, 'none.mkv');
  await ffmpeg('-i', two, '-map', '0', '-c', 'copy', '-disposition:v', '0', '-disposition:a', '0', none);
  t.like(await filmOf(folder, none), { shows: 'red', tone: 'low' });
});

test('a disabled MP4 track is ignored unless all tracks are disabled', async (t) => {
  const folder = await folderOf(t);
  const film = join(folder, 'film.mp4');
  await ffmpeg(
    ...[...BLUE, ...tone(300), ...tone(2000), '-map', '0', '-map', '1', '-map', '2', ...H264, '-c:a', 'aac', film],
  );
  const flagged = (name: string, ...flags: readonly number[]) => withFlags(film, join(folder, name), flags);
  t.is((await filmOf(folder, await flagged('second.mp4', 3, 2, 3))).tone, 'high');
  t.is((await filmOf(folder, await flagged('all-off.mp4', 2, 2, 2))).tone, 'low');
  const { shows, samples } = await filmOf(folder, await flagged('silent.mp4', 3, 2, 2));
  t.is(shows, 'blue');
  t.true(levelOf(samples, 0.5, 1.5) < -90);
  t.is((await filmOf(folder, await flagged('heard.mp4', 3, 2, 3), {}, 'audio')).tone, 'high');
});

const FORMS: readonly (readonly [string, readonly string[]])[] = [
  ['cam.avi', ['-c:v', 'mpeg4', '-c:a', 'mp3']],
  ['tv.ts', ['-c:v', 'mpeg2video', '-c:a', 'mp2']],
  ['cam.m2ts', [...H264, '-c:a', 'ac3']],
  ['phone.3gp', ['-c:v', 'h263', '-vf', 'scale=176x144', '-c:a', 'aac']],
  ['old.wmv', ['-c:v', 'wmv2', '-c:a', 'wmav2']],
];

test('videos of older cameras, phones and programs have their pictures and sound in time', async (t) => {
  const folder = await folderOf(t);
  for (const [name, options] of FORMS) {
    const path = join(folder, name);
    await ffmpeg(...BLUE, ...tone(300), ...options, path);
    const film = await filmOf(folder, path);
    t.is(film.shows, 'blue', name);
    t.true(Math.abs(film.hertz - 300) < 3, `${name}: ${film.hertz} Hz`);
    const trimmed = await filmOf(folder, path, { trim_start: 0.5 });
    t.true(Math.abs(trimmed.hertz - 300) < 3, `${name}, trimmed: ${trimmed.hertz} Hz`);
  }
});

test('sound files of other programs and the sound of videos are audible', async (t) => {
  const folder = await folderOf(t);
  for (const [name, ...options] of [
    ['a.wma', '-c:a', 'wmav2'],
    ['a.aiff', '-c:a', 'pcm_s16be'],
    ['a.caf', '-c:a', 'pcm_s16le'],
    ['a.mp4', '-c:a', 'aac'],
    ['a.weba', '-c:a', 'libopus', '-f', 'webm'],
  ] as const) {
    const path = join(folder, name);
    await ffmpeg(...tone(300), ...options, path);
    const { hertz: found } = await filmOf(folder, path, {}, 'audio');
    t.true(Math.abs(found - 300) < 3, `${name}: ${found} Hz`);
  }
});
