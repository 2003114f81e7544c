import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import sharp from 'sharp';
import { openFolderCache } from '../../../engine/cache/folder-cache.ts';
import { planComposition } from '../../../engine/plan-composition.ts';
import { renderFrame } from '../../../engine/render-frame.ts';
import { finalOf } from './_composition.ts';
import { ffmpeg, folderOf, framesOf } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

const layers = [
  { id: 'v', type: 'video', asset: 'clip' },
  { id: 't', type: 'text', text: 'A still', start: 0.5, duration: 1, fade_in: 0.5, fade_out: 0.3 },
];

test("a still is the film's frame at that time and leaves no file", async (t) => {
  const folder = await folderOf(t);
  const clip = join(folder, 'clip.mp4');
  await ffmpeg('-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=30:d=2', '-c:v', 'libx264', clip);
  const final = finalOf({ duration: 2, layers }, [{ id: 'clip', kind: 'video' }]);
  const { master } = await rendered({ ...optionsOf(final, join(folder, 'film'), { clip }), lossless: true });
  const work_dir = join(folder, 'rasters');
  await mkdir(work_dir);
  const options = optionsOf(final, work_dir, { clip });
  for (const [at_s, frame] of [
    [0, 0],
    [0.71, 22],
    [1.4, 42],
    [100, 59],
  ] as const) {
    const raster = await renderFrame(options, at_s);
    if (E.isLeft(raster)) return t.fail(JSON.stringify(raster.left));
    const { bytes, ...said } = raster.right;
    t.deepEqual(said, { content_type: 'image/png', frame, width: 320, height: 180 });
    const pixels = await sharp(bytes).removeAlpha().raw().toBuffer();
    const [shown = Buffer.alloc(0)] = await framesOf(master, 320, 180, [frame]);
    const most = pixels.reduce((worst, value, index) => Math.max(worst, Math.abs(value - (shown[index] ?? 999))), 0);
    t.true(most <= 3, `at ${at_s} s the most that differs is ${most}`);
  }
  const jpeg = await renderFrame({ ...options, format: 'jpeg' }, 1);
  t.like(jpeg, { right: { content_type: 'image/jpeg', frame: 30 } });
  t.deepEqual(await readdir(work_dir), []);
});

test('a plan says what is cached, and renders nothing', async (t) => {
  const folder = await folderOf(t);
  const cache = await openFolderCache(join(folder, 'cache'));
  const of = (text: string) =>
    finalOf({ duration: 2, layers: [{ id: 't', type: 'text', text, start: 1, duration: 0.5, fade_in: 0.5 }] });
  const planned = async (text: string) => {
    const result = await planComposition({ ...optionsOf(of(text), folder), cache });
    if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
    const { plan, cached } = result.right;
    return {
      segments: plan.segments.map(({ from, until, keys }) => [from, until, cached.has(keys.master ?? '')]),
      runs: plan.runs.map(({ from, until }) => [from, until]),
      sound: cached.has(plan.sound_key),
    };
  };
  const spans = [
    [0, 30],
    [30, 45],
    [45, 60],
  ] as const;
  t.deepEqual(await planned('Ada'), {
    segments: spans.map(([from, until]) => [from, until, false]),
    runs: [[0, 60]],
    sound: false,
  });
  await rendered({ ...optionsOf(of('Ada'), join(folder, 'out')), cache });
  t.deepEqual(await planned('Grace'), {
    segments: spans.map(([from, until]) => [from, until, from !== 30]),
    runs: [[30, 45]],
    sound: true,
  });
});
