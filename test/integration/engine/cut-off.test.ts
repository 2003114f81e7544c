import { chmod, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { openFolderCache } from '../../../engine/cache/folder-cache.ts';
import type { SegmentCache } from '../../../engine/cache/segment-cache.ts';
import { renderComposition } from '../../../engine/render-composition.ts';
import { UNCONFINED } from '../../helpers/sandbox.ts';
import { finalOf } from './_composition.ts';
import { folderOf } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

const final = {
  ...finalOf({ duration: 1, layers: [{ id: 'r', type: 'shape', color: '#E30613' }] }),
  preview: { height: 90, start: 0, duration: 1, fps: 10 },
};

test('sound, poster and preview that the cache has only partly are encoded again', async (t) => {
  const folder = await folderOf(t);
  const kept = await openFolderCache(join(folder, 'cache'));
  const first = await rendered({ ...optionsOf(final, join(folder, 'first')), cache: kept });
  const cut = new Set<string>();
  const cache: SegmentCache = {
    ...kept,
    fetch: async (key, file) => {
      if (!(await kept.fetch(key, file))) return false;
      if (/(sound\.m4a|poster\.jpg|preview\.webp)$/.test(file)) {
        cut.add(file);
        await truncate(file, (await stat(file)).size - 20);
      }
      return true;
    },
  };
  const again = await rendered({ ...optionsOf(final, join(folder, 'again')), cache });
  t.is(cut.size, 3);
  t.is(again.frames_cached, 30);
  for (const name of ['master.mp4', 'poster.jpg', 'preview.webp'])
    t.true((await readFile(join(folder, 'again', name))).equals(await readFile(join(folder, 'first', name))), name);
  t.truthy(first.preview);
});

for (const name of ['sound.m4a', 'poster.jpg', 'preview.webp'])
  test(`${name}: a truncated output is stored nowhere, although the encoder reports success`, async (t) => {
    const folder = await folderOf(t);
    const cache = await openFolderCache(join(folder, 'cache'));
    const program = join(folder, 'ffmpeg');
    const cutting = `for last; do :; done\nffmpeg "$@" || exit\ncase "$last" in *${name}) truncate -s -20 "$last";; esac\n`;
    await writeFile(program, `#!/bin/sh\n${cutting}exit 0\n`);
    await chmod(program, 0o755);
    const options = { ...optionsOf(final, join(folder, 'out')), cache };
    t.like(await renderComposition({ ...options, sandbox: UNCONFINED, ffmpeg_path: program }), {
      left: { tag: 'infrastructure' },
    });
    const { master } = await rendered(options);
    t.true((await stat(master)).size > 0);
  });
