import test from 'ava';
import { isGenerationComplete, isNearlyComplete } from '../../../projectors/generations/cutover.ts';

const at = (...next: readonly number[]) => next.map((it, _id) => ({ _id, next: it }));

test("a generation is complete at its ends and at the serving generation's position", (t) => {
  t.true(isGenerationComplete([5, 3], at(5, 3), at(5, 3)));
  t.true(isGenerationComplete([5, 3], at(6, 3), at(7, 4)));
  t.true(isGenerationComplete([0, 0], [], []));
});

test('one partition behind delays the cutover', (t) => {
  t.false(isGenerationComplete([5, 3], at(6, 3), at(5, 3)));
  t.false(isGenerationComplete([5, 3], at(6, 3), at(6)));
});

test('an empty generation is not complete if the former lost its checkpoints', (t) => {
  t.false(isGenerationComplete([5, 3], [], []));
  t.false(isGenerationComplete([5, 3], at(0, 0), at(4, 3)));
});

test('a generation below its target is not complete', (t) => {
  t.false(isGenerationComplete([5], at(5), [{ _id: 0, next: 5, target: 6 }]));
  t.true(isGenerationComplete([5], at(5), [{ _id: 0, next: 6, target: 6 }]));
});

test('a generation is nearly complete if it has few records left', (t) => {
  t.true(isNearlyComplete([5, 3], at(600, 400), at(200, 3)));
  t.false(isNearlyComplete([5, 3], at(900, 400), at(200, 3)));
  t.false(isNearlyComplete([5, 3], at(6, 3), at(4, 3)));
});
