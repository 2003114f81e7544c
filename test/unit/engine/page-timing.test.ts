import test from 'ava';
import fc from 'fast-check';
import { pageTiming } from '../../../engine/raster/page-timing.ts';

test('equal delays give one frame each', (t) => {
  t.deepEqual(pageTiming([40, 40, 40]), { frame_ms: 40, frames_of: [1, 1, 1], frames: 3 });
});

test('the frame length is the common divisor of the delays', (t) => {
  t.deepEqual(pageTiming([100, 200, 150]), { frame_ms: 50, frames_of: [2, 4, 3], frames: 9 });
});

test('delays of thirds of a hundred follow a grid without drift', (t) => {
  t.deepEqual(pageTiming([33, 33, 34]), { frame_ms: 10, frames_of: [3, 4, 3], frames: 10 });
});

test('a delay that is too short becomes the default', (t) => {
  t.deepEqual(pageTiming([0, 10, 20]), { frame_ms: 20, frames_of: [5, 5, 1], frames: 11 });
});

test('the longest delays take no extra memory', (t) => {
  t.is(pageTiming(Array(50_000).fill(655_350).concat(20)).frames, 50_000 * 65_535 + 2);
});

test('every page has its frames at its own time, within half a frame', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 11, max: 5000 }), { minLength: 1, maxLength: 50 }), (delays) => {
        const { frame_ms, frames_of, frames } = pageTiming(delays);
        let [begins_ms, before] = [0, 0];
        for (const [page, delay] of delays.entries()) {
          const own = frames_of[page] ?? 0;
          if (own < 1 || Math.abs(before * frame_ms - begins_ms) > 5) return false;
          begins_ms += delay;
          before += own;
        }
        return before === frames && frame_ms >= 10;
      }),
    ),
  );
});
