import test from 'ava';
import { openRateLimits, type RateLimits, type TakeFromSharedBucket } from '../../../platform/access/rate-limits.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { type Clock, SYSTEM_CLOCK } from '../../../platform/process/clock.ts';
import { pollUntil } from '../../../stack/testing/until.ts';

type Settings = { readonly per_s: number; readonly burst: number };

const QUIET = createLogger('test', 'fatal');

const sharedBuckets = ({ per_s, burst }: Settings, { monotonic }: Pick<Clock, 'monotonic'> = SYSTEM_CLOCK) => {
  const levels = new Map<string, { level: number; at: number }>();
  const counted = { asked: 0 };
  const take: TakeFromSharedBucket = async (key_id, { wanted, returned }) => {
    counted.asked += 1;
    const at = monotonic();
    const before = levels.get(key_id) ?? { level: burst, at };
    const level = Math.min(burst, before.level + returned + ((at - before.at) * per_s) / 1000);
    const taken = Math.max(0, Math.floor(Math.min(level, Math.max(wanted, level / 10))));
    levels.set(key_id, { level: level - taken, at });
    return { taken, level: level - taken };
  };
  return { take, counted };
};

const limitsOver = (settings: Settings, shared: TakeFromSharedBucket): RateLimits =>
  openRateLimits(settings, shared, QUIET, SYSTEM_CLOCK);

const limits = (settings: Settings): RateLimits => limitsOver(settings, sharedBuckets(settings).take);

const allowedOf = async (takes: readonly ReturnType<RateLimits>[]): Promise<number> =>
  (await Promise.all(takes)).filter(({ allowed }) => allowed).length;

const times = (many: number, take: () => ReturnType<RateLimits>) => Array.from({ length: many }, take);

test('a key can use its burst at once, then gets the time to wait', async (t) => {
  const take = limits({ per_s: 1, burst: 3 });
  const taken = [await take('key_1'), await take('key_1'), await take('key_1'), await take('key_1')];
  t.deepEqual(
    taken.map(({ allowed }) => allowed),
    [true, true, true, false],
  );
  t.deepEqual(
    taken.map(({ headers }) => headers['RateLimit-Remaining']),
    ['2', '1', '0', '0'],
  );
  t.deepEqual(taken[0]?.headers, { 'RateLimit-Limit': '3', 'RateLimit-Remaining': '2', 'RateLimit-Reset': '1' });
  t.is(taken[3]?.headers['RateLimit-Reset'], '3');
  t.is(taken[3]?.retry_after_s, 1);
  t.true((await take('key_2')).allowed, 'every key has its own bucket');
});

test('a request succeeds after the announced wait, and a refusal takes no tokens', async (t) => {
  // A fixed time: with a real clock the bucket would fill while a busy machine takes a second for this test.
  const clock = { ...SYSTEM_CLOCK, monotonic: () => 0 };
  const settings = { per_s: 1, burst: 1 };
  const take = openRateLimits(settings, sharedBuckets(settings, clock).take, QUIET, clock);
  await take('key_1');
  for (let i = 0; i < 1_000; i += 1) t.false((await take('key_1')).allowed);
  t.is((await take('key_1')).headers['RateLimit-Reset'], '1');
});

test('the bucket fills at its rate up to its burst', async (t) => {
  const take = limits({ per_s: 100, burst: 2 });
  const began = performance.now();
  let allowed = 0;
  await pollUntil('twenty are accepted', async () => {
    while ((await take('key_1')).allowed) allowed += 1;
    return allowed >= 20;
  });
  const took_ms = performance.now() - began;
  t.true(allowed <= 2 + took_ms / 10 + 1);
  await pollUntil('the bucket is full', async () => (await take('key_2')).headers['RateLimit-Remaining'] === '1');
});

test('memory is bounded, because keys that occur once are dropped', async (t) => {
  // The shared bucket is unavailable, because it would not forget a key as this process does.
  const take = limitsOver({ per_s: 1, burst: 1 }, () => Promise.reject(new Error('away')));
  await take('key_first');
  t.false((await take('key_first')).allowed);
  for (let i = 0; i < 10_000; i += 1) await take(`key_${i}`);
  t.true((await take('key_first')).allowed);
});

test('several processes together allow the rate of one', async (t) => {
  const settings = { per_s: 1, burst: 300 };
  const { take } = sharedBuckets(settings);
  const processes = [limitsOver(settings, take), limitsOver(settings, take), limitsOver(settings, take)];
  const allowed = await allowedOf(processes.flatMap((limit) => times(300, () => limit('key_1'))));
  t.true(allowed >= 300 && allowed <= 330, `${allowed} of 300`);
});

test('most requests need no query, and floods of refused ones hardly any', async (t) => {
  const settings = { per_s: 20, burst: 1_000 };
  const { take, counted } = sharedBuckets(settings);
  const limit = limitsOver(settings, take);
  for (let i = 0; i < 500; i += 1) t.true((await limit('key_1')).allowed);
  t.true(counted.asked <= 20, `${counted.asked} look-ups for 500 requests`);
  for (let i = 0; i < 500; i += 1) await limit('key_1');
  const before = counted.asked;
  const began = performance.now();
  let refused = 0;
  await pollUntil('half a second has passed', async () => {
    for (let i = 0; i < 1_000; i += 1) refused += (await limit('key_1')).allowed ? 0 : 1;
    return performance.now() - began > 500;
  });
  t.true(refused > 1_000 && counted.asked - before <= 12, `${counted.asked - before} look-ups for ${refused} refused`);
});

test('a slow or unavailable store refuses no one; each process has its own bucket', async (t) => {
  const settings = { per_s: 1, burst: 10 };
  const never: TakeFromSharedBucket = () => new Promise(() => undefined);
  const away: TakeFromSharedBucket = () => Promise.reject(new Error('away'));
  for (const shared of [never, away]) {
    const limit = limitsOver(settings, shared);
    const began = performance.now();
    t.is(await allowedOf(times(30, () => limit('key_1'))), 10);
    t.true(performance.now() - began < 5_000);
    t.is((await limit('key_1')).headers['RateLimit-Remaining'], '0');
  }
});
