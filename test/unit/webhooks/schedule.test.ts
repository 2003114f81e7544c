import test from 'ava';
import fc from 'fast-check';
import { MAX_DELIVERY_ATTEMPTS, retryDelayMs } from '../../../domain/webhooks/schedule.ts';

const SCHEDULE = { first_ms: 1_000, factor: 5 };

test('five attempts wait 1, 5, 25 and 125 s between them', (t) => {
  const waits = Array.from({ length: 6 }, (_, index) => retryDelayMs(SCHEDULE, index + 1, 0, null));
  t.deepEqual(waits, [1_000, 5_000, 25_000, 125_000, null, null]);
  t.is(MAX_DELIVERY_ATTEMPTS, 5);
});

test('jitter adds at most a tenth', (t) => {
  t.is(retryDelayMs(SCHEDULE, 2, 0.5, null), 5_250);
  t.is(retryDelayMs(SCHEDULE, 2, 0.999_999, null), 5_499);
});

test('Retry-After only lengthens a wait, up to ten minutes', (t) => {
  t.is(retryDelayMs(SCHEDULE, 1, 0, 30_000), 30_000);
  t.is(retryDelayMs(SCHEDULE, 1, 0, 86_400_000), 600_000);
  t.is(retryDelayMs(SCHEDULE, 4, 0, 30_000), 125_000);
  t.is(retryDelayMs(SCHEDULE, 5, 0, 30_000), null);
});

test('any wait is a whole number of milliseconds within its bounds', (t) => {
  fc.assert(
    fc.property(
      fc.record({ first_ms: fc.integer({ min: 1, max: 600_000 }), factor: fc.integer({ min: 1, max: 20 }) }),
      fc.integer({ min: 1, max: 4 }),
      fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      fc.option(fc.integer({ min: 0, max: 10_000_000 })),
      (schedule, n, chance, retry_after_ms) => {
        const wait_ms = retryDelayMs(schedule, n, chance, retry_after_ms) ?? -1;
        const planned_ms = schedule.first_ms * schedule.factor ** (n - 1);
        t.true(Number.isInteger(wait_ms));
        t.true(wait_ms >= planned_ms && wait_ms <= Math.max(planned_ms * 1.1, 600_000));
        if (retry_after_ms === null) t.true(wait_ms <= planned_ms * 1.1);
      },
    ),
  );
});
