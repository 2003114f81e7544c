import test from 'ava';
import { recordingCache } from '../../../render-workers/worker/segments/recording-cache.ts';
import { eraseFiles } from '../../../retention/erasure/erase-files.ts';
import { segmentPath, usedPartsPath } from '../../../schemas/blobs/paths.ts';

const RENDER = { render_id: 'rend_1', account_id: 'acc_1' };
const KEY = 'a'.repeat(64);
const PART = segmentPath(RENDER.account_id, KEY);
const NEVER = new AbortController().signal;

test('a later pass deletes parts stored after the erasure', async (t) => {
  const texts = new Map<string, string>();
  const blobs = { readText: async (path: string) => texts.get(path) ?? null };
  const evictable = {
    list: async (prefix: string) => {
      const found = [...texts.keys()].filter((path) => path.startsWith(prefix));
      return { found: found.map((path) => ({ path, size_bytes: 1, stored_at: 0 })), next: null };
    },
    remove: async (path: string) => void texts.delete(path),
  };
  const [paused, goes_on] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const cache = recordingCache(
    {
      has: async () => false,
      fetch: async () => false,
      store: async (key) => {
        paused.resolve();
        await goes_on.promise;
        texts.set(segmentPath(RENDER.account_id, key), 'a picture of the text');
      },
    },
    async (keys) => void texts.set(usedPartsPath(RENDER.render_id, 'att_1'), JSON.stringify(keys)),
  );
  const storing = cache.store(KEY, 'file');
  await paused.promise;
  t.true(texts.has(usedPartsPath(RENDER.render_id, 'att_1')));
  await eraseFiles({ blobs, evictable }, RENDER, NEVER);
  goes_on.resolve();
  await storing;
  await eraseFiles({ blobs, evictable }, RENDER, NEVER);
  t.false(texts.has(PART));
});
