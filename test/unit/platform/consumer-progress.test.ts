import test from 'ava';
import { createOffsetTracker } from '../../../platform/processor/progress.ts';

test('the position stays if no work has begun', (t) => {
  t.is(createOffsetTracker(7).next(), 7);
});

test('the position never passes unfinished work', (t) => {
  const progress = createOffsetTracker(0);
  for (const offset of [0, 1, 2]) progress.begin(offset);
  progress.finish(1);
  progress.finish(2);
  t.is(progress.next(), 0);
  t.is(progress.unfinished(), 1);
  progress.finish(0);
  t.is(progress.next(), 3);
});

test('offsets may have gaps', (t) => {
  const progress = createOffsetTracker(0);
  progress.begin(3);
  progress.begin(9);
  progress.finish(3);
  t.is(progress.next(), 9);
});
