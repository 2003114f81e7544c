import test from 'ava';
import { hourOf, limitReached } from '../../../domain/limits/failed-work.ts';
import { failedWorkLimitError } from '../../../render-commands/limits/reserve-render.ts';

const LIMITS = { cpu_s_per_hour: 1_800, bytes_per_hour: 20 * 1024 ** 3 };
const NOON = Date.UTC(2026, 10, 22, 12);
const HOUR_MS = 3_600_000;

test('an account at one of its limits is refused until the hour ends', (t) => {
  const now = NOON + 10 * 60_000;
  for (const [cpu_ms, fetched_bytes, of] of [
    [0, 0, null],
    [1_799_999, 20 * 1024 ** 3 - 1, null],
    [1_800_000, 0, 'cpu'],
    [0, 20 * 1024 ** 3, 'bytes'],
    [2 ** 50, 2 ** 50, 'cpu'],
  ] as const) {
    const reached = limitReached({ cpu_ms, fetched_bytes }, LIMITS, now);
    t.deepEqual(reached, of === null ? null : { of, until_ms: NOON + HOUR_MS });
  }
});

test('an hour is a full hour of the clock', (t) => {
  t.is(hourOf(NOON), hourOf(NOON + HOUR_MS - 1));
  t.is(hourOf(NOON + HOUR_MS), hourOf(NOON) + 1);
});

test('a refusal names the limit and its end', (t) => {
  const now = NOON + HOUR_MS - 90_500;
  const until_ms = NOON + HOUR_MS;
  const cpu = failedWorkLimitError({ of: 'cpu', until_ms }, LIMITS, now);
  t.like(cpu, { tag: 'rate_limited', retry_after_s: 91 });
  t.regex(cpu.message, /^failed work: .* used 1800 s of CPU, .* after 2026-11-22T13:00:00Z \(in 91 s\)$/);
  t.regex(failedWorkLimitError({ of: 'bytes', until_ms }, LIMITS, now).message, / used 20 GiB of fetched media, /);
  t.like(failedWorkLimitError({ of: 'bytes', until_ms }, LIMITS, until_ms), { retry_after_s: 1 });
});
