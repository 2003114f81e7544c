import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { FrameRate } from '../../../domain/composition/frame-rate.ts';

test('a rate is a fraction of numbers below a million', (t) => {
  t.deepEqual(FrameRate.decode('999999/10000'), E.right({ num: 999_999, den: 10_000 }));
  t.true(E.isLeft(FrameRate.decode('2997003/100000')));
  t.true(E.isLeft(FrameRate.decode({ num: 2_997_003, den: 100_000 })));
});
