import test from 'ava';
import fc from 'fast-check';
import type { Segment } from '../../../engine/plan/render-plan.ts';
import { createFrameCounter } from '../../../engine/render/frame-count.ts';

const segmentsOf = (keys: string): readonly Segment[] =>
  [...keys].map((key, index) => ({
    ...{ index, from: 100 * index, until: 100 * index + 100 },
    keys: { master: key, small: `${key} small` },
  }));
const counted = (keys: string) => {
  const said: number[] = [];
  const parts = new Map<string, string>();
  const segments = segmentsOf(keys);
  const count = createFrameCounter(segments, parts, ({ frames_done }) => said.push(frames_done));
  const add = (key: string): void => {
    parts.set(key, '').set(`${key} small`, '');
    count.added();
  };
  const run = (from: number, until: number) => ({ from: 100 * from, segments: segments.slice(from, until) });
  return { said, parts, count, add, run };
};

test('cached frames count at once, others as runs encode them, up to all', (t) => {
  const { said, count, add, run } = counted('abcde');
  add('a');
  count.of_run(run(1, 3), 50);
  count.of_run(run(3, 5), 30);
  count.of_run(run(1, 3), 120);
  add('b');
  count.of_run(run(3, 5), 200);
  count.of_run(run(1, 3), 200);
  t.deepEqual(said, [100, 150, 180, 250, 420, 500]);
});

test('a segment counts as soon as all of its parts are stored', (t) => {
  const { said, parts, count } = counted('ab');
  parts.set('a', '');
  count.added();
  parts.set('a small', '');
  count.added();
  t.deepEqual(said, [0, 100]);
});

test('an encoded segment counts once for each of its occurrences', (t) => {
  const { said, count, add, run } = counted('abab');
  count.of_run(run(0, 2), 40);
  count.of_run(run(0, 2), 150);
  count.of_run(run(3, 4), 60);
  add('b');
  add('a');
  t.deepEqual(said, [80, 300, 320, 400]);
});

test('progress is never repeated, reduced or beyond the end', (t) => {
  const steps = fc.array(fc.tuple(fc.nat(3), fc.nat(500), fc.constantFrom('a', 'b', 'c', '')), { maxLength: 50 });
  fc.assert(
    fc.property(steps, (heard) => {
      const { said, count, add, run } = counted('abcb');
      for (const [from, frames, key] of heard) {
        count.of_run(run(from, 4), frames);
        if (key !== '') add(key);
      }
      t.true(said.every((frames, n) => frames <= 400 && (n === 0 || frames > (said[n - 1] ?? frames))));
    }),
  );
});
