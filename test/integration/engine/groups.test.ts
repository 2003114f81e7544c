import { join } from 'node:path';
import test from 'ava';
import { finalOf } from './_composition.ts';
import { colorAround, ffmpeg, folderOf, framesOf, levelOf, samplesOf } from './_measuring.ts';
import { optionsOf, rendered } from './_rendering.ts';

const [WIDTH, HEIGHT, FPS] = [320, 180, 10];

const box = (id: string, color: string, [x, y, width, height]: readonly number[], parts: object = {}) => ({
  ...{ id, type: 'shape', color, x, y, width, height },
  ...parts,
});

const group = (id: string, layers: readonly object[], parts: object = {}) => ({ id, type: 'group', layers, ...parts });

const near = (measured: readonly number[], expected: readonly number[], tolerance = 7): boolean =>
  measured.every((value, channel) => Math.abs(value - (expected[channel] ?? 0)) <= tolerance);

/** The middle and the width of the pixels that are brighter than half of the brightest one, in one channel. */
const extentOf = (frame: Buffer | undefined, channel: number) => {
  let [sum, across, down] = [0, 0, 0];
  for (let y = 0; y < HEIGHT; y += 1)
    for (let x = 0; x < WIDTH; x += 1) {
      const weight = Math.max(0, (frame?.[(y * WIDTH + x) * 3 + channel] ?? 0) - 20);
      sum += weight;
      across += weight * (x + 0.5);
      down += weight * (y + 0.5);
    }
  return { x: across / sum, y: down / sum, side: Math.sqrt(sum / 180) };
};

test('a group fades as one picture, and nested groups multiply', async (t) => {
  const folder = await folderOf(t);
  const overlapping = [box('red', '#C80000', [0, 0, 80, 60]), box('blue', '#0000C8', [40, 0, 80, 60])];
  const layers = [
    box('floor', '#006400', [0, 0, WIDTH, 90]),
    group('half', overlapping, { x: 20, y: 20, width: 120, height: 60, opacity: 0.5, duration: 1 }),
    group(
      'outer',
      [
        group('inner', [box('white', '#C8C8C8', [0, 0, 40, 40])], { x: 10, y: 10, opacity: 0.5 }),
        box('beside', '#C8C8C8', [60, 10, 40, 40]),
      ],
      {
        ...{ x: 200, y: 100, start: 0.4, fade_in: 1 },
        keyframes: {
          opacity: [
            { time: 0, value: 0.5 },
            { time: 1, value: 1 },
          ],
        },
      },
    ),
  ];
  const { master } = await rendered(
    optionsOf(finalOf({ layers, width: WIDTH, height: HEIGHT, fps: FPS, duration: 2 }), folder),
  );
  const frames = await framesOf(master, WIDTH, HEIGHT);
  const colorAt = (n: number, x: number, y: number) => colorAround(frames[n], WIDTH, x, y, 3);
  t.true(near(colorAt(3, 40, 50), [100, 50, 0]), `half red over green: ${colorAt(3, 40, 50)}`);
  t.true(near(colorAt(3, 80, 50), [0, 50, 100]), `only blue where both overlap: ${colorAt(3, 80, 50)}`);
  t.true(near(colorAt(12, 40, 50), [0, 100, 0]), `the group has ended: ${colorAt(12, 40, 50)}`);
  t.true(near(colorAt(3, 280, 130), [0, 0, 0]), 'before the start of the group');
  // Frame 9 is half a second after the start: the opacity is 0.75, and the fade 0.5.
  const share = 0.75 * 0.5;
  t.true(near(colorAt(9, 280, 130), [200 * share, 200 * share, 200 * share]), `${colorAt(9, 280, 130)}`);
  t.true(near(colorAt(9, 230, 130), [100 * share, 100 * share, 100 * share]), `${colorAt(9, 230, 130)}`);
  t.true(near(colorAt(19, 230, 130), [100, 100, 100]), `${colorAt(19, 230, 130)}`);
  t.true(near(colorAt(19, 280, 130), [200, 200, 200]), `${colorAt(19, 280, 130)}`);
});

test('layers move and grow with their group, and end with it', async (t) => {
  const folder = await folderOf(t);
  const keyframes = {
    position: [
      { time: 0, x: 20, y: 40 },
      { time: 1.5, x: 110, y: 40 },
    ],
    scale: [
      { time: 0, value: 1 },
      { time: 1.5, value: 2 },
    ],
  };
  const child_keyframes = {
    position: [
      { time: 0, x: 0, y: 0 },
      { time: 1, x: 30, y: 20 },
    ],
    scale: [
      { time: 0, value: 1 },
      { time: 1, value: 1.5 },
    ],
  };
  const layers = [
    group(
      'moving',
      [
        box('still', '#C80000', [60, 20, 20, 20]),
        group('inner', [box('child', '#0000C8', [0, 0, 20, 20], { start: 0.2, keyframes: child_keyframes })], {
          ...{ x: 10, y: 30, width: 20, height: 20 },
        }),
      ],
      { x: 20, y: 40, width: 100, height: 60, duration: 1.5, keyframes },
    ),
  ];
  const { master } = await rendered(
    optionsOf(finalOf({ layers, width: WIDTH, height: HEIGHT, fps: FPS, duration: 2 }), folder),
  );
  const frames = await framesOf(master, WIDTH, HEIGHT);
  for (const n of [2, 6, 9, 14]) {
    const part = n / 15;
    const scale = 1 + part;
    const middle = { x: 70 + 90 * part, y: 70 };
    const still = extentOf(frames[n], 0);
    t.true(Math.abs(still.x - (middle.x + scale * (90 - 70))) < 0.6, `frame ${n}: x ${still.x}`);
    t.true(Math.abs(still.y - (middle.y + scale * (70 - 70))) < 0.6, `frame ${n}: y ${still.y}`);
    const own = Math.min(1, (n - 2) / 10);
    const child = extentOf(frames[n], 2);
    t.true(Math.abs(child.x - (middle.x + scale * (40 + 30 * own - 70))) < 0.8, `frame ${n}: child x ${child.x}`);
    t.true(Math.abs(child.y - (middle.y + scale * (80 + 20 * own - 70))) < 0.8, `frame ${n}: child y ${child.y}`);
    const side = 20 * scale * (1 + 0.5 * own);
    t.true(Math.abs(child.side / side - 1) < 0.06, `frame ${n}: side ${child.side}, expected ${side}`);
  }
  t.true(near(colorAround(frames[15], WIDTH, 160, 90, 60), [0, 0, 0]), 'the group has ended');
});

test('the fades of a group apply to the sound of its layers', async (t) => {
  const folder = await folderOf(t);
  const tone = join(folder, 'tone.wav');
  await ffmpeg('-f', 'lavfi', '-i', 'sine=frequency=1000:sample_rate=48000:duration=4', '-ac', '2', tone);
  const song = (id: string, parts: object = {}) => ({ id, type: 'audio', asset: 'tone', ...parts });
  const layers = [
    group('late', [song('song', { start: 0.5 })], { start: 0.5, duration: 2.5, fade_in: 1, fade_out: 1 }),
  ];
  const final = finalOf({ layers, width: 64, height: 36, fps: FPS, duration: 4 }, [{ id: 'tone', kind: 'audio' }]);
  const { master } = await rendered(optionsOf(final, folder, { tone }));
  const samples = await samplesOf(master);
  const full = levelOf(samples, 1.6, 1.9);
  const relative = (from_s: number, until_s: number): number => levelOf(samples, from_s, until_s) - full;
  t.true(relative(0.5, 0.95) < -50, 'silent until the sound begins, half a second into the group');
  t.true(Math.abs(relative(1.24, 1.26) - 20 * Math.log10(0.75)) < 0.5, `${relative(1.24, 1.26)}`);
  t.true(Math.abs(relative(2.49, 2.51) - 20 * Math.log10(0.5)) < 0.5, `${relative(2.49, 2.51)}`);
  t.true(relative(3.1, 3.9) < -50, 'the sound ends with the group');
});
