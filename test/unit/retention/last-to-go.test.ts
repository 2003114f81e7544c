import test from 'ava';
import fc from 'fast-check';
import { lastToGo } from '../../../retention/segments/sweep-segments.ts';

test('only as many parts as needed are deleted', (t) => {
  const stored = new Map([
    [30, 5],
    [10, 5],
    [20, 5],
  ]);
  t.is(lastToGo(stored, 15), null);
  t.is(lastToGo(stored, 14), 10);
  t.is(lastToGo(stored, 10), 10);
  t.is(lastToGo(stored, 9), 20);
  t.is(lastToGo(stored, 0), 30);
  t.is(lastToGo(new Map(), 0), null);
});

test('the newest parts within the limit stay', (t) => {
  const stored = fc.array(fc.tuple(fc.nat(50), fc.integer({ min: 1, max: 100 })));
  fc.assert(
    fc.property(stored, fc.nat(1_000), (entries, bytes) => {
      const bytes_at = new Map(entries);
      const last = lastToGo(bytes_at, bytes);
      const sizeOf = (keeps: (at: number) => boolean) =>
        [...bytes_at].reduce((sum, [at, size]) => (keeps(at) ? sum + size : sum), 0);
      t.true(sizeOf((at) => last === null || at > last) <= bytes);
      if (last !== null) t.true(sizeOf((at) => at >= last) > bytes);
    }),
  );
});
