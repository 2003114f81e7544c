import test from 'ava';
import { add, count, EMPTY, show } from '../../../stack/testing/tap.ts';

const STREAM = [
  'TAP version 13',
  'ok 1 - a › good',
  'not ok 2 - a › bad',
  '  ---',
  '    message: ok 3 - not a result',
  '  ...',
  'ok 3 - a › skipped # SKIP',
  'not ok 4 - a › later # TODO',
  'not ok 5 - test/b.test.ts exited with a non-zero exit code: 1',
  '1..5',
  '# pass 2',
];

test('results are counted; skipped and future tests are neither', (t) => {
  t.deepEqual(STREAM.reduce(count, EMPTY), {
    passed: 1,
    failed: 2,
    failures: ['a › bad', 'test/b.test.ts exited with a non-zero exit code: 1'],
  });
});

test('two tallies add up', (t) => {
  const one = { passed: 1, failed: 1, failures: ['x'] };
  t.deepEqual(add(one, one), { passed: 2, failed: 2, failures: ['x', 'x'] });
});

test('a person sees results and details, not bookkeeping', (t) => {
  t.deepEqual(
    STREAM.map(show).filter((line) => line !== null),
    [
      '  ✔ a › good',
      '  ✘ a › bad',
      '  ---',
      '    message: ok 3 - not a result',
      '  ...',
      '  ✔ a › skipped # SKIP',
      '  - a › later # TODO',
      '  ✘ test/b.test.ts exited with a non-zero exit code: 1',
    ],
  );
});
