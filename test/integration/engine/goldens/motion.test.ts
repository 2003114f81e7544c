import { join } from 'node:path';
import test from 'ava';
import { cases, IN_FULL } from '../../../helpers/runs.ts';
import { finalOf } from '../_composition.ts';
import { ffmpeg, folderOf } from '../_measuring.ts';
import { goldenOf, sameWhateverTheCuts } from './_golden.ts';
import { goldenIn, HEIGHT, holds, levelOfFrame, numberedClip, picture, rectangle, WIDTH } from './_greys.ts';

const long = IN_FULL ? test : test.skip;

const EASINGS = {
  linear: (p: number) => p,
  ease_in: (p: number) => p * p,
  ease_out: (p: number) => p * (2 - p),
  ease_in_out: (p: number) => 3 * p * p - 2 * p * p * p,
  hold: () => 0,
} as const;
type Name = keyof typeof EASINGS;
const names: readonly Name[] = ['linear', 'ease_in', 'ease_out', 'ease_in_out', 'hold'];

/** Values a fifth of a second apart, the first at `begin_s`, each with another easing. */
const keyframed = (begin_s: number, values: readonly number[]) => ({
  at: (time_s: number): number => {
    const passed = (time_s - begin_s) / 0.2;
    const index = Math.floor(passed + 1e-9);
    if (index < 0) return values[0] ?? 0;
    const [from, to] = [values[index], values[index + 1]];
    if (from === undefined || to === undefined) return values.at(-1) ?? 0;
    return from + (to - from) * EASINGS[names[index] ?? 'hold'](passed - index);
  },
  moments: values.map((_, n) => ({ time: begin_s + n * 0.2, easing: names[n] ?? ('linear' as const) })),
});

type Edges = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

/** A rectangle at a fractional position over these levels; `null` where its edge blends. */
const laid = (below: readonly (number | null)[], { x, y, width, height }: Edges, level: number) =>
  below.map((under, at) => {
    const across = Math.abs((at % WIDTH) + 0.5 - x - width / 2) - width / 2;
    const down = Math.abs(Math.floor(at / WIDTH) + 0.5 - y - height / 2) - height / 2;
    const outside = Math.max(across, down);
    return Math.abs(outside) < 3 ? null : outside < 0 ? level : under;
  });

test('a position follows its keyframes, each with its own easing', async (t) => {
  const x = keyframed(0.13, [-4.3, 20.2, 50.1, 9.4, 30.3, 45.7]);
  const y = keyframed(0.13, [3.2, 10.1, -2.3, 40.4, 20.2, 5.3]);
  const position = x.moments.map((moment, n) => ({
    ...moment,
    x: x.at(moment.time + 1e-9),
    y: y.at(moment.time + 1e-9),
    n,
  }));
  const layer = rectangle('s', 240, {
    ...{ x: 7, y: 9, width: 12, height: 9, start: 0.2 },
    keyframes: { position: position.map(({ n: _, ...moment }) => moment) },
  });
  await holds(
    t,
    [layer],
    (n) => {
      if (n < 6) return picture();
      const time_s = (n - 6) / 30;
      return laid([...picture()], { x: x.at(time_s), y: y.at(time_s), width: 12, height: 9 }, 240);
    },
    { parts: { duration: 1.6 } },
  );
});

test('scaling keeps the middle of the box, for shapes and clips, even in motion', async (t) => {
  const scale = keyframed(0.1, [0.31, 1.73, 0.91, 2.29, 1.13, 0.57]);
  const keyframes = {
    scale: scale.moments.map((moment) => ({ ...moment, value: scale.at(moment.time + 1e-9) })),
    position: [
      { time: 0, x: 6.13, y: 4.17 },
      { time: 1, x: 26.13, y: 14.17 },
    ],
  };
  const clip = { id: 'v', type: 'video', asset: 'clip', x: 20, y: 20, width: 20, height: 16, keyframes };
  const raster = rectangle('s', 255, { x: 20, y: 20, width: 8, height: 8, keyframes });
  const shown = (n: number, side: readonly [number, number]) => {
    const [time_s, factor] = [n / 30, scale.at(n / 30)];
    const [x, y] = [6.13 + 20 * Math.min(1, time_s), 4.17 + 10 * Math.min(1, time_s)];
    return {
      x: x + side[0] / 2 - (side[0] / 2) * factor,
      y: y + side[1] / 2 - (side[1] / 2) * factor,
      ...{ width: side[0] * factor, height: side[1] * factor },
    };
  };
  await holds(
    t,
    [clip, raster],
    (n) => laid(laid([...picture()], shown(n, [20, 16]), levelOfFrame(n)), shown(n, [8, 8]), 255),
    {
      parts: { duration: 1.3 },
      files: async (folder) => ({ clip: await numberedClip(folder, 'clip.mp4', '30', 60) }),
    },
  );
});

test('opacity follows its keyframes for solid and translucent layers, and combines with fades', async (t) => {
  const opacity = keyframed(0.1, [0.1, 0.9, 0.4, 1, 0.2, 0.7]);
  const keyframes = {
    opacity: opacity.moments.map((moment) => ({ ...moment, value: opacity.at(moment.time + 1e-9) })),
  };
  const layers = [
    { id: 'v', type: 'video', asset: 'clip', keyframes, fade_in: 0.3 },
    rectangle('s', 250, { width: 20, height: 20, keyframes, opacity: 0.3, fade_out: 0.5 }),
  ];
  await holds(
    t,
    layers,
    (n) =>
      picture(
        { level: levelOfFrame(n), alpha: opacity.at(n / 30) * Math.min(1, n / 9) },
        { width: 20, height: 20, level: 250, alpha: opacity.at(n / 30) * Math.min(1, (36 - n) / 15) },
      ),
    {
      parts: { duration: 1.2 },
      files: async (folder) => ({ clip: await numberedClip(folder, 'clip.mp4', '30', 60) }),
    },
  );
});

const turned = (degrees: number, box: { x: number; y: number; width: number; height: number }, level: number) => {
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return Array.from({ length: WIDTH * HEIGHT }, (_, at) => {
    const across = (at % WIDTH) + 0.5 - box.x - box.width / 2;
    const down = Math.floor(at / WIDTH) + 0.5 - box.y - box.height / 2;
    const x = Math.abs(across * cos + down * sin) - box.width / 2;
    const y = Math.abs(down * cos - across * sin) - box.height / 2;
    if (Math.abs(Math.max(x, y)) < 2) return null;
    return Math.max(x, y) < 0 ? level : 0;
  });
};

for (const degrees of cases([30, 90, -45, 180, 200], (one) => one === 30 || one === 200))
  test(`clips and shapes rotate by ${degrees} degrees about the middle of their boxes`, async (t) => {
    const boxes = [
      { x: 4, y: 14, width: 24, height: 16 },
      { x: 36, y: 16, width: 22, height: 14 },
    ] as const;
    const layers = [
      { id: 'v', type: 'video', asset: 'clip', rotation: degrees, ...boxes[0] },
      rectangle('s', 130, { rotation: degrees, ...boxes[1] }),
    ];
    await holds(
      t,
      layers,
      (n) => {
        const clip = turned(degrees, boxes[0], levelOfFrame(n));
        const shape = turned(degrees, boxes[1], 130);
        return clip.map((level, at) => (level === 0 ? (shape[at] ?? null) : level));
      },
      {
        parts: { duration: 0.5 },
        files: async (folder) => ({ clip: await numberedClip(folder, 'clip.mp4', '30', 60) }),
      },
    );
  });

long('the edge of a turned clip is as smooth as that of a picture, and nothing shines beside it', async (t) => {
  const folder = await folderOf(t);
  const [clip, still] = [join(folder, 'white.mp4'), join(folder, 'white.png')];
  await ffmpeg('-f', 'lavfi', '-i', 'color=white:s=200x110:r=30:d=1', clip);
  await ffmpeg('-f', 'lavfi', '-i', 'color=white:s=200x110', '-frames:v', '1', still);
  const box = { x: 60, y: 35, width: 200, height: 110 };
  for (const degrees of [0.5, 3, 8, 45, 200]) {
    for (const [type, file] of Object.entries({ video: clip, image: still })) {
      const layers = [{ ...{ id: 'l', type, asset: 'a', rotation: degrees }, ...box }];
      const final = finalOf({ layers, duration: 0.1 }, [{ id: 'a', kind: type as 'video' | 'image' }]);
      const [frame] = await (await goldenOf(folder, final, { a: file })).rgb(0, 1);
      const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
      let [shining, error, edges] = [0, 0, 0];
      for (let at = 0; at < 320 * 180; at += 1) {
        const [across, down] = [(at % 320) + 0.5 - 160, Math.floor(at / 320) + 0.5 - 90];
        const [x, y] = [Math.abs(across * cos + down * sin) - 100, Math.abs(down * cos - across * sin) - 55];
        const outside = Math.max(x, y);
        const level = frame?.[at * 3] ?? 0;
        if (outside > 1 && level > 8) shining += 1;
        if (Math.abs(outside) > 2) continue;
        edges += 1;
        error += Math.abs(level - 255 * Math.min(1, Math.max(0, 0.5 - outside)));
      }
      t.is(shining, 0, `${type}, ${degrees} degrees`);
      t.true(error / edges < 6, `${type}, ${degrees} degrees: ${error / edges}`);
    }
  }
});

for (const order of ['tff', 'bff'])
  test(`an interlaced clip (${order}) shows each field at its time, with any segment cuts`, async (t) => {
    const folder = await folderOf(t);
    const clip = join(folder, `${order}.mp4`);
    const level = (n: number): number => 20 + 4 * n;
    const fields = "color=c=black:s=64x48:r=50:d=1,format=gray,geq=lum='20+4*N',scale=out_range=tv,format=yuv420p";
    await ffmpeg(
      ...['-f', 'lavfi', '-i', `${fields},interlace=lowpass=0:scan=${order},setfield=${order}`],
      ...['-c:v', 'libx264', '-qp', '0', '-flags', '+ildct+ilme', '-top', order === 'tff' ? '1' : '0'],
      ...['-colorspace', 'bt709', '-color_range', 'tv', clip],
    );
    const layers = [{ id: 'v', type: 'video', asset: 'clip' }];
    const final = (fps: number) => finalOf({ width: 64, height: 48, fps, layers }, [{ id: 'clip', kind: 'video' }]);
    const fifty = await goldenOf(folder, final(50), { clip });
    const shown = (frames: readonly Buffer[]) =>
      frames.map((frame) => frame.reduce((sum, one) => sum + one, 0) / frame.length);
    for (const [n, found] of shown(await fifty.rgb(0, 48)).entries())
      t.true(Math.abs(found - level(n)) < 2, `frame ${n}: ${found}, not ${level(n)}`);
    await sameWhateverTheCuts(t, fifty);
    const once = shown(await (await goldenOf(folder, final(25), { clip })).rgb(0, 24));
    for (const [n, found] of once.entries()) t.true(Math.abs(found - level(2 * n)) < 2, `frame ${n} of 25: ${found}`);
  });

test('a layer that jumps to odd pixels and sizes is independent of segment cuts', async (t) => {
  const folder = await folderOf(t);
  const clip = await numberedClip(folder, 'numbered.mp4', '30', 30);
  const jumps = (values: readonly object[]) => values.map((value, n) => ({ time: n * 0.17, easing: 'hold', ...value }));
  const keyframes = {
    position: jumps([
      { x: 3, y: 4 },
      { x: 4, y: 5 },
      { x: -9, y: -3 },
      { x: 50, y: 41 },
      { x: 7.5, y: 8.25 },
    ]),
    scale: jumps([{ value: 1 }, { value: 1.3 }, { value: 0.2 }, { value: 3.7 }, { value: 1 }]),
  };
  const kinds = [
    { type: 'shape', shape: 'ellipse', color: '#0000FF', opacity: 0.6 },
    { type: 'video', asset: 'clip', fit: 'cover' },
    { type: 'video', asset: 'clip', rotation: 90 },
    { type: 'video', asset: 'clip', rotation: 33 },
  ];
  const layers = kinds.map((kind, n) => ({
    ...{ id: `layer${n}`, ...kind, width: 15, height: 11, fade_in: 0.2 },
    keyframes: { ...keyframes, position: keyframes.position.map((at) => ({ ...at, time: at.time + n / 30 })) },
  }));
  await sameWhateverTheCuts(t, await goldenIn(folder, layers, { background: '#203040' }, { clip }));
});
