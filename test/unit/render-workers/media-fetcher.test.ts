import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import type { RemoteMedia } from '../../../domain/composition/remote-media.ts';
import type { FetchFault, FetchRequest, FetchResult } from '../../../platform/outbound/fetch-result.ts';
import { SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { retryAfterPauses } from '../../../platform/process/retry.ts';
import { workClock } from '../../../render-workers/metering/work-clock.ts';
import { workMeter } from '../../../render-workers/metering/work-meter.ts';
import { fetchedAssets, nameFieldInFault } from '../../../render-workers/preparer/fetched-assets.ts';
import { FETCH_LIMITS, openMediaFetcher } from '../../../render-workers/preparer/media-fetcher.ts';
import { TransientFault } from '../../../render-workers/preparer/preparation-fault.ts';
import { pollUntil } from '../../../stack/testing/until.ts';

const NEVER = new AbortController().signal;
const MIB = 1024 ** 2;

const remote = (field: string, path = field, kind: RemoteMedia['kind'] = 'image'): RemoteMedia => ({
  field,
  url: `https://example.com/${path}`,
  kind,
});
const fetched = (size_bytes = 1, sha256 = 'a'.repeat(64)): FetchResult => ({
  tag: 'fetched',
  sha256,
  size_bytes,
  content_type: null,
});
const failed = (code: FetchFault['code'], status: number | null = null): FetchResult => ({
  tag: 'failed',
  code,
  status,
  message: 'It did not.',
});

const answering = (answer: (request: FetchRequest, nth: number) => FetchResult | Promise<FetchResult>) => {
  const asked: FetchRequest[] = [];
  const fetcher = openMediaFetcher(
    {
      fetchFile: async (request) => {
        asked.push(request);
        return await answer(request, asked.length);
      },
    },
    SYSTEM_CLOCK,
    retryAfterPauses([1, 1]),
  );
  const meter = workMeter();
  const fetch = (
    media: readonly RemoteMedia[],
    signal = NEVER,
    account_id = 'acc_1',
    clock = workClock(60_000, SYSTEM_CLOCK),
  ) => clock.work(() => fetcher.fetch(media, { account_id, folder: '/folder', clock, meter, signal }));
  return { asked, fetch, meter };
};

test('each URL is fetched once, with the smallest limit of its kinds', async (t) => {
  const { fetch, asked } = answering(() => fetched());
  const media = [remote('a', 'x', 'video'), remote('b', 'y'), remote('c', 'x', 'audio'), remote('d', 'y')];
  const result = await fetch(media);
  t.deepEqual(
    asked.map(({ url, most_bytes, file }) => ({ url, most_bytes, file })),
    [
      { url: 'https://example.com/x', most_bytes: 256 * MIB, file: '/folder/fetched-0' },
      { url: 'https://example.com/y', most_bytes: 50 * MIB, file: '/folder/fetched-1' },
    ],
  );
  t.like(result, { right: [{ media: [media[0], media[2]] }, { media: [media[1], media[3]] }] });
});

test('temporary failures are retried, and permanent ones are not', async (t) => {
  const flaky = answering((_request, nth) => (nth < 3 ? failed('status', 503) : fetched()));
  t.true(E.isRight(await flaky.fetch([remote('a')])));
  t.is(flaky.asked.length, 3);
  for (const [code, status, times] of [
    ['connection_reset', null, 3],
    ['connection_refused', null, 3],
    ['timeout', null, 3],
    ['incomplete', 200, 3],
    ['status', 500, 3],
    ['status', 429, 3],
    ['status', 404, 1],
    ['status', 403, 1],
    ['address_refused', null, 1],
    ['name_not_found', null, 1],
    ['tls', null, 1],
    ['too_large', 200, 1],
    ['redirects', null, 1],
  ] as const) {
    const { fetch, asked } = answering(() => failed(code, status));
    t.deepEqual(
      await fetch([remote('photo')]),
      E.left({
        code: `media_${code}`,
        field: 'values.photo',
        message: 'values.photo: could not be fetched. It did not.',
      }),
    );
    t.is(asked.length, times, `${code} ${status}`);
  }
});

test('the first permanent failure ends the other fetches, and all share a limit', async (t) => {
  const { fetch, asked } = answering(({ url, signal }) =>
    url.endsWith('/bad')
      ? failed('status', 404)
      : new Promise((resolve) => signal.addEventListener('abort', () => resolve(failed('stopped')))),
  );
  t.like(await fetch([remote('slow'), remote('bad'), ...Array.from({ length: 20 }, (_, n) => remote(`more-${n}`))]), {
    left: { field: 'values.bad' },
  });
  t.is(asked.length, FETCH_LIMITS.at_once_per_render);

  const large = answering(() => fetched(512 * MIB));
  const films = ['one', 'two', 'three'].map((field) => remote(field, field, 'video'));
  t.true(E.isRight(await large.fetch(films.slice(0, 2))));
  t.like(await large.fetch(films), { left: { code: 'media_too_large', field: 'values.three' } });
});

test('a full local disk or a stop is not blamed on the value', async (t) => {
  const full = answering(() => failed('not_stored', 200));
  await t.throwsAsync(full.fetch([remote('a')]), { instanceOf: TransientFault });
  const stop = new AbortController();
  const stopped = answering(() => {
    stop.abort(new Error('stopping'));
    return failed('stopped');
  });
  await t.throwsAsync(stopped.fetch([remote('a')], stop.signal), { message: 'stopping' });
});

test('fetched files become assets with ids that the project does not have', (t) => {
  const key = 'k'.repeat(64);
  const media = [remote('a', 'x', 'video'), remote('b', 'x', 'audio'), remote('c', 'x', 'video'), remote(key, 'x')];
  const sha256 = 'b'.repeat(64);
  const { of_field, files, blobs } = fetchedAssets([{ media, file: '/folder/x', sha256 }], ['value-a', 'value-a-2']);
  t.deepEqual(
    [...of_field].map(([field, { id, kind }]) => [field, id, kind]),
    [
      ['a', 'value-a-3', 'video'],
      ['c', 'value-a-3', 'video'],
      ['b', 'value-b', 'audio'],
      [key, `value-${'k'.repeat(50)}`, 'image'],
    ],
  );
  t.deepEqual([...files.values()], ['/folder/x', '/folder/x', '/folder/x']);
  t.deepEqual([...blobs], [[sha256, '/folder/x']]);
});

test('an error of a fetched file names its value, and others stay unchanged', (t) => {
  const assets = fetchedAssets([{ media: [remote('photo')], file: '/folder/x', sha256: 'b'.repeat(64) }], []);
  t.deepEqual(
    nameFieldInFault(
      { code: 'c', field: 'assets.value-photo', message: 'assets.value-photo: the image "value-photo" is empty' },
      assets,
    ),
    { code: 'c', field: 'values.photo', message: 'values.photo: the file at the URL is empty' },
  );
  t.deepEqual(
    nameFieldInFault(
      { code: 'c', field: 'layers[2].asset', message: 'layers[2].asset: the image "value-photo" is a mere strip' },
      assets,
    ),
    { code: 'c', field: 'values.photo', message: 'values.photo: the file at the URL is a mere strip' },
  );
  const other = { code: 'c', field: 'assets.logo', message: 'assets.logo: the image "logo" is empty' };
  t.deepEqual(nameFieldInFault(other, assets), other);
});

const slowServers = (within_ms?: number) => {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const fetcher = openMediaFetcher(
    {
      fetchFile: ({ url, signal, on_bytes }) => {
        const { promise, resolve } = Promise.withResolvers<FetchResult>();
        begun.push(url.slice('https://example.com/'.length));
        on_bytes?.(10);
        signal.addEventListener('abort', () => resolve(failed('stopped')));
        ends.set(url, () => resolve(fetched()));
        return promise;
      },
    },
    SYSTEM_CLOCK,
    retryAfterPauses([1]),
    within_ms,
  );
  const fetch = (
    account_id: string,
    paths: readonly string[],
    signal = NEVER,
    clock = workClock(60_000, SYSTEM_CLOCK),
  ) => {
    const meter = workMeter();
    const media = paths.map((path) => remote(path));
    const job = { account_id, folder: '/folder', clock, meter, signal };
    return { meter, result: clock.work(() => fetcher.fetch(media, job)) };
  };
  const end = (path: string) => ends.get(`https://example.com/${path}`)?.();
  return { begun, fetch, end, settled: () => new Promise(setImmediate) };
};
const paths = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-${n}`);

test('an account whose servers are slow occupies only its own slots', async (t) => {
  const { begun, fetch, end, settled } = slowServers();
  const stop = new AbortController();
  const slow = ['one', 'two', 'three', 'four'].map((name) => fetch('slow', paths(name, 3), stop.signal).result);
  await settled();
  t.is(begun.length, FETCH_LIMITS.at_once_per_account);
  const quick = fetch('quick', ['photo']).result;
  await settled();
  t.is(begun.at(-1), 'photo');
  end('photo');
  t.true(E.isRight(await quick));
  stop.abort(new Error('over'));
  for (const one of await Promise.allSettled(slow)) t.is(one.status, 'rejected');
});

test("the render's clock runs during a fetch, not while waiting for a slot", async (t) => {
  const { begun, fetch, end, settled } = slowServers(300);
  const first = fetch('acc_1', paths('first', 3)).result;
  const next = fetch('acc_1', paths('next', 3)).result;
  await settled();
  const clock = workClock(300, SYSTEM_CLOCK);
  const second = fetch('acc_1', ['second'], NEVER, clock).result;
  t.like(await first, { left: { code: 'media_timeout' } }, 'slow servers have their full time');
  const free_at = performance.now();
  t.like(await next, { left: { code: 'media_timeout' } }, 'and so do those that wait behind them');
  t.true(performance.now() - free_at > 200, "all of the slow account's slots");
  await pollUntil('the slots are free', async () => begun.includes('second'));
  t.false(clock.signal.aborted);
  end('second');
  t.true(E.isRight(await second), 'the wait does not reduce the time of a fetch');
  t.false(clock.signal.aborted);
});

test('fetches are measured, including failed ones', async (t) => {
  const { fetch } = slowServers(20);
  const { meter, result } = fetch('acc_1', ['a', 'b']);
  t.true(E.isLeft(await result));
  t.is(meter.cost().fetched_bytes, 20);
});
