import test from 'ava';
import { isComplete, isNear } from '../../../projectors/generations/cutover.ts';

const at = (...next: readonly number[]) => next.map((it, _id) => ({ _id, next: it }));

test('complete: where it began, and nowhere behind the one that serves', (t) => {
  t.true(isComplete([5, 3], at(5, 3), at(5, 3)));
  t.true(isComplete([5, 3], at(6, 3), at(7, 4)));
  t.true(isComplete([0, 0], [], []));
});

test('one partition that is behind is enough to wait', (t) => {
  t.false(isComplete([5, 3], at(6, 3), at(5, 3)));
  t.false(isComplete([5, 3], at(6, 3), at(6)));
});

test('a former one that lost its checkpoints does not make an empty one complete', (t) => {
  t.false(isComplete([5, 3], [], []));
  t.false(isComplete([5, 3], at(0, 0), at(4, 3)));
});

test('not complete while readers would wait for it', (t) => {
  t.false(isComplete([5], at(5), [{ _id: 0, next: 5, target: 6 }]));
  t.true(isComplete([5], at(5), [{ _id: 0, next: 6, target: 6 }]));
});

test('near: past where its making began, and few records behind the one that serves', (t) => {
  t.true(isNear([5, 3], at(600, 400), at(200, 3)));
  t.false(isNear([5, 3], at(900, 400), at(200, 3)));
  t.false(isNear([5, 3], at(6, 3), at(4, 3)));
});
