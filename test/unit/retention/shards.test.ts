import test from 'ava';
import fc from 'fast-check';
import { ulid } from 'ulid';
import { keyedRenderId, renderId } from '../../../domain/render/render-id.ts';
import type { EvictableBlobs } from '../../../platform/blob-store/evictable-blobs.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import type { LeaseDocument, LeaseStore } from '../../../read-models/leases/leases.ts';
import { startShardSweeps } from '../../../retention/renders/shard-sweeps.ts';
import { complementPrefixes, renderShards } from '../../../retention/renders/shards.ts';
import { listBelowPrefixes } from '../../../retention/sweeps/list-below.ts';
import type { SweepsProgress } from '../../../retention/sweeps/run-sweeps.ts';
import { type VirtualClock, virtualClock } from '../../helpers/virtual-clock.ts';

const DAY_MS = 86_400_000;
const SHARDS = renderShards();

const shardsOf = (id: string): readonly string[] =>
  SHARDS.flatMap(({ name, prefixes }) => prefixes.filter((one) => `renders/${id}/x`.startsWith(one)).map(() => name));

test('every render is in one shard, whatever its id', (t) => {
  const NOW = Date.UTC(2026, 0, 1);
  const ids = fc.oneof(
    fc.uint8Array({ minLength: 10, maxLength: 10 }).map(keyedRenderId),
    fc.integer({ min: 0, max: 2 * NOW }).map((time) => renderId(ulid(time))),
    fc.stringMatching(/^[-\w]{1,30}$/),
    fc.stringMatching(/^rend_[01]{1,6}[-\w]{1,30}$/),
  );
  for (const id of ['rend_0', 'rend_010', 'rend_000000000', 'rend_']) t.is(shardsOf(id).length, 1, id);
  fc.assert(fc.property(ids, (id) => t.is(shardsOf(id).length, 1, id)));
  const names = Array.from({ length: 32 }, (_, n) => shardsOf(renderId(ulid(NOW + n * 12.5 * DAY_MS)))[0]);
  t.true(new Set(names).size > 28, 'times are spread over the shards');
});

test('the remaining prefixes cover all other paths once', (t) => {
  const covered = ['a/b1', 'a/c'];
  const beside = complementPrefixes('a/', covered);
  fc.assert(
    fc.property(fc.stringMatching(/^a\/[bc1-3]{3,6}$/), (path) => {
      t.is([...beside, ...covered].filter((prefix) => path.startsWith(prefix)).length, 1, path);
    }),
  );
});

const listedBy = (paths: readonly string[], max_page: number) => {
  const asked: string[] = [];
  const list: EvictableBlobs['list'] = async (prefix, from, _signal, count = max_page) => {
    asked.push(prefix);
    const left = paths.filter((path) => path.startsWith(prefix) && path > (from ?? ''));
    const found = left.slice(0, Math.min(count, max_page));
    return {
      found: found.map((path) => ({ path, size_bytes: 1, stored_at: 0 })),
      next: found.length < left.length ? (found.at(-1) ?? null) : null,
    };
  };
  return { list, asked };
};

const pagesBelow = async (
  blobs: Pick<EvictableBlobs, 'list'>,
  prefixes: readonly string[],
): Promise<readonly (readonly string[])[]> => {
  const pages: (readonly string[])[] = [];
  for (let from: string | null = null; ; ) {
    const { found, next } = await listBelowPrefixes(blobs, { root: '', prefixes }, from, new AbortController().signal);
    pages.push(found.map(({ path }) => path));
    from = next;
    if (from === null) return pages;
  }
};

test('a list of several prefixes continues and skips empty ones', async (t) => {
  const blobs = listedBy(['a1', 'a2', 'a3', 'd1', 'f1'], 2);
  const pages = await pagesBelow(blobs, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  t.deepEqual(pages, [['a1', 'a2'], ['a3'], ['d1'], ['f1'], []]);
  t.deepEqual(blobs.asked, ['', 'a', 'a', 'b', 'c', 'd', 'e', 'f', 'g']);
});

test('one request lists a small store, filtered by prefixes', async (t) => {
  const blobs = listedBy(['a1', 'c1', 'd1', 'f1'], 5_000);
  t.deepEqual(await pagesBelow(blobs, ['a', 'b', 'd']), [['a1', 'd1']]);
  t.deepEqual(blobs.asked, ['']);
});

test('a large store is listed prefix by prefix', async (t) => {
  const paths = Array.from({ length: 1_001 }, (_, n) => `a${String(n).padStart(4, '0')}`);
  const blobs = listedBy(paths, 5_000);
  t.deepEqual(await pagesBelow(blobs, ['a', 'b']), [paths, []]);
  t.deepEqual(blobs.asked, ['', 'a', 'b']);
});

const leaseStore = () => {
  const documents = new Map<string, LeaseDocument<SweepsProgress>>();
  const of = (_id: string): LeaseStore<SweepsProgress> => ({
    read: async () => documents.get(_id) ?? null,
    replace: async (before, next) => {
      if ((documents.get(_id)?.version ?? null) !== before) return false;
      documents.set(_id, { _id, ...next });
      return true;
    },
  });
  return { of, documents };
};

const startProcess = (
  clock: VirtualClock,
  store: ReturnType<typeof leaseStore>,
  holder: string,
  swept: Map<string, string[]>,
  aheadMs = () => 0,
) => {
  let versions = 0;
  return startShardSweeps({
    shards: Array.from({ length: 12 }, (_, n) => ({ name: String(n), prefixes: [] })),
    sweepOf: ({ name }) => ({
      name: 'renders',
      every_ms: DAY_MS,
      page: async (from, signal) => {
        await clock.sleep(1_000, signal);
        const page = Number(from ?? 0);
        swept.set(name, [...(swept.get(name) ?? []), `${holder}${page}`]);
        return { next: page === 4 ? null : String(page + 1), removed: {} };
      },
    }),
    leasesOf: ({ name }) => store.of(name),
    holder,
    mintVersion: () => {
      versions += 1;
      return `${holder} ${versions}`;
    },
    onPage: () => undefined,
    logger: createLogger('test', 'silent'),
    clock: { ...clock, now: () => clock.now() + aheadMs() },
    warn: () => undefined,
  });
};

const passed = async (clock: VirtualClock, isDone: () => boolean, limit_ms: number): Promise<number> => {
  const began = clock.monotonic();
  while (!isDone() && clock.monotonic() - began < limit_ms) await clock.advance(500);
  return clock.monotonic() - began;
};

const hasAll = (swept: ReadonlyMap<string, readonly string[]>) => () =>
  swept.size === 12 && [...swept.values()].every((pages) => pages.length >= 5);

test('three processes sweep shards in under half the time of one', async (t) => {
  const times: number[] = [];
  for (const count of [1, 3]) {
    const [clock, store, swept] = [virtualClock(), leaseStore(), new Map<string, string[]>()];
    let days = 0;
    const all = ['a', 'b', 'c']
      .slice(0, count)
      .map((holder) => startProcess(clock, store, holder, swept, () => days * DAY_MS));
    times.push(await passed(clock, hasAll(swept), 600_000));
    await clock.advance(60_000);
    t.true(
      [...swept.values()].every((pages) => pages.length === 5),
      'each is swept once a day',
    );
    t.true(all.every((one) => one.endedAt() !== null));
    days = 1;
    await clock.advance(300_000);
    t.true(
      [...swept.values()].every((pages) => pages.length === 10),
      'and a day later again',
    );
    const stopped = Promise.all(all.map((one) => one.stop()));
    await clock.advance(60_000);
    await stopped;
  }
  t.true((times[1] ?? 0) < (times[0] ?? 0) / 2, JSON.stringify(times));
});

test('another process continues a shard at the same page', async (t) => {
  const [clock, store, swept] = [virtualClock(), leaseStore(), new Map<string, string[]>()];
  const real = store.of;
  let is_cut_off = false;
  const cutOff = (id: string): LeaseStore<SweepsProgress> => ({
    read: async () => (is_cut_off ? await new Promise(() => undefined) : await real(id).read()),
    replace: async (...of) => (is_cut_off ? await new Promise(() => undefined) : await real(id).replace(...of)),
  });
  startProcess(clock, { ...store, of: cutOff }, 'a', swept);
  await clock.advance(4_500);
  is_cut_off = true;
  startProcess(clock, store, 'b', swept);
  await passed(clock, () => swept.size === 12 && [...swept.values()].every((pages) => pages.includes('b4')), 900_000);
  for (const [, pages] of swept) t.is(pages.at(-1), 'b4');
  t.is(swept.get('0')?.includes('b0'), false, 'it did not start again');
});

test('clocks that differ by a month cause no repeated sweeps', async (t) => {
  const [clock, store, swept] = [virtualClock(), leaseStore(), new Map<string, string[]>()];
  startProcess(clock, store, 'a', swept, () => 31 * DAY_MS);
  await passed(clock, hasAll(swept), 600_000);
  startProcess(clock, store, 'b', swept);
  await clock.advance(600_000);
  t.true(
    [...swept.values()].every((pages) => pages.includes('b4')),
    'a pass with an end in the future is due',
  );
});
