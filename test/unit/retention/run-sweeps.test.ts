import test from 'ava';
import { createLogger } from '../../../platform/logging/logger.ts';
import type { HeldLease } from '../../../retention/lease/lease.ts';
import { runSweeps, type Sweep, type SweepsProgress } from '../../../retention/sweeps/run-sweeps.ts';
import { virtualClock } from '../../helpers/virtual-clock.ts';

const DAY_MS = 86_400_000;
const PAGE_MS = 500;
const NEXT: Readonly<Record<string, string | null>> = { a: 'b', b: 'c', c: null };

const openWorld = () => {
  const clock = virtualClock();
  const pages: string[] = [];
  const faulty = new Set<string>();
  let stored: SweepsProgress | null = null;
  const sweep: Sweep = {
    name: 'renders',
    every_ms: DAY_MS,
    page: async (from, signal) => {
      const page = from ?? 'a';
      await clock.sleep(PAGE_MS, signal);
      pages.push(page);
      if (faulty.has(page)) throw new Error('Blob is away');
      return { next: NEXT[page] ?? null, removed: { media: { removed: 1, removed_bytes: 10 } } };
    },
  };
  const hold = (): (() => Promise<void>) => {
    const life = new AbortController();
    const { signal } = life;
    const held: HeldLease<SweepsProgress> = {
      signal,
      progress: () => stored,
      save: async (change) => {
        signal.throwIfAborted();
        stored = change(stored);
      },
    };
    const logger = createLogger('test', 'silent');
    const ended = runSweeps([sweep], held, { onPage: () => undefined, logger, clock });
    return async () => {
      life.abort();
      await ended;
    };
  };
  return { clock, pages, faulty, hold, stored: () => stored };
};

test('a pass uses half of the time, and the next starts a day later', async (t) => {
  const { clock, pages, hold, stored } = openWorld();
  const end = hold();
  await clock.advance(5 * PAGE_MS);
  t.deepEqual(pages, ['a', 'b', 'c']);
  t.deepEqual(stored()?.renders?.last, {
    ended_at: 5 * PAGE_MS,
    removed: { media: { removed: 3, removed_bytes: 30 } },
  });
  await clock.advance(DAY_MS - 1);
  t.is(pages.length, 3);
  await clock.advance(PAGE_MS + 1);
  t.deepEqual(pages.slice(3), ['a']);
  await end();
});

test('another process continues with the unfinished page', async (t) => {
  const { clock, pages, hold } = openWorld();
  const first = hold();
  await clock.advance(PAGE_MS * 2.5);
  await first();
  const second = hold();
  await clock.advance(5 * PAGE_MS);
  t.deepEqual(pages, ['a', 'b', 'c']);
  await second();
});

test('while Blob is unavailable, the page is retried each minute', async (t) => {
  const { clock, pages, faulty, hold } = openWorld();
  faulty.add('b');
  const end = hold();
  await clock.advance(130_000);
  t.deepEqual(pages, ['a', 'b', 'b', 'b']);
  faulty.clear();
  await clock.advance(60_000);
  t.deepEqual(pages.slice(4), ['b', 'c']);
  await end();
});

test('a page that fails repeatedly restarts the pass', async (t) => {
  const { clock, pages, faulty, hold } = openWorld();
  faulty.add('b');
  const end = hold();
  await clock.advance(660_000);
  t.deepEqual(pages.slice(0, 13), ['a', ...Array.from({ length: 10 }, () => 'b'), 'a', 'b']);
  await end();
});
