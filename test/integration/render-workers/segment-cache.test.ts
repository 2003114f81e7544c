import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import anyTest, { type TestFn } from 'ava';
import { openBackgroundStore } from '../../../engine/cache/background-store.ts';
import { openBlobCaches } from '../../../engine/cache/blob-cache.ts';
import { openFolderCache } from '../../../engine/cache/folder-cache.ts';
import { layeredCache } from '../../../engine/cache/layered-cache.ts';
import { openLocalCaches } from '../../../engine/cache/local-cache.ts';
import type { SegmentCache } from '../../../engine/cache/segment-cache.ts';
import { openEvictableBlobs } from '../../../platform/blob-store/azure-evictable-blobs.ts';
import type { EvictableBlobs } from '../../../platform/blob-store/evictable-blobs.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { segmentPath } from '../../../schemas/blobs/paths.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { type BlobServer, openBlobServer } from './_blob-server.ts';

// All caches of rendered parts fulfil the same contract; the blob cache uses a real server.
type World = { readonly server: BlobServer; readonly blobs: EvictableBlobs };

const test = anyTest as TestFn<World>;
const logger = createLogger('test', 'silent');

test.before(async (t) => {
  t.timeout(240_000);
  const server = await openBlobServer();
  t.context = { server, blobs: openEvictableBlobs(server.settings) };
});

test.after.always(async (t) => {
  t.timeout(180_000);
  await t.context.server?.close();
});

const keyOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const freshFolder = ({ server }: World): Promise<string> => mkdtemp(join(server.folder, 'own-'));
const fileOf = async (world: World, bytes: string | Buffer): Promise<string> => {
  const file = join(await freshFolder(world), 'part.mp4');
  await writeFile(file, bytes);
  return file;
};

const CACHES: Readonly<Record<string, (world: World) => Promise<SegmentCache>>> = {
  folder: async (world) => await openFolderCache(await freshFolder(world)),
  local: async (world) => (await openLocalCaches(await freshFolder(world), 10_000_000, 1e9)).of('acc_1'),
  blob: async ({ blobs }) => openBlobCaches(blobs, logger)(`acc_${keyOf(String(Math.random())).slice(0, 8)}`),
  'local over blob': async (world) =>
    layeredCache(
      (await openLocalCaches(await freshFolder(world), 10_000_000, 1e9)).of('acc_1'),
      openBlobCaches(world.blobs, logger)(`acc_${keyOf(String(Math.random())).slice(0, 8)}`),
    ),
};

for (const [name, open] of Object.entries(CACHES)) {
  test(`${name}: a fetch returns the first stored part, even if its file is gone`, async (t) => {
    const cache = await open(t.context);
    const key = keyOf(name);
    const into = join(await freshFolder(t.context), 'fetched.mp4');
    t.false(await cache.has(key));
    t.false(await cache.fetch(key, into));
    t.deepEqual(await readdir(join(into, '..')), [], 'no file is left');

    const bytes = randomBytes(3_000_000);
    const file = await fileOf(t.context, bytes);
    await cache.store(key, file);
    await rm(file);
    await cache.store(key, await fileOf(t.context, 'other bytes'));
    t.true(await cache.has(key));
    t.true(await cache.fetch(key, into));
    t.true((await readFile(into)).equals(bytes));
    t.deepEqual(await readdir(join(into, '..')), ['fetched.mp4']);
    await rm(into);
    t.true(await cache.fetch(key, into), 'a fetched file can be deleted');
    t.false(await cache.has(keyOf(`${name} of another`)));
  });

  test(`${name}: concurrent stores and fetches work, also of the same parts`, async (t) => {
    const cache = await open(t.context);
    const own = await freshFolder(t.context);
    const parts = Array.from({ length: 40 }, (_, n) => ({ key: keyOf(`${name} ${n % 20}`), text: `part ${n % 20}` }));
    await Promise.all(parts.map(async ({ key, text }) => cache.store(key, await fileOf(t.context, text))));
    const found = await Promise.all(parts.map(async ({ key }, n) => cache.fetch(key, join(own, `${n}`))));
    t.true(found.every(Boolean));
    for (const [n, { text }] of parts.entries()) t.is(await readFile(join(own, `${n}`), 'utf8'), text);
  });

  test(`${name}: an unreadable file is no fault`, async (t) => {
    const cache = await open(t.context);
    await t.notThrowsAsync(cache.store(keyOf('none'), join(await freshFolder(t.context), 'none')));
    t.false(await cache.has(keyOf('none')));
  });
}

test('a damaged or truncated blob counts as absent and can be replaced', async (t) => {
  const { server, blobs } = t.context;
  const cache = openBlobCaches(blobs, logger)('acc_damaged');
  const bytes = randomBytes(100_000);
  const other = Buffer.from(bytes);
  other[50_000] = (other[50_000] ?? 0) ^ 1;
  const wrong = { damaged: other, short: bytes.subarray(0, 60_000), empty: Buffer.alloc(0) };
  for (const [name, found] of Object.entries(wrong)) {
    const [key, into] = [keyOf(name), join(await freshFolder(t.context), name)];
    await cache.store(key, await fileOf(t.context, bytes));
    await server.damage(segmentPath('acc_damaged', key), found);
    t.false(await cache.fetch(key, into), name);
    await t.throwsAsync(stat(into), { code: 'ENOENT' });
    t.false(await cache.has(key), `${name}: is deleted`);
    await cache.store(key, await fileOf(t.context, bytes));
    t.true(await cache.fetch(key, into), name);
  }
  const bare = keyOf('without a hash');
  await server.put(segmentPath('acc_damaged', bare), bytes);
  t.false(await cache.fetch(bare, join(await freshFolder(t.context), 'bare')));
});

test('no account finds parts of another account', async (t) => {
  const key = keyOf('of acc_1');
  const [stored, local] = [
    openBlobCaches(t.context.blobs, logger),
    await openLocalCaches(await freshFolder(t.context), 1e6, 1e9),
  ];
  for (const cacheOf of [stored, local.of]) {
    await cacheOf('acc_1').store(key, await fileOf(t.context, 'private'));
    t.true(await cacheOf('acc_1').has(key));
    t.false(await cacheOf('acc_2').has(key));
    t.false(await cacheOf('acc_2').fetch(key, join(await freshFolder(t.context), 'theirs')));
  }
});

test('a fetch fills the near cache, and replaces damaged parts in it', async (t) => {
  const key = keyOf('brought nearer');
  const near_folder = await freshFolder(t.context);
  const near = (await openLocalCaches(near_folder, 1e6, 1e9)).of('acc_1');
  const far = openBlobCaches(t.context.blobs, logger)('acc_far');
  await far.store(key, await fileOf(t.context, 'a part'));
  const cache = layeredCache(near, far);
  const own = await freshFolder(t.context);
  t.true(await cache.fetch(key, join(own, 'first')));
  t.true(await near.has(key));
  const [kept = ''] = await readdir(near_folder);
  await writeFile(join(near_folder, kept), 'altered');
  t.true(await cache.fetch(key, join(own, 'second')));
  t.is(await readFile(join(own, 'second'), 'utf8'), 'a part');
});

test('the disk cache evicts least recently used parts first, and all if necessary', async (t) => {
  const folder = await freshFolder(t.context);
  const local = await openLocalCaches(folder, 3_000, 1e9);
  const cache = local.of('acc_1');
  const own = await freshFolder(t.context);
  for (const name of ['a', 'b', 'c']) await cache.store(keyOf(name), await fileOf(t.context, name.repeat(1_000)));
  t.true(await cache.fetch(keyOf('a'), join(own, 'a')));
  await cache.store(keyOf('d'), await fileOf(t.context, 'd'.repeat(1_000)));
  const there = async () => await Promise.all(['a', 'b', 'c', 'd'].map((name) => cache.has(keyOf(name))));
  t.deepEqual(await there(), [true, false, true, true]);
  await cache.store(keyOf('huge'), await fileOf(t.context, 'h'.repeat(4_000)));
  t.false(await cache.has(keyOf('huge')), 'a part larger than the limit is not stored');
  t.deepEqual(await there(), [true, false, true, true]);
  await pollUntil('the disk cache is at its limit', async () => (await readdir(folder)).length === 3);
  await local.clear();
  t.deepEqual(await readdir(folder), []);
  t.is(await readFile(join(own, 'a'), 'utf8'), 'a'.repeat(1_000), 'fetched files stay');
});

const silentServer = async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return { port, close: () => server.close() };
};

const at = (server: BlobServer, port: number): EvictableBlobs => openEvictableBlobs(server.settingsAt(port));

test('a hanging store costs a bounded time once, until its next try', async (t) => {
  const { server, blobs } = t.context;
  const silent = await silentServer();
  t.teardown(silent.close);
  const options = { limits_ms: { ask: 300, fetch: 300, store: 300 }, pause_ms: 5_000 };
  const key = keyOf('hanging');
  const [own, file] = [await freshFolder(t.context), await fileOf(t.context, 'a part')];

  let asked = 0;
  const hanging = at(server, silent.port);
  let now = hanging;
  const through: EvictableBlobs = {
    ...hanging,
    fetch: (...of) => {
      asked += 1;
      return now.fetch(...of);
    },
    putOnce: (...of) => {
      asked += 1;
      return now.putOnce(...of);
    },
  };
  const cache = openBlobCaches(through, logger, options)('acc_hanging');
  for (let n = 0; n < 200; n += 1) t.false(await cache.fetch(key, join(own, 'part')));
  await cache.store(key, file);
  t.is(asked, 1, 'all requests took as long as one');

  now = blobs;
  await pollUntil('the store is tried again', async () => {
    await cache.store(key, file);
    return await cache.fetch(key, join(own, 'part'));
  });
  t.deepEqual(await readdir(own), ['part']);
});

test('neither a local file fault nor an aborted render blocks the store for others', async (t) => {
  const { server, blobs } = t.context;
  const silent = await silentServer();
  t.teardown(silent.close);
  const hanging = at(server, silent.port);
  let now = blobs;
  const cache = openBlobCaches({ ...blobs, fetch: (...of) => now.fetch(...of) }, logger)('acc_stopped');
  const key = keyOf('stopped');
  await cache.store(key, await fileOf(t.context, 'a part'));
  const file = join(await freshFolder(t.context), 'part');
  t.false(await cache.fetch(key, join(server.folder, 'nowhere', 'part')));
  await cache.store(keyOf('gone'), join(server.folder, 'nowhere', 'part'));
  t.true(await cache.fetch(key, file), 'after a folder that is gone');

  now = hanging;
  const stop = new AbortController();
  const fetching = cache.fetch(key, file, stop.signal);
  stop.abort();
  const began = performance.now();
  t.false(await fetching);
  t.true(performance.now() - began < 20_000);
  now = blobs;
  t.true(await cache.fetch(key, file), 'after an abandoned one');
});

test('an unreachable store does not fail a fetch', async (t) => {
  const silent = await silentServer();
  silent.close();
  const cache = openBlobCaches(at(t.context.server, silent.port), logger)('acc_away');
  const began = performance.now();
  t.false(await cache.has(keyOf('away')));
  t.false(await cache.fetch(keyOf('away'), join(await freshFolder(t.context), 'part')));
  await cache.store(keyOf('away'), await fileOf(t.context, 'a part'));
  t.true(performance.now() - began < 20_000);
});

test('background storing delays no render, and the end only within its limit', async (t) => {
  const folder = await freshFolder(t.context);
  const background = await openBackgroundStore(folder);
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const kept: string[] = [];
  const slow = background.of({
    has: async () => false,
    fetch: async () => false,
    store: async (key, file) => {
      await held;
      kept.push(`${key} ${await readFile(file, 'utf8')}`);
    },
  });
  for (let n = 0; n < 200; n += 1) {
    const file = await fileOf(t.context, `part ${n}`);
    await slow.store(`${n}`, file);
    await rm(file);
  }
  const began = performance.now();
  await background.flush(200);
  t.true(performance.now() - began < 20_000);
  t.deepEqual(kept, []);
  t.true((await readdir(folder)).length <= 70, 'the queue is limited');
  release();
  await background.flush(30_000);
  t.true(kept.length >= 64 && kept.length <= 70, `${kept.length}`);
  t.true(kept.includes('0 part 0'), 'although the file was removed');
  t.deepEqual(await readdir(folder), []);
});
