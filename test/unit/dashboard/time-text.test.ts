import test from 'ava';
import { duration } from '../../../dashboard/source/shown/time-text.ts';

test('a duration has at most two units, and none of them reaches the next', (t) => {
  const cases: readonly (readonly [number, string])[] = [
    [0, '0 ms'],
    [999, '999 ms'],
    [999.6, '1.0 s'],
    [9_949, '9.9 s'],
    [9_960, '10 s'],
    [59_600, '1 min'],
    [119_999, '2 min'],
    [125_000, '2 min 5 s'],
    [3_599_700, '1 h'],
    [3_600_000, '1 h'],
    [7_170_000, '2 h'],
    [5_400_000, '1 h 30 min'],
    [172_799_000, '2 days'],
    [259_200_000, '3 days'],
  ];
  for (const [ms, text] of cases) t.is(duration(ms), text, String(ms));
});
