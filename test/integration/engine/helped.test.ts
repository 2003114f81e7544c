import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { openFolderCache } from '../../../render-workers/engine/cache/folder-cache.ts';
import type { SegmentCache } from '../../../render-workers/engine/cache/segment-cache.ts';
import { helpComposition } from '../../../render-workers/engine/help-composition.ts';
import type { Helpers } from '../../../render-workers/engine/render/helpers.ts';
import { UNCONFINED } from '../../helpers/sandbox.ts';
import { finalOf } from './_composition.ts';
import { ffmpeg, folderOf } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

type Span = { readonly from: number; readonly until: number };

/** Twelve seconds in which everything moves: six segments of two seconds. */
const FILM = finalOf(
  {
    duration: 12,
    layers: [
      { id: 'title', type: 'text', text: 'Title', fade_in: 12 },
      { id: 'box', type: 'shape', width: 40, height: 40, color: '#E30613', rotation: 20, fade_out: 12 },
    ],
  },
  [],
  [{ name: 'small', height: 90 }],
);
const SEGMENTS = 6;
const own = { cores: 1, lossless: true, most_segment_frames: 60 };

const pictures = async (file: string): Promise<string> =>
  (await ffmpeg('-i', file, '-map', '0:v', '-f', 'framemd5', '-')).toString();

const alone = async (folder: string): Promise<string> => {
  const { master } = await rendered({ ...optionsOf(FILM, join(folder, 'alone')), ...own });
  return await pictures(master);
};

/** What others are said to do. */
const desk = () => {
  const state = { taken: new Set<number>(), stored: new Set<number>(), hash: '' };
  const wanted: Span[][] = [];
  const listeners = new Set<() => void>();
  const asked = Promise.withResolvers<void>();
  const helpers: Helpers = {
    want: (hash, lacking) => {
      state.hash = hash;
      wanted.push([...lacking]);
      asked.resolve();
    },
    isTaken: (index) => state.taken.has(index) || state.stored.has(index),
    isStored: (index) => state.stored.has(index),
    onChange: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
  };
  const store = (index: number): void => {
    state.stored.add(index);
    for (const listener of listeners) listener();
  };
  return { helpers, state, wanted, asked: asked.promise, store };
};

test('a film of which another process encodes the end is the film that one makes alone', async (t) => {
  const folder = await folderOf(t);
  const cache = await openFolderCache(join(folder, 'cache'));
  const { helpers, state, wanted, asked, store } = desk();
  const spans: Span[] = [
    { from: 5, until: 6 },
    { from: 2, until: 5 },
  ];
  for (let index = 2; index < SEGMENTS; index += 1) state.taken.add(index);
  const late = join(folder, 'ffmpeg');
  const waits = 'case "$*" in *segment_format*) sleep 6;; esac';
  await writeFile(late, `#!/bin/sh\n${waits}\nexec ${process.env.FFMPEG_PATH ?? 'ffmpeg'} "$@"\n`, { mode: 0o755 });
  const help = async () => {
    await asked;
    return await helpComposition({
      ...optionsOf(FILM, join(folder, 'helper')),
      ...own,
      cache,
      parts_sha256: state.hash,
      take: async () => spans.shift() ?? null,
      stored: store,
    });
  };
  const counted: number[] = [];
  const making = rendered({
    ...optionsOf(FILM, join(folder, 'owner')),
    ...own,
    ...{ cache, helpers, ffmpeg_path: late, sandbox: UNCONFINED },
    on_progress: ({ frames_done }) => counted.push(frames_done),
  });
  const [made, helped] = await Promise.all([making, help()]);
  t.deepEqual(helped, E.right('nothing_left'));
  t.deepEqual(wanted[0], [{ from: 1, until: SEGMENTS }], 'all but what it is at');
  t.deepEqual(wanted.at(-1), []);
  t.is(await pictures(made.master), await alone(folder));
  t.deepEqual(
    counted,
    counted.toSorted((a, b) => a - b),
  );
  t.is(counted.at(-1), 360);
  t.is(made.frames_cached, 0);
  t.is(made.frames_helped, 240, 'all that the other process took');
});

test('what others took and never bring is encoded all the same', async (t) => {
  const folder = await folderOf(t);
  const { helpers, state } = desk();
  for (const index of [2, 3, 4, 5]) state.taken.add(index);
  const made = await rendered({ ...optionsOf(FILM, join(folder, 'owner')), ...own, helpers });
  t.is(await pictures(made.master), await alone(folder));
  t.is(made.frames_helped, 0);
});

test('what others say that they stored, and is not there or is another film, is encoded', async (t) => {
  const folder = await folderOf(t);
  const { helpers, store } = desk();
  for (const index of [0, 3, 5]) store(index);
  const other = await rendered(optionsOf(finalOf({ layers: [] }), join(folder, 'other')));
  let asked = 0;
  const lying: SegmentCache = {
    has: async () => true,
    fetch: async (_key, file) => {
      if (!file.endsWith('.mp4')) return false;
      asked += 1;
      if (asked <= SEGMENTS * 2) return false;
      await ffmpeg('-i', other.master, '-c', 'copy', file);
      return true;
    },
    store: async () => undefined,
  };
  const made = await rendered({ ...optionsOf(FILM, join(folder, 'owner')), ...own, helpers, cache: lying });
  t.is(await pictures(made.master), await alone(folder));
  t.is(made.frames_helped, 0);
});

test('an engine that would make other parts encodes none', async (t) => {
  const folder = await folderOf(t);
  const never = (): never => t.fail() as never;
  const helped = await helpComposition({
    ...optionsOf(FILM, folder),
    ...own,
    ...{ parts_sha256: '0'.repeat(64), take: never, stored: never },
  });
  t.deepEqual(helped, E.right('other_parts'));
});
