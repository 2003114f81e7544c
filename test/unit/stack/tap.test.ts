import test from 'ava';
import { addTallies, countTapLine, EMPTY_TALLY, tallyOfFailure, tapLineText } from '../../../stack/testing/tap.ts';

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
  t.deepEqual(STREAM.reduce(countTapLine, EMPTY_TALLY), {
    passed: 1,
    failed: 2,
    failures: [
      { title: 'a › bad', details: ['  ---', '    message: ok 3 - not a result', '  ...'] },
      { title: 'test/b.test.ts exited with a non-zero exit code: 1', details: [] },
    ],
    explaining: false,
  });
});

test('a failure has at most forty lines, and no line of the next test', (t) => {
  const lines = [
    'not ok 1 - long',
    ...Array<string>(1_000).fill('  a line'),
    'ok 2 - good',
    '#   what the good one says',
  ];
  const { failures } = lines.reduce(countTapLine, EMPTY_TALLY);
  t.deepEqual(failures, [{ title: 'long', details: Array<string>(40).fill('  a line') }]);
});

test('two tallies add up', (t) => {
  const one = { ...tallyOfFailure('x'), passed: 1 };
  const { failures } = tallyOfFailure('x');
  t.deepEqual(addTallies(one, one), { ...EMPTY_TALLY, passed: 2, failed: 2, failures: [...failures, ...failures] });
});

test('the output has results and details, and no bookkeeping lines', (t) => {
  t.deepEqual(
    STREAM.map(tapLineText).filter((line) => line !== null),
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
