import test from 'ava';
import fc from 'fast-check';
import { deletionCutoff } from '../../../retention/segments/sweep-segments.ts';

test('only as many parts as needed are deleted', (t) => {
  const stored = new Map([
    [30, 5],
    [10, 5],
    [20, 5],
  ]);
  t.is(deletionCutoff(stored, 15), null);
  t.is(deletionCutoff(stored, 14), 10);
  t.is(deletionCutoff(stored, 10), 10);
  t.is(deletionCutoff(stored, 9), 20);
  t.is(deletionCutoff(stored, 0), 30);
  t.is(deletionCutoff(new Map(), 0), null);
});

test('the newest parts within the limit stay', (t) => {
  const stored = fc.array(fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 100 })));
  fc.assert(
    fc.property(stored, fc.nat(1_000), (entries, bytes) => {
      const bytes_at = new Map(entries);
      const last = deletionCutoff(bytes_at, bytes);
      const sizeOf = (keeps: (at: number) => boolean) =>
        [...bytes_at].reduce((sum, [at, size]) => (keeps(at) ? sum + size : sum), 0);
      t.true(sizeOf((at) => last === null || at > last) <= bytes);
      if (last !== null) t.true(sizeOf((at) => at >= last) > bytes);
    }),
  );
});
