import test from 'ava';
import fc from 'fast-check';
import { countFrames } from '../../../render-workers/engine/render/frame-count.ts';

const counted = (total: number) => {
  const said: number[] = [];
  return { said, count: countFrames(total, ({ frames_done }) => said.push(frames_done)) };
};

test('frames of the cache count at once, the others as the runs encode them, up to all', (t) => {
  const { said, count } = counted(300);
  count.begin(100, 200);
  count.of_run(0, 50);
  count.of_run(1, 30);
  count.of_run(0, 120);
  count.of_run(1, 80);
  t.deepEqual(said, [100, 150, 180, 250, 300]);
});

test('where parts are used more than once each frame that is encoded counts for more', (t) => {
  const { said, count } = counted(360);
  count.begin(0, 120);
  for (const frames of [40, 80, 120]) count.of_run(0, frames);
  t.deepEqual(said, [0, 120, 240, 360]);
});

test('whatever runs say, nothing is said twice, goes back or goes past the end', (t) => {
  const steps = fc.array(fc.tuple(fc.nat(3), fc.nat(100)), { maxLength: 50 });
  fc.assert(
    fc.property(steps, fc.nat(100), (heard, cached) => {
      const { said, count } = counted(cached + 400);
      count.begin(cached, 400);
      for (const [run, frames] of heard) count.of_run(run, frames);
      t.true(said.every((frames, n) => frames <= cached + 400 && (n === 0 || frames > (said[n - 1] ?? frames))));
    }),
  );
});
