import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { FinalAsset } from '../../../domain/composition/final-asset.ts';
import { createAssetCache } from '../../../render-workers/local-files/asset-cache.ts';
import { fontSetKey, provideMissingAssets } from '../../../render-workers/local-files/leased-files.ts';
import { blobsWith } from './_blobs.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const asset = (id: string, change: Partial<FinalAsset> = {}): FinalAsset => ({
  ...{ id, kind: 'image', sha256: hashOf(id), font_family: null, of_render: false, content_type: 'image/png' },
  ...change,
});

test('the rest of a failed download never counts as another file', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'leased-'));
  t.teardown(() => rm(root, { recursive: true }));
  const [media, files] = [join(root, 'media'), join(root, 'files')];
  for (const made of [media, files]) await mkdir(made);
  const away = new Set<string>();
  const nameOf = (path: string): string =>
    ['red', 'green', 'blue'].find((name) => path.endsWith(hashOf(name))) ?? 'unknown';
  const blobs = blobsWith({
    sizeOf: async () => 5,
    download: async (path, file) => {
      const name = nameOf(path);
      if (away.has(name)) throw new Error('the store is away');
      await writeFile(file, name);
      return { sha256: hashOf(name), size_bytes: 5 };
    },
  });
  const cache = createAssetCache(blobs, media, 1_000);
  const owner = { project_id: 'proj_1', render_id: '' };
  const { signal } = new AbortController();
  const provided = async (...names: readonly string[]) => {
    const found = await provideMissingAssets(
      cache,
      owner,
      names.map((name) => asset(name)),
      files,
      signal,
    );
    return await Promise.all([...found.values()].map((file) => readFile(file, 'utf8')));
  };
  away.add('green');
  await t.throwsAsync(provided('red', 'green'));
  away.clear();
  t.deepEqual(await provided('blue'), ['blue']);
  t.deepEqual(await provided('red', 'green'), ['red', 'green']);
  t.deepEqual(await provided('blue', 'red'), ['blue', 'red']);
  t.is((await readdir(files)).length, 3, 'each once, under its hash');
});

test('two font sets are equal if their files and names are equal', (t) => {
  const font = asset('f', { kind: 'font', font_family: 'Brand' });
  t.is(fontSetKey([asset('p'), font]), fontSetKey([font, asset('q')]));
  t.not(fontSetKey([font]), fontSetKey([{ ...font, sha256: hashOf('other') }]));
  t.not(fontSetKey([font]), fontSetKey([{ ...font, font_family: 'Other' }]));
  t.not(fontSetKey([font]), fontSetKey([]));
});
