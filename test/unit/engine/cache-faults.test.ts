import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { openFolderCache } from '../../../engine/cache/folder-cache.ts';
import { openLocalCaches } from '../../../engine/cache/local-cache.ts';
import { runWithinLimits } from '../../../engine/process/within-limits.ts';

const folderOf = async (t: ExecutionContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'cache-faults-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

for (const kind of ['folder', 'local'] as const)
  test(`${kind}: failed copies keep a part in the cache, and damage removes it`, async (t) => {
    const folder = await folderOf(t);
    const [kept, part] = [join(folder, 'kept'), join(folder, 'part')];
    const cache = kind === 'folder' ? await openFolderCache(kept) : (await openLocalCaches(kept, 1e6, 1e9)).of('acc_1');
    await writeFile(part, 'a part');
    await cache.store('key', part);
    t.false(await cache.fetch('key', join(folder, 'nowhere', 'part')));
    t.true(await cache.has('key'));
    t.true(await cache.fetch('key', join(folder, 'fetched')));

    const [name = ''] = await readdir(kept);
    const held = kind === 'folder' ? join(kept, name, 'part') : join(kept, name);
    await writeFile(held, 'altered');
    t.false(await cache.fetch('key', join(folder, 'damaged')));
    t.false(await cache.has('key'));
    t.false((await readdir(folder)).includes('damaged'));
  });

test('cancelled or late work ends before its error is returned', async (t) => {
  let stopped = 0;
  const work = async (signal: AbortSignal): Promise<void> => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    stopped += 1;
  };
  const controller = new AbortController();
  const { signal } = controller;
  t.like(await runWithinLimits(work, { signal, budget_ms: 10 }), { left: { tag: 'over_budget' } });
  t.is(stopped, 1);
  const going = runWithinLimits(work, { signal, budget_ms: 60_000 });
  controller.abort();
  t.deepEqual(await going, E.left({ tag: 'cancelled' }));
  t.is(stopped, 2);
});
