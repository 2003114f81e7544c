import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { openFolderCache } from '../../../engine/cache/folder-cache.ts';
import { NO_CACHE, type SegmentCache } from '../../../engine/cache/segment-cache.ts';
import type { Size } from '../../../engine/raster/geometry.ts';
import { openPartClaims } from '../../../engine/render/part-claims.ts';
import { renderComposition } from '../../../engine/render-composition.ts';
import { pollUntil } from '../../../stack/testing/until.ts';
import { UNCONFINED } from '../../helpers/sandbox.ts';
import { finalOf } from './_composition.ts';
import { folderOf, framemd5 } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';
import { waitingFfmpeg } from './_waiting-ffmpeg.ts';

type Film = { readonly variants?: Parameters<typeof finalOf>[2]; readonly seconds?: number } & Partial<Size>;

/** Everything moves, in segments of one second. Films with another `end` differ in the last segment only. */
const filmOf = (end: string, { variants = [], seconds = 4, ...size }: Film = {}) =>
  finalOf(
    {
      ...size,
      duration: seconds,
      layers: [
        { id: 'title', type: 'text', text: 'Title', fade_in: seconds - 1 },
        { id: 'end', type: 'text', text: end, start: seconds - 1, duration: 1, fade_in: 1 },
        { id: 'box', type: 'shape', width: 40, height: 40, color: '#E30613', rotation: 20, fade_out: seconds },
      ],
      fps: 30,
    },
    [],
    variants,
  );
/** Encoding a segment of this size takes longer than stopping a process. */
const LARGE = { width: 854, height: 480, seconds: 8 };
const own = { cores: 1, lossless: true, max_segment_frames: 30, owner: 'acc_a', sandbox: UNCONFINED };

const madeHere = ({ outputs, frames_cached, frames_helped }: Awaited<ReturnType<typeof rendered>>): number =>
  (outputs[0]?.frames ?? 0) - frames_cached - frames_helped;

/** An ffmpeg for each render that waits until all renders have started to encode. */
const together = (folder: string, names: readonly string[]): Promise<readonly string[]> => {
  const begun = names.map((name) => join(folder, `begun-${name}`));
  return Promise.all(names.map((name, n) => waitingFfmpeg(join(folder, `ffmpeg-${name}`), begun, begun[n])));
};

test('concurrent renders of a version share segments, and each gives its usual film', async (t) => {
  const folder = await folderOf(t);
  const cache = await openFolderCache(join(folder, 'cache'));
  const claims = openPartClaims();
  const names = ['one', 'two', 'three'];
  const programs = await together(folder, names);
  const made = await Promise.all(
    names.map((name, n) =>
      rendered({
        ...optionsOf(filmOf(name, LARGE), join(folder, name)),
        ...own,
        ...{ cache, claims, ffmpeg_path: programs[n] ?? '' },
      }),
    ),
  );
  const frames = made.map(madeHere);
  t.log(frames);
  t.true(
    frames.every((count) => count >= 30),
    'the last segment of each is its own',
  );
  // Without sharing there would be 720 frames, with perfect sharing 300. A busy machine stops programs late, and they
  // encode more meanwhile.
  t.true(frames.reduce((sum, count) => sum + count, 0) <= 600, String(frames));
  for (const [n, name] of names.entries()) {
    const alone = await rendered({ ...optionsOf(filmOf(name, LARGE), join(folder, `alone-${name}`)), ...own });
    t.is(await framemd5(made[n]?.master ?? ''), await framemd5(alone.master), name);
  }
});

test('a render encodes parts that another render claims and never stores, or stores unreadably', async (t) => {
  const folder = await folderOf(t);
  const claims = openPartClaims();
  const keys = new Set<string>();
  const asking: SegmentCache = {
    ...NO_CACHE,
    fetch: async (key) => {
      keys.add(key);
      return false;
    },
  };
  const first = await rendered({ ...optionsOf(filmOf('one'), join(folder, 'first')), ...own, cache: asking });
  const idle = claims.join('acc_a');
  idle.claim([...keys]);
  const second = await rendered({ ...optionsOf(filmOf('one'), join(folder, 'second')), ...own, claims });
  t.is(madeHere(second), 120);
  t.is(await framemd5(second.master), await framemd5(first.master));

  // The other render reports stored parts that the cache has lost.
  const lost = claims.join('acc_a');
  lost.claim([...keys]);
  const saying: SegmentCache = {
    ...NO_CACHE,
    fetch: async (key) => {
      lost.stored(key);
      return false;
    },
  };
  const third = await rendered({ ...optionsOf(filmOf('one'), join(folder, 'third')), ...own, claims, cache: saying });
  t.is(madeHere(third), 120);
  t.is(await framemd5(third.master), await framemd5(first.master));
});

test('renders share no segments if the cache stores nothing', async (t) => {
  const folder = await folderOf(t);
  const claims = openPartClaims();
  const names = ['one', 'two', 'three'];
  const programs = await together(folder, names);
  const made = await Promise.all(
    names.map((name, n) =>
      rendered({ ...optionsOf(filmOf('end'), join(folder, name)), ...own, claims, ffmpeg_path: programs[n] ?? '' }),
    ),
  );
  const processes = await Promise.all(
    names.map(async (name) => (await readFile(join(folder, `begun-${name}`), 'utf8')).length),
  );
  t.log(processes);
  t.true(
    processes.every((count) => count <= 3),
    String(processes),
  );
  const films = await Promise.all(made.map(({ master }) => framemd5(master)));
  t.is(new Set(films).size, 1);
});

test('a cancelled render releases its claims to other renders', async (t) => {
  const folder = await folderOf(t);
  const cache = await openFolderCache(join(folder, 'cache'));
  const claims = openPartClaims();
  const names = ['one', 'two'];
  const [one = '', two = ''] = await together(folder, names);
  const cancelling = new AbortController();
  const options = (name: string) => ({ ...optionsOf(filmOf(name), join(folder, name)), ...own, cache, claims });
  const first = renderComposition({ ...options('one'), ffmpeg_path: one, signal: cancelling.signal });
  let frames_done = 0;
  const second = rendered({
    ...options('two'),
    ffmpeg_path: two,
    on_progress: (progress) => {
      frames_done = progress.frames_done;
    },
  });
  await pollUntil('the second is under way', async () => frames_done > 0);
  cancelling.abort();
  await first;
  const alone = await rendered({ ...optionsOf(filmOf('two'), join(folder, 'alone')), ...own });
  t.is(await framemd5((await second).master), await framemd5(alone.master));
});

test('a render does not refetch its own part when another render stores the other', async (t) => {
  const folder = await folderOf(t);
  const cache = await openFolderCache(join(folder, 'cache'));
  const claims = openPartClaims();
  await rendered({ ...optionsOf(filmOf('one'), join(folder, 'masters')), ...own, cache });
  const both = filmOf('one', { variants: [{ name: 'small', height: 90 }] });
  let again = 0;
  const made = await Promise.all(
    ['one', 'two'].map((name) => {
      const had = new Set<string>();
      const once: SegmentCache = {
        ...cache,
        fetch: async (key, file, signal) => {
          if (!(await cache.fetch(key, file, signal))) return false;
          if (!had.has(key)) return Boolean(had.add(key));
          again += 1;
          await rm(file);
          return false;
        },
      };
      return rendered({ ...optionsOf(both, join(folder, name)), ...own, claims, cache: once });
    }),
  );
  t.is(again, 0);
  t.is(await framemd5(made[0]?.master ?? ''), await framemd5(made[1]?.master ?? ''));
});
