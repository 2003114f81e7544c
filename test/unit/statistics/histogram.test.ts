import test from 'ava';
import fc from 'fast-check';
import {
  addCounts,
  bucketOf,
  type Histogram,
  QUANTILE_ERROR,
  quantileOf,
} from '../../../domain/statistics/histogram.ts';
import { addRenderCounts, NO_COUNTS, summaryOf } from '../../../domain/statistics/hours.ts';
import { runs } from '../../helpers/runs.ts';

const histogramOf = (values: readonly number[]): Histogram =>
  values.map(bucketOf).reduce((sum, bucket) => addCounts(sum, { [bucket]: 1 }), {});

const WEEK_MS = 7 * 86_400_000;
const value = fc.oneof(fc.integer({ min: 10, max: 2_000 }), fc.integer({ min: 10, max: WEEK_MS }));
const part = fc.constantFrom(0, 0.5, 0.9, 0.95, 1);

test('a quantile is within the stated error of the exact value', (t) => {
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 60 }), part, (values, part) => {
      const sorted = values.toSorted((a, b) => a - b);
      const wanted = sorted[Math.max(1, Math.ceil(part * values.length)) - 1] ?? Number.NaN;
      const found = quantileOf(histogramOf(values), part) ?? Number.NaN;
      t.true(Math.abs(found - wanted) <= QUANTILE_ERROR * wanted, `${found} for ${wanted}`);
    }),
    { numRuns: runs(1_000) },
  );
});

test('histograms of parts add up to that of the whole', (t) => {
  fc.assert(
    fc.property(fc.array(value), fc.array(value), (one, other) => {
      t.deepEqual(addCounts(histogramOf(one), histogramOf(other)), histogramOf([...one, ...other]));
    }),
    { numRuns: runs(200) },
  );
});

test('buckets are few and stable', (t) => {
  t.deepEqual([-5, 0, 10, 11, 12, 13, 1_000, 60_000, WEEK_MS, 1e15].map(bucketOf), [0, 0, 0, 1, 1, 2, 26, 48, 99, 100]);
  t.is(quantileOf(histogramOf([0, 3]), 0.5), 10);
  t.is(quantileOf({}, 0.5), null);
});

test('a summary names the most frequent codes and sums the others', (t) => {
  const failures = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`code_${n}`, n + 1]));
  const counts = addRenderCounts({ ...NO_COUNTS, failed: 465, failures }, { ...NO_COUNTS, failures: { other: 2 } });
  const { failures: shown, wait } = summaryOf(counts);
  t.is(shown.length, 21);
  t.deepEqual(shown[0], { code: 'code_29', count: 30 });
  t.deepEqual(shown.at(-1), { code: 'other', count: 57 });
  t.deepEqual(wait, { p50_ms: null, p95_ms: null });
});

test('a name that every object inherits is counted normally', (t) => {
  const of_hour = { ...NO_COUNTS, failed: 1, failures: { constructor: 1 } };
  const { failures } = addRenderCounts(addRenderCounts(NO_COUNTS, of_hour), of_hour);
  t.deepEqual(failures, { constructor: 2 });
});
