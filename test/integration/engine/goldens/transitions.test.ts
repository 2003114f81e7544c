import test from 'ava';
import { HEIGHT, holds, levelOfFrame, numberedClip, picture, rectangle, WIDTH } from './_greys.ts';

const clip = async (folder: string) => ({ clip: await numberedClip(folder, 'clip.mp4', '30', 40) });
const after = (type: string, parts: object = {}) => ({
  start: 0.3,
  transition: { type, from: 'a', duration: 0.4, ...parts },
});

test('a layer fades in over the layer that it replaces', async (t) => {
  const a = { id: 'a', type: 'video', asset: 'clip', duration: 0.35 };
  await holds(
    t,
    [a, rectangle('b', 230, after('cross_fade'))],
    (n) =>
      picture({ level: n < 21 ? levelOfFrame(n) : 0 }, { level: 230, alpha: Math.min(1, Math.max(0, (n - 9) / 12)) }),
    { files: clip },
  );
});

test('both layers fade if the new layer does not hide the old one', async (t) => {
  const small = { x: 10, y: 14, width: 20, height: 30 };
  await holds(t, [rectangle('a', 120), rectangle('b', 230, { ...small, ...after('cross_fade') })], (n) => {
    const part = Math.min(1, Math.max(0, (n - 9) / 12));
    return picture({ level: 120, alpha: 1 - part }, { ...small, level: 230, alpha: part });
  });
});

test('a layer above its replacement fades out over it', async (t) => {
  await holds(t, [rectangle('b', 230, after('cross_fade')), rectangle('a', 120)], (n) =>
    picture({ level: n < 9 ? 0 : 230 }, { level: 120, alpha: Math.min(1, Math.max(0, (21 - n) / 12)) }),
  );
});

for (const [direction, across, down] of [
  ['left', -1, 0],
  ['right', 1, 0],
  ['up', 0, -1],
  ['down', 0, 1],
] as const)
  test(`a slide ${direction} pushes one layer out with the other`, async (t) => {
    const b = { id: 'b', type: 'video', asset: 'clip', ...after('slide', { direction }) };
    await holds(
      t,
      [rectangle('a', 120, { duration: 0.5 }), b],
      (n) => {
        if (n < 9) return picture({ level: 120 });
        const part = Math.min(1, (n - 9) / 12);
        const at = (passed: number) => ({ x: across * passed * WIDTH, y: down * passed * HEIGHT });
        const seam = across === 0 ? at(part).y + (down < 0 ? HEIGHT : 0) : at(part).x + (across < 0 ? WIDTH : 0);
        const { x, y } = at(part - 1);
        const level = levelOfFrame(n - 9);
        return Array.from({ length: WIDTH * HEIGHT }, (_, pixel) => {
          const [column, row] = [(pixel % WIDTH) + 0.5, Math.floor(pixel / WIDTH) + 0.5];
          // Ignores pixels near the seam, where the two layers reach slightly into each other.
          if (n < 21 && Math.abs((across === 0 ? row : column) - seam) < 4) return null;
          return column > x && column < x + WIDTH && row > y && row < y + HEIGHT ? level : 120;
        });
      },
      { files: clip },
    );
  });

const half = { opacity: 0.5 };
/** The progress of the transition at a frame, from 0 to 1. */
const part = (n: number): number => Math.min(1, Math.max(0, (n - 9) / 12));
const between = (a: Float64Array, b: Float64Array, of: number): Float64Array =>
  a.map((level, at) => level * (1 - of) + (b[at] ?? 0) * of);

test('a cross-fade between two equal translucent layers is invisible', async (t) => {
  const layers = [rectangle('a', 200, half), rectangle('b', 200, { ...half, ...after('cross_fade') })];
  await holds(t, layers, () => picture({ level: 40 }, { level: 200, alpha: 0.5 }), {
    parts: { background: '#282828' },
  });
});

test('translucent layers cross-fade in proportion, with a layer between them and in motion', async (t) => {
  const small = { x: 10, y: 14, width: 20, height: 30 };
  const keyframes = {
    position: [
      { time: 0, x: 10, y: 14 },
      { time: 0.4, x: 22, y: 2 },
    ],
  };
  const moved = (n: number) => ({
    x: 10 + Math.min(12, Math.max(0, n - 9)),
    y: 14 - Math.min(12, Math.max(0, n - 9)),
  });
  const middle = { level: 60, alpha: 0.5, x: 4, y: 4, width: 40, height: 20 };
  const bar = rectangle('bar', 60, { ...half, x: 4, y: 4, width: 40, height: 20 });
  const a = rectangle('a', 120, { opacity: 0.8 });
  const b = rectangle('b', 230, { ...half, ...small, ...after('cross_fade'), keyframes });
  const [old, next] = [
    { level: 120, alpha: 0.8 },
    { ...small, level: 230, alpha: 0.5 },
  ];
  await holds(t, [a, bar, b], (n) => between(picture(old, middle), picture(middle, { ...next, ...moved(n) }), part(n)));
  await holds(t, [b, bar, a], (n) => between(picture(middle, old), picture({ ...next, ...moved(n) }, middle), part(n)));
});

test('overlapping pairs with equal durations cross-fade together, others separately', async (t) => {
  const right = { x: 32, width: 32 };
  const pair = (duration: number) => [
    rectangle('a', 120, half),
    rectangle('c', 90, { ...half, ...right }),
    rectangle('b', 120, { ...half, ...after('cross_fade') }),
    rectangle('d', 90, { ...half, ...right, start: 0.3, transition: { type: 'cross_fade', from: 'c', duration } }),
  ];
  const both = picture({ level: 120, alpha: 0.5 }, { ...right, level: 90, alpha: 0.5 });
  await holds(t, pair(0.4), (n) => between(both, both, part(n)));
  const thin = (level: number, more: object, at: number) => ({
    ...more,
    level,
    alpha: 0.5 * Math.min(1, Math.max(0, at)),
  });
  await holds(t, pair(0.2), (n) => {
    const [first, second] = [part(n), Math.min(1, Math.max(0, (n - 9) / 6))];
    return picture(
      ...[thin(120, {}, 1 - first), thin(90, right, 1 - second)],
      ...[thin(120, {}, first), thin(90, right, second)],
    );
  });
});
