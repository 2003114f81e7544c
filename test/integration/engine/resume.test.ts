import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { execa } from 'execa';
import { openFolderCache } from '../../../engine/cache/folder-cache.ts';
import type { SegmentCache } from '../../../engine/cache/segment-cache.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { UNCONFINED } from '../../helpers/sandbox.ts';
import { finalOf } from './_composition.ts';
import { loggedFfmpeg } from './_logged-ffmpeg.ts';
import { longRender } from './_long-render.ts';
import { folderOf, framemd5 } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

const named = (name: string, parts: object = {}) =>
  finalOf(
    {
      duration: 6,
      layers: [
        { id: 'title', type: 'text', text: 'Title', fade_in: 6 },
        { id: 'name', type: 'text', text: name, start: 2, duration: 1, y: 90 },
      ],
      ...parts,
    },
    [],
    [{ name: 'small', height: 90 }],
  );

test('a repeated render encodes nothing and gives the same film', async (t) => {
  const folder = await folderOf(t);
  const { program, since } = await loggedFfmpeg(folder);
  const cache = await openFolderCache(join(folder, 'cache'));
  const make = async (name: string) =>
    rendered({ ...optionsOf(named('Ada'), join(folder, name)), cache, sandbox: UNCONFINED, ffmpeg_path: program });
  const first = await make('first');
  t.is((await since()).pictures, 2, 'one for each core');
  const progress: number[] = [];
  const again = await rendered({
    ...optionsOf(named('Ada'), join(folder, 'again')),
    ...{
      cache,
      sandbox: UNCONFINED,
      ffmpeg_path: program,
      on_progress: ({ frames_done }) => progress.push(frames_done),
    },
  });
  // One process joins each film; sound and poster are cached too.
  t.deepEqual(await since(), { pictures: 0, all: 2 });
  t.deepEqual([first.frames_cached, again.frames_cached, again.encoder_ms], [0, 180, 0]);
  t.deepEqual(progress, [180]);
  for (const [index, { file }] of again.outputs.entries())
    t.true((await readFile(file)).equals(await readFile(first.outputs[index]?.file ?? '')));
  t.true((await readFile(again.poster.file)).equals(await readFile(first.poster.file)));
});

test('a changed text is encoded again only in the segments that show it', async (t) => {
  const folder = await folderOf(t);
  const { program, since } = await loggedFfmpeg(folder);
  const cache = await openFolderCache(join(folder, 'cache'));
  const own = { cache, sandbox: UNCONFINED, ffmpeg_path: program, lossless: true };
  await rendered({ ...optionsOf(named('Ada'), join(folder, 'ada')), ...own });
  await since();
  const grace = await rendered({ ...optionsOf(named('Grace'), join(folder, 'grace')), ...own });
  t.is((await since()).pictures, 1);
  t.is(grace.frames_cached, 150);
  const alone = await rendered({ ...optionsOf(named('Grace'), join(folder, 'alone')), lossless: true });
  t.is(await framemd5(grace.master), await framemd5(alone.master));
});

test('damaged or wrong entries of the cache are replaced', async (t) => {
  const folder = await folderOf(t);
  const kept = join(folder, 'cache');
  const cache = await openFolderCache(kept);
  const make = async (name: string, with_cache: SegmentCache = cache) =>
    rendered({ ...optionsOf(named('Ada'), join(folder, name)), cache: with_cache });
  const first = await make('first');
  for (const key of await readdir(kept)) await truncate(join(kept, key, 'part'), 700);
  const again = await make('again');
  t.is(again.frames_cached, 0);
  t.is((await make('third')).frames_cached, 180, 'and the new parts are stored');
  const lying: SegmentCache = {
    ...cache,
    fetch: async (_key, file) => {
      await writeFile(file, await readFile(first.master));
      return file.endsWith('.mp4');
    },
  };
  t.is((await make('lied', lying)).frames_cached, 0);
  t.is(await framemd5(again.master), await framemd5(first.master));
});

test('a render with an unreachable cache encodes all frames and succeeds', async (t) => {
  const folder = await folderOf(t);
  const fails = async (): Promise<never> => {
    throw new Error('away');
  };
  const away: SegmentCache = { has: fails, fetch: async () => false, store: fails };
  t.is((await rendered({ ...optionsOf(named('Ada'), folder), cache: away })).frames_cached, 0);
});

const processesIn = async (folder: string): Promise<readonly string[]> => {
  const lines = await Promise.all(
    (await readdir('/proc'))
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.filter((line) => line.includes(folder));
};

test('a killed render leaves no process, and the next one resumes', async (t) => {
  const folder = await folderOf(t);
  const kept = join(folder, 'cache');
  const killed = join(folder, 'killed');
  const program = join(import.meta.dirname, '_long-render.ts');
  const child = fork(program, [killed, kept], { execArgv: [] });
  child.on('message', (frames_done) => {
    if (Number(frames_done) > 400) child.kill('SIGKILL');
  });
  t.deepEqual(await once(child, 'exit'), [null, 'SIGKILL']);
  await pollUntil('all processes have ended', async () => (await processesIn(killed)).length === 0);
  const { frames_cached, master } = await longRender(join(folder, 'again'), kept);
  // Two parts of 120 frames are encoded at a time; unfinished and unstored ones are lost.
  t.true(frames_cached >= 120, `${frames_cached} frames were kept`);
  t.true(frames_cached < 720);
  const shown = 'stream=nb_frames,duration';
  const args = ['-v', 'error', '-of', 'csv=p=0', '-select_streams', 'v', '-show_entries', shown, master];
  t.is((await execa('ffprobe', args)).stdout, '24.000000,720');
});
