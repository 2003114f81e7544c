import test from 'ava';
import { openRateLimits } from '../../../platform/access/rate-limits.ts';
import { until } from '../../../stack/testing/until.ts';

test('a key may make its burst at once, and is then told when to come back', (t) => {
  const take = openRateLimits({ per_s: 1, burst: 3 });
  const taken = Array.from({ length: 4 }, () => take('key_1'));
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
  t.true(take('key_2').allowed, 'every key has a bucket of its own');
});

test('a slow bucket is not promised too soon, and one that was refused costs nothing', (t) => {
  const take = openRateLimits({ per_s: 1, burst: 1 });
  take('key_1');
  for (let i = 0; i < 1_000; i += 1) t.false(take('key_1').allowed);
  t.is(take('key_1').headers['RateLimit-Reset'], '1');
});

test('the bucket fills at the rate, and not above its burst', async (t) => {
  const take = openRateLimits({ per_s: 100, burst: 2 });
  const began = performance.now();
  let allowed = 0;
  await until('twenty are allowed', async () => {
    while (take('key_1').allowed) allowed += 1;
    return allowed >= 20;
  });
  const took_ms = performance.now() - began;
  t.true(allowed <= 2 + took_ms / 10 + 1);
  await until('it is full', async () => take('key_2').headers['RateLimit-Remaining'] === '1');
});

test('memory is bounded: keys that come once are forgotten', (t) => {
  const take = openRateLimits({ per_s: 1, burst: 1 });
  take('key_first');
  t.false(take('key_first').allowed);
  for (let i = 0; i < 10_000; i += 1) take(`key_${i}`);
  t.true(take('key_first').allowed);
});
