import test from 'ava';
import { compare, firstQuantity, GATES, judge, rowsIn } from '../../../bench/gate/figures.ts';

const OUTPUT = `Measuring: post …
┌──────────┬────────┬──────────┐
│ measured │ figure │ expected │
├──────────┼────────┼──────────┤
│ POST     │ 317/s  │          │
│          │ more   │          │
├──────────┼────────┼──────────┤
│   lag    │ p50 80 ms, p99 150 ms │ │
│   lag    │ p50 90 ms │ │
└──────────┴────────┴──────────┘
`;

test('rows have labels without indentation, and repeated labels have numbers', (t) => {
  t.deepEqual(rowsIn(OUTPUT), [
    { label: 'POST', figure: '317/s' },
    { label: 'lag', figure: 'p50 80 ms, p99 150 ms' },
    { label: 'lag (2)', figure: 'p50 90 ms' },
  ]);
});

test('a figure compares with a version that stores names elsewhere', (t) => {
  const labelsOf = (labels: readonly string[]) => rowsIn(labels.map((label) => `│ ${label} │ 1/s │ │`).join('\n'));
  const named = labelsOf(['POST with values, its name in Blob', 'append to read model, names in Blob, 200 events/s']);
  const sealed = labelsOf(['POST with values, sealed', 'append to read model, sealed, 200 events/s']);
  t.deepEqual(sealed, named);
  t.is(compare(named, sealed).length, 2);
});

test('the first rate or time of a figure counts, in milliseconds', (t) => {
  t.deepEqual(firstQuantity('13,028/s, p50 2 ms'), { amount: 13_028, unit: '/s' });
  t.deepEqual(firstQuantity('p50 88 ms, p99 151 ms'), { amount: 88, unit: 'ms' });
  t.deepEqual(firstQuantity('1.5 s'), { amount: 1_500, unit: 'ms' });
  for (const none of ['', '0.93', '0/s', 'none missing', '12 shards']) t.is(firstQuantity(none), null);
});

test('a ratio compares medians, and is above 1 if this code is faster', (t) => {
  const rows = (figures: readonly string[]) => figures.map((figure) => ({ label: 'x', figure }));
  t.like(compare(rows(['100/s', '400/s', '200/s']), rows(['300/s']))[0], { base: 200, ours: 300, ratio: 1.5 });
  t.like(compare(rows(['100 ms']), rows(['200 ms']))[0], { ratio: 0.5 });
  t.deepEqual(compare(rows(['100 ms']), rows(['200/s'])), []);
  t.deepEqual(compare([], rows(['200/s'])), []);
});

test('a main figure that fell or is missing fails the gate', (t) => {
  const all = [
    'POST /v1/renders, command API',
    'POST /v1/renders, through the gateway',
    'POST with values',
    'append to read model, 200 events/s, 2000 events',
    '1000 renders, first page',
    '1000 renders, pages at 9 places',
    'from transition to receipt',
    'the rest, p50 and p95',
  ].map((label) => ({ label, base: 1, ours: 1, ratio: 1 }));
  t.is(judge(all).length, GATES.length);
  t.true(judge(all).every(({ passed }) => passed));
  const slower = all.map((one) => (one.label.endsWith('gateway') ? { ...one, ratio: 0.89 } : one));
  t.deepEqual(
    judge(slower).flatMap(({ name, passed }) => (passed ? [] : [name])),
    ['POST, gateway'],
  );
  t.deepEqual(
    judge(all.slice(1)).flatMap(({ name, ratio, passed }) => (passed ? [] : [[name, ratio]])),
    [['POST, command API', null]],
  );
  // Pages count together: one may be slower.
  const pages = all.map((one) => (one.label.endsWith('first page') ? { ...one, ratio: 0.85 } : one));
  t.true(judge(pages).every(({ passed }) => passed));
});
