import { type FileHandle, mkdir, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { openSourceFrames } from '../../../engine/cache/source-frames.ts';
import { drawChangedRasters } from '../../../engine/raster/draw-changed.ts';
import { openKeptRasters } from '../../../engine/raster/kept-rasters.ts';
import type { Raster } from '../../../engine/raster/raster-job.ts';
import type { RasterProcess } from '../../../engine/raster/raster-process.ts';
import { SANDBOX } from '../../helpers/sandbox.ts';

const SIDE = 8;
const REGION = { x: 0, y: 0, width: SIDE, height: SIDE };
const BYTES = 4 * SIDE * SIDE;
const limits = { signal: new AbortController().signal, budget_ms: 60_000, sandbox: SANDBOX };

const raster = (id: string): Raster => ({ id, region: REGION, surround: { margin: 0, opaque: 0 }, drawings: [] });

/** Its pictures are filled with the number of the request. Ids with "clear" have no visible pixel. */
const openStudio = async (t: ExecutionContext, max_bytes: number) => {
  const folder = await mkdtemp(join(tmpdir(), 'kept-rasters-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const [drawn, kept] = [join(folder, 'drawn'), join(folder, 'kept')];
  for (const created of [drawn, kept]) await mkdir(created);
  const frames = openSourceFrames(kept, max_bytes);
  const rasters = openKeptRasters(frames);
  const requests: string[][] = [];
  const opened: FileHandle[] = [];
  t.teardown(async () => {
    for (const handle of opened) await handle.close();
  });
  const process: Pick<RasterProcess, 'draw'> = {
    draw: async ({ rasters: asked }) => {
      requests.push(asked.map(({ id }) => id));
      const visible = asked.filter(({ id }) => !id.includes('clear'));
      const files = visible.map(({ id, region }) => ({ id, region, file: join(drawn, `${id}.rgba`) }));
      for (const { file } of files) {
        await writeFile(file, Buffer.alloc(BYTES, requests.length));
        opened.push(await open(file, 'r+'));
      }
      return E.right({ rasters: files, animations: [] });
    },
  };
  /** Draws rasters by their keys. Answers with the first byte of each picture. */
  const still = async (...keys: readonly string[]): Promise<Readonly<Record<string, number | undefined>>> => {
    frames.begin();
    const ids = keys.map((key) => `of-${key}`);
    const keyOf = (id: string): string => id.slice('of-'.length);
    const result = await drawChangedRasters(
      { rasters: ids.map(raster), animations: [] },
      { keyOf, kept: rasters },
      process,
      limits,
    );
    if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
    const shown: Record<string, number | undefined> = {};
    for (const [id, { file }] of result.right.rasters) shown[keyOf(id)] = (await readFile(file))[0];
    return shown;
  };
  return { still, requests, opened };
};

test('a later still draws only the rasters that changed', async (t) => {
  const { still, requests } = await openStudio(t, 10 * BYTES);
  t.deepEqual(await still('photo', 'title', 'clear'), { photo: 1, title: 1 });
  t.deepEqual(await still('photo', 'other-title', 'clear'), { photo: 1, 'other-title': 2 });
  t.deepEqual(await still('title', 'photo'), { title: 1, photo: 1 });
  t.deepEqual(requests, [['of-photo', 'of-title', 'of-clear'], ['of-other-title']]);
});

test('the raster process cannot change a kept raster', async (t) => {
  const { still, opened } = await openStudio(t, 10 * BYTES);
  await still('photo');
  for (const handle of opened) await handle.write(Buffer.alloc(2 * BYTES, 99), 0, 2 * BYTES, 0);
  t.deepEqual(await still('photo'), { photo: 1 });
});

test('the least recently shown rasters make room for others', async (t) => {
  const { still, requests } = await openStudio(t, 2 * BYTES);
  for (const key of ['a', 'b', 'a', 'c']) await still(key);
  t.deepEqual([await still('a'), await still('b')], [{ a: 1 }, { b: 4 }]);
  t.deepEqual(requests.flat(), ['of-a', 'of-b', 'of-c', 'of-b']);
});

test('rasters that do not fit are drawn again', async (t) => {
  const { still } = await openStudio(t, BYTES);
  t.deepEqual(await still('a', 'b'), { a: 1, b: 1 });
  t.deepEqual(await still('a', 'b'), { a: 1, b: 2 });
});
