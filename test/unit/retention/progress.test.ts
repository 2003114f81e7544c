import test from 'ava';
import { afterPage, type SweepProgress, untilNextPage } from '../../../retention/sweeps/progress.ts';

const page = (next: string | null, removed = 1) => ({ next, removed, removed_bytes: removed * 10 });

test('a pass goes on page by page, and sums what it has removed', (t) => {
  const first = afterPage(undefined, page('b', 2), 100, 110);
  t.deepEqual(first, { pass: { began_at: 100, next: 'b', removed: 2, removed_bytes: 20 }, last: null });
  t.is(untilNextPage(first, 1_000, 110), 0);
  const second = afterPage(first, page('c', 0), 111, 120);
  t.deepEqual(second.pass, { began_at: 100, next: 'c', removed: 2, removed_bytes: 20 });
  const third = afterPage(second, page(null, 3), 121, 130);
  t.deepEqual(third, { pass: null, last: { ended_at: 130, removed: 5, removed_bytes: 50 } });
  t.deepEqual(
    afterPage(third, page('b', 1), 140, 150).last,
    third.last,
    'the last one is told until another has ended',
  );
});

test('a pass begins when the time is over since the last one ended, at once where there was none', (t) => {
  const ended = (ended_at: number): SweepProgress => ({ pass: null, last: { ended_at, removed: 0, removed_bytes: 0 } });
  t.is(untilNextPage(undefined, 1_000, 5_000), 0);
  t.is(untilNextPage(ended(5_000), 1_000, 5_400), 600);
  t.is(untilNextPage(ended(5_000), 1_000, 9_000), 0);
  t.is(untilNextPage(ended(500_000), 1_000, 5_000), 1_000, 'whatever the clock of another machine said');
});
