import { mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { openFolderCache } from '../../../engine/cache/folder-cache.ts';
import { NO_CACHE, type SegmentCache } from '../../../engine/cache/segment-cache.ts';
import { helpComposition } from '../../../engine/help-composition.ts';
import type { Helpers } from '../../../engine/render/helpers.ts';
import { type RenderOptions, renderComposition } from '../../../engine/render-composition.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { openHelpCoordinator } from '../../../render-workers/worker/help/help-desk.ts';
import { startHelpRunner } from '../../../render-workers/worker/help/helping.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { metaBy } from '../../helpers/render-events.ts';
import { UNCONFINED } from '../../helpers/sandbox.ts';
import { blobsWith } from '../../unit/render-workers/_blobs.ts';
import { finalOf } from './_composition.ts';
import { ffmpeg, folderOf, framemd5 } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';
import { waitingFfmpeg } from './_waiting-ffmpeg.ts';

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
const NO_FOLDER = { media: '', segments: '', remove: async () => undefined };
const own = { cores: 1, lossless: true, max_segment_frames: 60 };

let alone_md5: Promise<string> | null = null;
/** Frame hashes of the film rendered by a single process, once for all tests. */
const alone = (folder: string): Promise<string> => {
  alone_md5 ??= rendered({ ...optionsOf(FILM, join(folder, 'alone')), ...own }).then(({ master }) => framemd5(master));
  return alone_md5;
};

/** The simulated reports of helpers. */
const desk = () => {
  const state = { taken: new Set<number>(), stored: new Set<number>(), hash: '' };
  const wanted: Span[][] = [];
  const listeners = new Set<() => void>();
  const asked = Promise.withResolvers<void>();
  const helpers: Helpers = {
    announceMissing: (hash, lacking) => {
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

test("a film with a helper's parts equals one that a single worker encodes", async (t) => {
  const folder = await folderOf(t);
  const cache = await openFolderCache(join(folder, 'cache'));
  const { helpers, state, wanted, asked, store } = desk();
  const spans: Span[] = [
    { from: 5, until: 6 },
    { from: 2, until: 5 },
  ];
  for (let index = 2; index < SEGMENTS; index += 1) state.taken.add(index);
  const over = join(folder, 'over');
  // The render's own ffmpeg, which waits until the helper has stored all parts that it claimed.
  const late = await waitingFfmpeg(join(folder, 'ffmpeg'), [over]);
  const help = async () => {
    await asked;
    return await helpComposition({
      ...optionsOf(FILM, join(folder, 'helper')),
      ...own,
      cache,
      parts_sha256: state.hash,
      take: async () => {
        if (spans.length === 0) await writeFile(over, '');
        return spans.shift() ?? null;
      },
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
  t.deepEqual(wanted[0], [{ from: 1, until: SEGMENTS }], 'all segments except the current one');
  t.deepEqual(wanted.at(-1), []);
  t.is(await framemd5(made.master), await alone(folder));
  t.deepEqual(
    counted,
    counted.toSorted((a, b) => a - b),
  );
  t.is(counted.at(-1), 360);
  t.is(made.frames_cached, 0);
  t.is(made.frames_helped, 240, 'all segments of the helper');
});

test('parts that helpers claim and never deliver are encoded by the owner', async (t) => {
  const folder = await folderOf(t);
  const { helpers, state } = desk();
  for (const index of [2, 3, 4, 5]) state.taken.add(index);
  const made = await rendered({ ...optionsOf(FILM, join(folder, 'owner')), ...own, helpers });
  t.is(await framemd5(made.master), await alone(folder));
  t.is(made.frames_helped, 0);
});

test('parts that helpers report stored, but that are missing or different, are encoded', async (t) => {
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
  t.is(await framemd5(made.master), await alone(folder));
  t.is(made.frames_helped, 0);
});

test('a helper that would encode different parts encodes none', async (t) => {
  const folder = await folderOf(t);
  const never = (): never => t.fail() as never;
  const helped = await helpComposition({
    ...optionsOf(FILM, folder),
    ...own,
    ...{ parts_sha256: '0'.repeat(64), take: never, stored: never },
  });
  t.deepEqual(helped, E.right('other_parts'));
});

test('a recurring part is encoded although a helper claimed its first occurrence', async (t) => {
  const folder = await folderOf(t);
  const { helpers, state } = desk();
  state.taken.add(1);
  const slide = (color: string, start: number) => ({
    ...{ id: `slide-${start}`, type: 'shape', width: 40, height: 40, color, start, duration: 2 },
  });
  const colors = ['#E30613', '#0613E3', '#13E306', '#111111', '#777777', '#0613E3'];
  const final = finalOf({ duration: 12, layers: colors.map((color, n) => slide(color, 2 * n)) });
  const made = await rendered({ ...optionsOf(final, join(folder, 'owner')), ...own, helpers });
  t.is(made.outputs[0]?.frames, 360);
});

test('a film of one picture has one part, and requests no help', async (t) => {
  const folder = await folderOf(t);
  const { helpers, wanted } = desk();
  await rendered({ ...optionsOf(finalOf({ duration: 60, layers: [] }), folder), ...own, helpers });
  t.deepEqual(wanted.flat(), []);
});

const hashOf = async (making_of: RenderOptions): Promise<string> => {
  const { helpers, state, asked } = desk();
  const stop = new AbortController();
  const making = renderComposition({ ...making_of, helpers, signal: stop.signal });
  await asked;
  stop.abort();
  await making;
  return state.hash;
};

test('a helper whose cache stores nothing stops claiming, and a stopped one never waits', async (t) => {
  const folder = await folderOf(t);
  const parts_sha256 = await hashOf({ ...optionsOf(FILM, join(folder, 'owner')), ...own });
  let taken = 0;
  const take = async (): Promise<Span> => {
    taken += 1;
    return { from: 4, until: 6 };
  };
  const common = { ...optionsOf(FILM, join(folder, 'helper')), ...own, parts_sha256, take, stored: () => t.fail() };
  const helped = await helpComposition({ ...common, cache: NO_CACHE });
  t.like(helped, { left: { tag: 'infrastructure' } });
  t.is(taken, 1);

  const life = new AbortController();
  const never = Promise.withResolvers<never>().promise;
  const store = (): Promise<never> => {
    life.abort();
    return never;
  };
  const stopped = await helpComposition({ ...common, cache: { ...NO_CACHE, store }, signal: life.signal });
  t.deepEqual(stopped, E.left({ tag: 'cancelled' }));
});

test('a worker that helps a film twice records all its parts for an erasure', async (t) => {
  const folder = await folderOf(t);
  const film = finalOf({
    duration: 40,
    layers: [{ id: 'box', type: 'shape', width: 40, height: 40, color: '#E30613', fade_in: 40 }],
  });
  const parts_sha256 = await hashOf({ ...optionsOf(film, join(folder, 'owner')), cores: 1 });
  const cache = await openFolderCache(join(folder, 'cache'));
  const notes = new Map<string, string>();
  const world = { lacking: [{ from: 4, until: 10 }], slots: 1, beat: 0 };
  const about = { render_id: 'rend_1', attempt_id: 'att_1', account_id: 'acc_1', project_id: 'proj_1', parts_sha256 };
  const read = (): void => {
    world.beat += 1;
    const by = (worker_id: string) => ({
      ...{ type: 'WorkerBeat' as const, meta: metaBy(`worker:${worker_id}`), worker_id, beat: world.beat, slots: 1 },
      ...{ draining: false, attempts: [], failed: [], engines: [], impediments: [], wanted: [], helps: [] },
    });
    const wanted = [{ ...about, composition: { path: 'composition', sha256: 'ab' }, lacking: world.lacking }];
    desk_of_helper.read([
      { ...by('work_1'), wanted },
      { ...by('work_2'), helps: [...helping.shown()] },
    ]);
  };
  const soon = (): void => void setTimeout(read, 1);
  const desk_of_helper = openHelpCoordinator('work_2', soon, SYSTEM_CLOCK);
  const helping = startHelpRunner({
    ...optionsOf(film, folder),
    ...{ desk: desk_of_helper, free: () => world.slots, beat: soon, helped: () => undefined, least_free_bytes: 1 },
    ...{
      cores: 1,
      clock: SYSTEM_CLOCK,
      logger: createLogger('test', 'silent'),
    },
    segments: { shared: () => cache },
    blobs: blobsWith({
      getPayload: async () => Buffer.from(JSON.stringify(film)),
      writeText: async (path, text) => void notes.set(path, text),
    }),
    assets: { provide: async () => new Map(), sizeOf: async () => 0 },
    folder: { ...NO_FOLDER, render: (name) => mkdtemp(join(folder, `${name}-`)) },
  });
  t.teardown(helping.stop);
  const kept = async () => (await readdir(join(folder, 'cache'))).filter((name) => /^[0-9a-f]{64}$/.test(name));
  const untilMore = async (count: number) => {
    const found = async () => {
      read();
      return (await kept()).length > count;
    };
    await pollUntil('more parts are stored', found, 60_000);
  };
  await untilMore(0);
  world.slots = 0;
  helping.adjust();
  await pollUntil('the help has ended', async () => helping.shown().length === 0);
  const before = (await kept()).length;
  world.slots = 1;
  world.lacking = [{ from: 0, until: 4 }];
  await untilMore(before);
  await helping.stop();
  const noted = new Set([...notes.values()].flatMap((text): string[] => JSON.parse(text)));
  t.deepEqual(
    (await kept()).filter((key) => !noted.has(key)),
    [],
  );
  t.true([...notes.keys()].every((path) => path.startsWith('renders/rend_1/parts/')));
});
