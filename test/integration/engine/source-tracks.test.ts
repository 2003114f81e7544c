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

type Shot = { readonly path: string; readonly layer?: object; readonly kind?: 'video' | 'audio' };

const SHOT_S = 2;
const FPS = 10;

/** Colour and sound of each file in one film that plays them one after the other, two seconds each. */
const filmOf = async (folder: string, shots: readonly Shot[]) => {
  const layers = shots.map(({ layer, kind = 'video' }, n) => ({
    ...{ id: `v${n}`, type: kind, asset: `a${n}`, start: n * SHOT_S, duration: SHOT_S },
    ...layer,
  }));
  const assets = shots.map(({ kind = 'video' }, n) => ({ id: `a${n}`, kind }));
  const final = finalOf({ fps: FPS, duration: SHOT_S * shots.length, layers }, assets);
  const files = Object.fromEntries(shots.map(({ path }, n) => [`a${n}`, path]));
  const { master } = await rendered(optionsOf(final, join(folder, 'out'), files));
  const all = await samplesOf(master);
  const middles = shots.map((_, n) => (n + 0.5) * SHOT_S * FPS);
  const frames = await framesOf(master, 320, 180, middles);
  return shots.map((_, n) => {
    const samples = all.subarray(n * SHOT_S * 96_000, (n + 1) * SHOT_S * 96_000);
    const [red = 0, , blue = 0] = pixelAt(frames[n], 320, 160, 90);
    return {
      shows: red > 200 ? 'red' : blue > 200 ? 'blue' : 'black',
      tone: hertz(samples) > 1000 ? 'high' : 'low',
      hertz: hertz(samples),
      samples,
    };
  });
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
  const none = join(folder, 'none.mkv');
  await ffmpeg('-i', two, '-map', '0', '-c', 'copy', '-disposition:v', '0', '-disposition:a', '0', none);
  const loop = { trim_start: 1, loop: true };
  const [once, again, first] = await filmOf(folder, [{ path: two }, { path: two, layer: loop }, { path: none }]);
  t.like(once, { shows: 'blue', tone: 'high' });
  t.like(again, { shows: 'blue', tone: 'high' });
  t.like(first, { shows: 'red', tone: 'low' });
});

test('a disabled MP4 track is ignored unless all tracks are disabled', async (t) => {
  const folder = await folderOf(t);
  const film = join(folder, 'film.mp4');
  await ffmpeg(
    ...[...BLUE, ...tone(300), ...tone(2000), '-map', '0', '-map', '1', '-map', '2', ...H264, '-c:a', 'aac', film],
  );
  const flagged = (name: string, ...flags: readonly number[]) => withFlags(film, join(folder, name), flags);
  const [second, all_off, silent, heard] = await filmOf(folder, [
    { path: await flagged('second.mp4', 3, 2, 3) },
    { path: await flagged('all-off.mp4', 2, 2, 2) },
    { path: await flagged('silent.mp4', 3, 2, 2) },
    { path: await flagged('heard.mp4', 3, 2, 3), kind: 'audio' },
  ]);
  t.is(second?.tone, 'high');
  t.is(all_off?.tone, 'low');
  t.is(silent?.shows, 'blue');
  t.true(levelOf(silent?.samples ?? new Float32Array(), 0.5, 1.5) < -90);
  t.is(heard?.tone, 'high');
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
  const shots: Shot[] = [];
  for (const [name, options] of FORMS) {
    const path = join(folder, name);
    await ffmpeg(...BLUE, ...tone(300), ...options, path);
    shots.push({ path }, { path, layer: { trim_start: 0.5 } });
  }
  const films = await filmOf(folder, shots);
  for (const [index, [name]] of FORMS.entries()) {
    const [film, trimmed] = films.slice(2 * index, 2 * index + 2);
    t.is(film?.shows, 'blue', name);
    t.true(Math.abs((film?.hertz ?? 0) - 300) < 3, `${name}: ${film?.hertz} Hz`);
    t.true(Math.abs((trimmed?.hertz ?? 0) - 300) < 3, `${name}, trimmed: ${trimmed?.hertz} Hz`);
  }
});

test('sound files of other programs and the sound of videos are audible', async (t) => {
  const folder = await folderOf(t);
  const shots: Shot[] = [];
  for (const [name, ...options] of [
    ['a.wma', '-c:a', 'wmav2'],
    ['a.aiff', '-c:a', 'pcm_s16be'],
    ['a.caf', '-c:a', 'pcm_s16le'],
    ['a.mp4', '-c:a', 'aac'],
    ['a.weba', '-c:a', 'libopus', '-f', 'webm'],
  ] as const) {
    const path = join(folder, name);
    await ffmpeg(...tone(300), ...options, path);
    shots.push({ path, kind: 'audio' });
  }
  for (const [index, { hertz: found }] of (await filmOf(folder, shots)).entries())
    t.true(Math.abs(found - 300) < 3, `${shots[index]?.path}: ${found} Hz`);
});
