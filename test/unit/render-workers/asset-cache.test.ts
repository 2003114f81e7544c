import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import test from 'ava';
import type { BlobStore } from '../../../platform/blob-store/blob-store.ts';
import { createAssetCache } from '../../../render-workers/local-files/asset-cache.ts';
import { pollUntil } from '../../../stack/testing/until.ts';

const LIMIT = 25;
const NEVER = new AbortController().signal;
const OWNER = { project_id: 'proj_1', render_id: 'rend_1' };
const sha256Of = (text: string): string => createHash('sha256').update(text).digest('hex');

const assetOf = (text: string) =>
  ({
    id: text,
    kind: 'image',
    content_type: 'image/png',
    sha256: sha256Of(text),
    font_family: null,
    of_render: false,
  }) as const;

const sizeOfFolder = async (folder: string): Promise<number> => {
  // A file that is deleted meanwhile takes no space.
  const sizes = (await readdir(folder)).map((name) =>
    stat(join(folder, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
};

test('concurrent downloads never exceed the limit of asset copies', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assets-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const media = join(folder, 'media');
  await mkdir(media);
  const texts = [...'abcdefgh'].map((letter) => letter.repeat(10));
  const huge = 'x'.repeat(LIMIT + 1);
  const of_path = new Map([...texts, huge].map((text) => [sha256Of(text), text]));
  const textAt = (path: string): string => of_path.get(basename(path)) ?? '';
  let most = 0;
  let downloads = 0;
  const store: Pick<BlobStore, 'sizeOf' | 'download'> = {
    sizeOf: async (path) => textAt(path).length,
    download: async (path, file) => {
      downloads += 1;
      const text = textAt(path);
      await writeFile(file, text);
      most = Math.max(most, await sizeOfFolder(media));
      return { sha256: sha256Of(text), size_bytes: text.length };
    },
  };
  const cache = createAssetCache(Object.assign(Object.create(null), store), media, LIMIT);
  const provide = async (name: string, wanted: readonly string[]): Promise<void> => {
    const own = join(folder, name);
    await mkdir(own);
    const files = await cache.provide(OWNER, wanted.map(assetOf), own, NEVER);
    for (const text of wanted) t.is(await readFile(files.get(text) ?? '', 'utf8'), text);
  };

  await provide('one', texts);
  t.true(most <= LIMIT, `${most} bytes were kept`);
  t.is(downloads, texts.length);
  await provide('again', texts.slice(-2));
  t.is(downloads, texts.length, 'recently used files stay');

  await Promise.all(['two', 'three', 'four'].map((name, n) => provide(name, [...texts.slice(n), huge])));
  t.true(most <= LIMIT, `${most} bytes were kept`);
  t.is(await cache.sizeOf(OWNER, [...texts, huge].map(assetOf), NEVER), 8 * 10 + LIMIT + 1);
});

const heldDownloads = () => {
  const begun: { readonly end: () => void; readonly signal: AbortSignal | undefined }[] = [];
  const store: Pick<BlobStore, 'sizeOf' | 'download'> = {
    sizeOf: async () => 10,
    download: (_path, file, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      begun.push({ end: resolve, signal });
      signal?.addEventListener('abort', () => setTimeout(reject, 50, signal.reason));
      return promise.then(async () => {
        await writeFile(file, 'aaaaaaaaaa');
        return { sha256: sha256Of('aaaaaaaaaa'), size_bytes: 10 };
      });
    },
  };
  return { begun, store };
};

test('a cancelled download continues for others; the last one aborts it', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'assets-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const { begun, store } = heldDownloads();
  const cache = createAssetCache(Object.assign(Object.create(null), store), folder, LIMIT);
  const ask = async (name: string) => {
    const own = join(folder, name);
    await mkdir(own);
    const stop = new AbortController();
    const files = cache.provide(OWNER, [assetOf('aaaaaaaaaa')], own, stop.signal);
    files.catch(() => undefined);
    return { stop, files };
  };
  const begins = (count: number) => pollUntil(`${count} have begun`, async () => begun.length === count);
  const [first, second] = [await ask('first'), await ask('second')];
  await begins(1);
  first.stop.abort();
  await t.throwsAsync(first.files, { is: first.stop.signal.reason });
  t.false(begun[0]?.signal?.aborted);
  second.stop.abort();
  const third = await ask('third');
  await t.throwsAsync(second.files, { is: second.stop.signal.reason });
  t.true(begun[0]?.signal?.aborted);
  await begins(2);
  begun[1]?.end();
  t.is(await readFile((await third.files).get('aaaaaaaaaa') ?? '', 'utf8'), 'aaaaaaaaaa');
});
