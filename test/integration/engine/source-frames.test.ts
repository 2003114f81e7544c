import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { openFolderCache } from '../../../engine/cache/folder-cache.ts';
import { openSourceFrames } from '../../../engine/cache/source-frames.ts';
import type { RenderOptions } from '../../../engine/render-composition.ts';
import { type FrameOptions, renderFrame } from '../../../engine/render-frame.ts';
import type { ConfinedProgram, Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { SANDBOX } from '../../helpers/sandbox.ts';
import { finalOf } from './_composition.ts';
import { ffmpeg, folderOf, hashesOf } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

const CLIPS = {
  plain: ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=3', '-c:v', 'libx264', '-g', '250'],
  interlaced: [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=160x120:r=50:d=3', '-vf', 'interlace=lowpass=0,setfield=tff'],
    ...['-c:v', 'libx264', '-flags', '+ilme+ildct', '-x264-params', 'tff=1'],
  ],
  bright: [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=160x96:r=30:d=3', '-pix_fmt', 'yuv420p10le', '-c:v', 'libx265'],
    ...['-x265-params', 'log-level=none', '-color_trc', 'smpte2084', '-color_primaries', 'bt2020'],
    ...['-colorspace', 'bt2020nc'],
  ],
  shaped: [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=160x96:r=30:d=3,format=yuva420p,geq=lum=p(X\\,Y):a=X'],
    ...['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8'],
  ],
} as const;

const WAYS = [
  { time: 0, x: 0, y: 0 },
  { time: 2, x: 90.5, y: 41.2 },
];
type Shown = readonly Record<string, unknown>[];
/** Each layer has its own filters, except the last two of the first case, which show the same. */
const SHOWN: Readonly<Record<string, readonly [number, Shown]>> = {
  'one clip in many ways': [
    8,
    [
      { asset: 'plain' },
      { asset: 'plain', x: 31, y: 17, width: 101, height: 57, opacity: 0.6 },
      { asset: 'plain', x: 200, width: 90, height: 90, fit: 'cover', speed: 2 },
      { asset: 'plain', x: 10, y: 90, width: 80, height: 60, loop: true, trim_start: 0.5, trim_end: 1.1 },
      { asset: 'plain', x: 100, y: 90, width: 80, height: 60, rotation: 30 },
      { asset: 'plain', x: 205, y: 100, width: 64, height: 40, rotation: 90 },
      { asset: 'plain', width: 120, height: 80, keyframes: { position: WAYS } },
      { asset: 'plain', x: 10, y: 10, width: 60, height: 40 },
      { asset: 'plain', x: 210, y: 10, width: 60, height: 40 },
    ],
  ],
  'clips of many kinds': [
    3,
    [
      { asset: 'interlaced' },
      { asset: 'bright', x: 20, y: 20, width: 160, height: 96 },
      { asset: 'shaped', x: 120, y: 60, width: 160, height: 96 },
    ],
  ],
};

const noticing = (notice: (program: ConfinedProgram) => void): Sandbox => ({
  ...SANDBOX,
  confine: (program) => {
    notice(program);
    return SANDBOX.confine(program);
  },
});

const filmOf = (shown: Shown, text: string, duration = 2) => {
  const layers = shown.map((layer, index) => ({ id: `v${index}`, type: 'video', duration, ...layer }));
  const assets = [...new Set(shown.map(({ asset }) => String(asset)))].map((id) => ({ id, kind: 'video' as const }));
  return finalOf({ duration, layers: [...layers, { id: 't', type: 'text', text, height: 40 }] }, assets);
};

test('a cached still of the same moment equals a new one and decodes nothing', async (t) => {
  const folder = await folderOf(t);
  const at = (name: string): string => join(folder, name);
  const files = Object.fromEntries(
    Object.keys(CLIPS).map((name) => [name, at(`${name}.${name === 'shaped' ? 'webm' : 'mp4'}`)]),
  );
  await Promise.all(Object.entries(CLIPS).map(([name, encoding]) => ffmpeg(...encoding, files[name] ?? '')));
  await mkdir(at('work'));
  let opened = '';
  const sandbox = noticing(({ program, args }) => {
    if (program.endsWith('ffmpeg')) opened = args.join(' ');
  });
  const still = async (shown: Shown, text: string, at_s: number, kept: Pick<FrameOptions, 'frames'>) => {
    const used: Record<string, string> = Object.fromEntries(
      shown.map(({ asset }) => [String(asset), files[String(asset)] ?? '']),
    );
    const options = { ...optionsOf(filmOf(shown, text), at('work'), used), sandbox, ...kept };
    const made = await renderFrame(options, at_s);
    if (E.isLeft(made)) throw new Error(JSON.stringify(made.left));
    return {
      bytes: made.right.bytes,
      decodes: [...Object.values(used), '.ffconcat'].some((file) => opened.includes(file)),
    };
  };
  for (const [name, [count, shown]] of Object.entries(SHOWN)) {
    await mkdir(at(name));
    const kept = { frames: openSourceFrames(at(name), 2 ** 27) };
    const first = await still(shown, 'Ada', 1.3, kept);
    t.true(first.decodes, name);
    t.true((await still(shown, 'Ada', 1.3, {})).bytes.equals(first.bytes), `${name}: the cache changes nothing`);
    t.is((await readdir(at(name))).length, count, name);
    const second = await still(shown, 'Grace', 1.3, kept);
    t.false(second.decodes, name);
    t.true((await still(shown, 'Grace', 1.3, {})).bytes.equals(second.bytes), name);
    t.true((await still(shown, 'Ada', 1.4, kept)).decodes, `${name}: another moment has its own frame`);
  }
  t.deepEqual(await readdir(at('work')), []);
});

test('renders of a version decode unchanged sources once and give the same pictures', async (t) => {
  const folder = await folderOf(t);
  const at = (name: string): string => join(folder, name);
  const files = { plain: at('plain.mp4'), shaped: at('shaped.webm') };
  await Promise.all([ffmpeg(...CLIPS.plain, files.plain), ffmpeg(...CLIPS.shaped, files.shaped)]);
  await mkdir(at('frames'));
  const layers = [
    { id: 'ground', type: 'video', asset: 'plain', speed: 0.7 },
    { id: 'late', type: 'video', asset: 'shaped', x: 21, y: 11, width: 160, height: 96, start: 1.2, fade_in: 0.3 },
  ];
  const named = (text: string) =>
    finalOf(
      { duration: 3, layers: [...layers, { id: 't', type: 'text', text, height: 40, start: 0.9, duration: 1 }] },
      [
        { id: 'plain', kind: 'video' },
        { id: 'shaped', kind: 'video' },
      ],
    );
  const read: string[] = [];
  const sandbox = noticing(({ args }) => {
    if (args.includes('-segment_format')) read.push(args.join(' '));
  });
  const cache = await openFolderCache(at('cache'));
  const frames = openSourceFrames(at('frames'), 2 ** 28);
  const render = async (text: string, into: string, of: Partial<RenderOptions>) => {
    frames.begin();
    read.length = 0;
    const options = { ...optionsOf(named(text), at(into), files), sandbox, lossless: true, ...of };
    const { master, frames_cached } = await rendered(options);
    return { hashes: await hashesOf(master), frames_cached, decodes: read.some((args) => args.includes('plain.mp4')) };
  };
  const rows = [];
  for (const text of ['Ada', 'Grace', 'Edsger']) rows.push(await render(text, text, { cache, frames }));
  t.deepEqual(
    rows.map(({ frames_cached, decodes }) => [frames_cached, decodes]),
    [
      [0, true],
      [60, true],
      [60, false],
    ],
  );
  const alone = await render('Edsger', 'alone', {});
  t.deepEqual(rows[2]?.hashes, alone.hashes);
  t.is(alone.hashes.length, 90);
  t.false((await readdir(at('Edsger'))).some((name) => name.startsWith('render-')));
});

test('the cache keeps recently used frames within its size, and no truncated ones', async (t) => {
  const folder = await folderOf(t);
  const frames = openSourceFrames(folder, 250);
  const keep = async (key: string, bytes = 100, written = bytes) => {
    const file = join(folder, 'new');
    await writeFile(file, Buffer.alloc(written));
    const has_room = frames.reserve(key, bytes);
    await frames.keep({ key, file, bytes });
    return has_room;
  };
  const there = (...keys: readonly string[]) => keys.filter((key) => frames.file(key) !== null).join('');
  for (const key of ['a', 'b']) t.true(await keep(key));
  t.false(await keep('c'), 'frames in use stay until their render has ended');
  t.false(frames.reserve('b', 1), 'two layers that show the same write it once');
  t.is(there('a', 'b', 'c'), 'ab');
  frames.begin();
  t.is(frames.file('a'), join(folder, 'a.yuv'));
  t.true(await keep('c'));
  t.is(there('a', 'b', 'c'), 'ac');
  frames.begin();
  t.true(await keep('d', 100, 99));
  frames.begin();
  t.false(await keep('e', 300));
  t.is(there('a', 'c', 'd', 'e'), 'ac');
  t.deepEqual(
    (await readdir(folder)).filter((name) => name !== 'new'),
    ['a.yuv', 'c.yuv'],
  );
});
