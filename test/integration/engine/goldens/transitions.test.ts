import test from 'ava';
import { HEIGHT, holds, levelOfFrame, numberedClip, picture, rectangle, WIDTH } from './_greys.ts';

const clip = async (folder: string) => ({ clip: await numberedClip(folder, 'clip.mp4', '30', 40) });
const after = (type: string, parts: object = {}) => ({
  start: 0.3,
  transition: { type, from: 'a', duration: 0.4, ...parts },
});

test('a layer fades in over the one whose place it takes', async (t) => {
  const a = { id: 'a', type: 'video', asset: 'clip', duration: 0.35 };
  await holds(
    t,
    [a, rectangle('b', 230, after('cross_fade'))],
    (n) =>
      picture({ level: n < 21 ? levelOfFrame(n) : 0 }, { level: 230, alpha: Math.min(1, Math.max(0, (n - 9) / 12)) }),
    { files: clip },
  );
});

test('where it does not hide that one, both fade', async (t) => {
  const small = { x: 10, y: 8, width: 20, height: 30 };
  await holds(t, [rectangle('a', 120), rectangle('b', 230, { ...small, ...after('cross_fade') })], (n) => {
    const part = Math.min(1, Math.max(0, (n - 9) / 12));
    return picture({ level: 120, alpha: 1 - part }, { ...small, level: 230, alpha: part });
  });
});

test('a layer that lies above the one that takes its place fades out over it', async (t) => {
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
  test(`sliding ${direction}, one layer pushes the other out`, async (t) => {
    const b = { id: 'b', type: 'video', asset: 'clip', ...after('slide', { direction }) };
    await holds(
      t,
      [rectangle('a', 120, { duration: 0.5 }), b],
      (n) => {
        if (n < 9) return picture({ level: 120 });
        const part = Math.min(1, (n - 9) / 12);
        const at = (passed: number) => ({
          x: Math.floor(across * passed * WIDTH + 0.5),
          y: Math.floor(down * passed * HEIGHT + 0.5),
        });
        return picture(...(n < 21 ? [{ ...at(part), level: 120 }] : []), {
          ...at(part - 1),
          level: levelOfFrame(n - 9),
        });
      },
      { files: clip },
    );
  });
