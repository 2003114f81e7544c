import test from 'ava';
import {
  msUntilNextPass,
  progressAfterPage,
  restartPass,
  type SweepProgress,
} from '../../../retention/sweeps/progress.ts';

const page = (next: string | null, media: number) => ({
  next,
  removed: { media: { removed: media, removed_bytes: media * 10 } },
});

test('a pass continues page by page and sums its removals', (t) => {
  const first = progressAfterPage(undefined, page('b', 2), 100, 110);
  const removed = { media: { removed: 2, removed_bytes: 20 } };
  t.deepEqual(first, { pass: { began_at: 100, next: 'b', removed }, last: null });
  t.is(msUntilNextPass(first, 1_000, 110), 0);
  const second = progressAfterPage(
    first,
    { next: 'c', removed: { emails: { removed: 1, removed_bytes: 7 } } },
    111,
    120,
  );
  const emails = { removed: 1, removed_bytes: 7 };
  t.deepEqual(second.pass, { began_at: 100, next: 'c', removed: { ...removed, emails } });
  const third = progressAfterPage(second, page(null, 3), 121, 130);
  t.deepEqual(third, {
    pass: null,
    last: { ended_at: 130, removed: { media: { removed: 5, removed_bytes: 50 }, emails } },
  });
  t.deepEqual(
    progressAfterPage(third, page('b', 1), 140, 150).last,
    third.last,
    'the last pass is reported until another one has ended',
  );
  t.deepEqual(restartPass(progressAfterPage(third, page('b', 1), 140, 150)), third);
});

test('a pass starts after its interval, or at once without a former one', (t) => {
  const ended = (ended_at: number): SweepProgress => ({ pass: null, last: { ended_at, removed: {} } });
  t.is(msUntilNextPass(undefined, 1_000, 5_000), 0);
  t.is(msUntilNextPass(ended(5_000), 1_000, 5_400), 600);
  t.is(msUntilNextPass(ended(5_000), 1_000, 9_000), 0);
  t.is(msUntilNextPass(ended(500_000), 1_000, 5_000), 1_000, "whatever another machine's clock showed");
});
