import test from 'ava';
import { addProgressSample, foldRate, foldRateText, type ProgressSample } from '../../../cli/rebuild/pace.ts';

const seen = (...samples: readonly (readonly [number, number])[]): readonly ProgressSample[] =>
  samples.reduce<readonly ProgressSample[]>((before, [at, folded]) => addProgressSample(before, { at, folded }), []);

test('the pace covers the last seconds', (t) => {
  t.is(foldRate(seen([0, 0])), null);
  t.is(foldRate(seen([0, 0], [1_000, 500])), 500);
  t.is(foldRate(seen([0, 0], [10_000, 0], [20_000, 0], [30_000, 2_000], [40_000, 4_000])), 200);
});

test('a rebuild reports its pace and the time left', (t) => {
  t.is(foldRateText(0, 2_000, null), '0 of 2000 records');
  t.is(foldRateText(500, 2_000, 100), '500 of 2000 records, 100/s, about 15 s left');
  t.is(foldRateText(500, 200_000, 100), '500 of 200000 records, 100/s, about 34 min left');
  t.is(foldRateText(0, 2_000_000, 100), '0 of 2000000 records, 100/s, about 5.6 h left');
  t.is(foldRateText(500, 2_000, 0), '500 of 2000 records, 0/s');
  t.is(foldRateText(2_000, 2_000, 100), '2000 of 2000 records, 100/s');
});
