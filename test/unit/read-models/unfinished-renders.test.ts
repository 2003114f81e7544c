import test from 'ava';
import { partitionsBehind } from '../../../read-models/renders/unfinished-renders.ts';

test('a read model lacks published records that are not folded', (t) => {
  const published = new Map([
    [0, 6],
    [1, 9],
    [2, -1],
    [3, 0],
  ]);
  const checkpoints = [
    { _id: 0, next: 7 },
    { _id: 1, next: 9 },
  ];
  t.deepEqual(partitionsBehind(published, checkpoints), [1, 3]);
});

test('a closed generation has all records before its end', (t) => {
  const ended = [{ _id: 0, next: -1, closed: { next: 9, chain: '' } }];
  t.deepEqual(partitionsBehind(new Map([[0, 8]]), ended), []);
  t.deepEqual(partitionsBehind(new Map([[0, 9]]), ended), [0]);
});
