import test from 'ava';
import { paceOf, paceText, type Sample, withSample } from '../../../cli/rebuild/pace.ts';

const seen = (...samples: readonly (readonly [number, number])[]): readonly Sample[] =>
  samples.reduce<readonly Sample[]>((before, [at, folded]) => withSample(before, { at, folded }), []);

test('the pace covers the last seconds', (t) => {
  t.is(paceOf(seen([0, 0])), null);
  t.is(paceOf(seen([0, 0], [1_000, 500])), 500);
  t.is(paceOf(seen([0, 0], [10_000, 0], [20_000, 0], [30_000, 2_000], [40_000, 4_000])), 200);
});

test('a rebuild reports its pace and the time left', (t) => {
  t.is(paceText(0, 2_000, null), '0 of 2000 records');
  t.is(paceText(500, 2_000, 100), '500 of 2000 records, 100/s, about 15 s left');
  t.is(paceText(500, 200_000, 100), '500 of 200000 records, 100/s, about 34 min left');
  t.is(paceText(0, 2_000_000, 100), '0 of 2000000 records, 100/s, about 5.6 h left');
  t.is(paceText(500, 2_000, 0), '500 of 2000 records, 0/s');
  t.is(paceText(2_000, 2_000, 100), '2000 of 2000 records, 100/s');
});
