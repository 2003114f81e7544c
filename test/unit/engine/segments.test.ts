import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { LIMITS } from '../../../domain/composition/limits.ts';
import { sceneCutFrames } from '../../../engine/plan/describe-segment.ts';
import type { Run, Segment } from '../../../engine/plan/render-plan.ts';
import { planRuns } from '../../../engine/plan/runs.ts';
import { splitIntoSegments } from '../../../engine/plan/segments.ts';
import { composeScene } from '../../../engine/scene/compose-scene.ts';
import { visibleSteps } from '../../../engine/scene/hiding.ts';
import type { Scene } from '../../../engine/scene/scene.ts';
import { finalOf } from '../../integration/engine/_composition.ts';
import { clip, sceneOf as sceneWithClips } from './_scenes.ts';

const TOOLCHAIN = { drawing: 'd', encoders: { h264: 'x', h265: 'y', vp9: 'z', av1: 'w' } };

const sceneOf = (parts: Parameters<typeof finalOf>[0], variants: readonly unknown[] = []): Scene => {
  const scene = composeScene(finalOf(parts, [], variants), new Map());
  if (E.isLeft(scene)) throw new Error(JSON.stringify(scene.left));
  return scene.right;
};

const time = fc.integer({ min: 0, max: 200 }).map((tenths) => tenths / 10);
const layer = fc.record({
  start: time,
  duration: fc.option(time.map((t) => t + 0.1)),
  fade_in: fc.constantFrom(0, 0.5),
  x: fc.constantFrom(0, 10),
  keyframes: fc.option(
    time.map((at) => ({
      position: [
        { time: at, x: 0, y: 0 },
        { time: at + 1, x: 50, y: 20 },
      ],
    })),
    { nil: undefined },
  ),
});
const SIZES = [{ name: 'small', height: 90, codec: 'vp9' }];
/** Twenty-one seconds at some rate, with layers that start and end, and two encodes. */
const scenes = fc
  .record({
    fps: fc.constantFrom<number | string>(30, 25, '24000/1001', '30000/1001', 1, 120),
    layers: fc.array(layer, { maxLength: 6 }),
  })
  .map(({ fps, layers }) => {
    const shapes = layers.map((one, n) => ({ id: `s${n}`, type: 'shape', color: '#E30613', width: 40, ...one }));
    return sceneOf({ fps, duration: 21, layers: shapes }, SIZES);
  });

const keysOf = (segments: readonly Segment[]): readonly string[] => segments.flatMap(({ keys }) => Object.values(keys));

test('segments cover all frames once, end at boundaries and last at most four seconds', (t) => {
  fc.assert(
    fc.property(scenes, (scene) => {
      const segments = splitIntoSegments(scene, TOOLCHAIN, {});
      const edges = [0, ...segments.map(({ until }) => until)];
      t.deepEqual(
        segments.map(({ from, index }) => [index, from]),
        edges.slice(0, -1).map((from, index) => [index, from]),
      );
      t.is(edges.at(-1), scene.frames);
      for (const edge of sceneCutFrames(scene)) t.true(edges.includes(edge));
      for (const { from, until } of segments) {
        t.true(until > from);
        t.true((until - from) * scene.fps.den <= 4 * scene.fps.num);
      }
    }),
    { numRuns: 60 },
  );
});

test('runs encode the missing parts with few enough inputs', (t) => {
  fc.assert(
    fc.property(scenes, fc.integer({ min: 5, max: 200 }), fc.infiniteStream(fc.boolean()), (scene, most, coins) => {
      const segments = splitIntoSegments(scene, TOOLCHAIN, { max_segment_frames: most });
      const cached = new Set(keysOf(segments).filter(() => coins.next().value));
      const runs = planRuns(scene, segments, cached, 1);
      const madeIn = ({ outputs, segments: own }: Run, first = 0) =>
        own.slice(first).flatMap(({ keys }) => outputs.map(({ name }) => keys[name] ?? ''));
      const made = new Set(runs.flatMap((run) => madeIn(run)));
      t.true(keysOf(segments).every((key) => made.has(key) || cached.has(key)));
      // In its first segment, a run may encode an output again that is cached. No output of its later segments is
      // cached.
      for (const run of runs) {
        t.true(madeIn(run, 1).every((key) => !cached.has(key)));
        t.true(Object.values(run.segments[0]?.keys ?? {}).some((key) => !cached.has(key)));
      }
      for (const run of runs) {
        t.deepEqual([run.from, run.until], [run.segments[0]?.from, run.segments.at(-1)?.until]);
        t.true(run.segments.every(({ from }, n) => n === 0 || from === run.segments[n - 1]?.until));
        t.true(visibleSteps(scene, run.from, run.until).length <= LIMITS.inputs_at_once);
      }
    }),
    { numRuns: 60 },
  );
});

const spans = (runs: readonly Run[]) => runs.map(({ from, until, outputs }) => [from, until, outputs.length]);
const text = (words: string, parts: object = {}) => ({ id: words, type: 'text', text: words, ...parts });

test('a changed text changes only the keys of frames that show it', (t) => {
  const of = (name: string) =>
    sceneOf(
      { duration: 10, layers: [text('Title', { duration: 9 }), { ...text(name, { start: 4, duration: 2 }), id: 'n' }] },
      [{ name: 'small', height: 90 }],
    );
  const before = splitIntoSegments(of('Ada'), TOOLCHAIN, {});
  const scene = of('Grace');
  const after = splitIntoSegments(scene, TOOLCHAIN, {});
  t.deepEqual(
    after
      .filter(({ index, keys }) => keys.master !== before[index]?.keys.master)
      .map(({ from, until }) => [from, until]),
    [[120, 180]],
  );
  t.deepEqual(spans(planRuns(scene, after, new Set(keysOf(before)), 1)), [[120, 180, 2]]);
});

test('a recurring part is encoded once unless continuing costs less', (t) => {
  const bare = sceneOf({ duration: 12, layers: [] });
  t.deepEqual(spans(planRuns(bare, splitIntoSegments(bare, TOOLCHAIN, {}), new Set(), 1)), [[0, 120, 1]]);
  const short = splitIntoSegments(bare, TOOLCHAIN, { max_segment_frames: 20 });
  t.deepEqual(spans(planRuns(bare, short, new Set(), 1)), [[0, 360, 1]]);
});

test('a long run is split among the cores, preferably where no video continues', (t) => {
  const layers = [
    text('first', { duration: 18, fade_in: 18 }),
    text('second', { start: 18, fade_in: 22 }),
    clip('v', { start: 18, duration: 8 }),
  ];
  const scene = sceneWithClips(layers, { duration: 40 });
  const dividedBy = (cores: number) =>
    spans(planRuns(scene, splitIntoSegments(scene, TOOLCHAIN, {}), new Set(), cores));
  t.deepEqual(dividedBy(1), [[0, 1200, 1]]);
  t.deepEqual(dividedBy(2), [
    [0, 540, 1],
    [540, 1200, 1],
  ]);
  const many = dividedBy(64);
  t.true(many.length > 2 && many.every(([from = 0, until = 0]) => until - from >= 60), JSON.stringify(many));
  t.true(
    many.filter(([from = 0]) => from > 540 && from < 780).every(([from = 0, until = 0]) => until - from >= 150),
    'no short part starts within the video, where its decoding would start again',
  );
  const runs = (duration: number, ...others: readonly object[]) => {
    const scene = sceneWithClips([text('x', { duration, fade_in: duration }), ...others], { duration });
    return planRuns(scene, splitIntoSegments(scene, TOOLCHAIN, {}), new Set(), 8).length;
  };
  t.deepEqual([runs(3), runs(9), runs(9, clip('v', { duration: 8.9 }))], [1, 3, 1]);
});

test('a run of a continuing video is split where little is decoded again', (t) => {
  const scene = sceneWithClips([clip('v', { duration: 40, trim_start: 3 }), text('x', { fade_in: 40 })], {
    duration: 40,
  });
  const divideAt = (key_frames_s: readonly number[], parts: { readonly seekable?: boolean } = {}) => {
    const videoTrack = scene.videoTrack.map((step) =>
      step.kind === 'video' ? { ...step, part: { ...step.part, ends_s: 43 }, key_frames_s, ...parts } : step,
    );
    const of = { ...scene, videoTrack };
    return planRuns(of, splitIntoSegments(of, TOOLCHAIN, {}), new Set(), 2)[1]?.from;
  };
  // Segments start every four seconds, and frame 600 shows the source at 23 s.
  t.is(divideAt([]), 600, 'unknown key frames: in the middle');
  t.is(divideAt([0, 22.4]), 600);
  t.is(divideAt([0, 12, 26, 40]), 720, 'at 27 s');
  t.is(divideAt([0, 18, 32]), 600, 'the cut nearer to the key frame is too far from the middle');
  t.is(divideAt([0, 22.6]), 720, 'decoding starts half a second before the shown frame');
  t.is(divideAt([0, 26], { seekable: false }), 600, 'decoding starts at the start of the file for any cut');
});

test('only the variant that lacks a part encodes it, unless both continue from there', (t) => {
  const scene = sceneOf({ duration: 9, layers: [text('x', { fade_in: 9 })] }, [{ name: 'small', height: 90 }]);
  const segments = splitIntoSegments(scene, TOOLCHAIN, {});
  const cached = new Set(segments.slice(1).map(({ keys }) => keys.small ?? ''));
  t.deepEqual(spans(planRuns(scene, segments, cached, 1)), [
    [0, 90, 2],
    [90, 270, 1],
  ]);
  const broken_off = new Set([segments[0]?.keys.small ?? '']);
  t.deepEqual(spans(planRuns(scene, segments, broken_off, 1)), [[0, 270, 2]]);
  const av1 = sceneOf({ duration: 9, layers: [text('x', { fade_in: 9 })] }, [
    { name: 'small', height: 90, codec: 'av1' },
  ]);
  t.is(planRuns(av1, splitIntoSegments(av1, TOOLCHAIN, {}), new Set(), 1).length, 3);
});

test('a process reads at most fifty sources', (t) => {
  const layers = Array.from({ length: 60 }, (_, n) => text(`t${n}`, { start: n, duration: 2, fade_in: 0.1 }));
  const scene = sceneOf({ duration: 61, layers });
  const runs = planRuns(scene, splitIntoSegments(scene, TOOLCHAIN, {}), new Set(), 1);
  t.is(runs.length, 2);
  for (const { from, until } of runs) t.true(visibleSteps(scene, from, until).length <= LIMITS.inputs_at_once);
});

test('segments that show more than fifty rasters form one run', (t) => {
  const layers = Array.from({ length: 120 }, (_, n) => text(`t${n}`, { start: n / 4, height: 10 }));
  const scene = sceneOf({ duration: 60, layers });
  const runs = planRuns(scene, splitIntoSegments(scene, TOOLCHAIN, {}), new Set(), 1);
  t.is(runs.length, 1);
});

test('keys differ exactly by build, encoder and size', (t) => {
  const scene = sceneOf({ duration: 1, layers: [text('x')] }, SIZES);
  const keys = (toolchain = TOOLCHAIN, options = {}) => splitIntoSegments(scene, toolchain, options)[0]?.keys;
  t.deepEqual(keys(), keys({ drawing: 'd', encoders: { ...TOOLCHAIN.encoders, h265: 'newer' } }));
  t.is(new Set(Object.values(keys() ?? {})).size, 2);
  const newer = keys({ ...TOOLCHAIN, encoders: { ...TOOLCHAIN.encoders, vp9: 'newer' } });
  t.is(newer?.master, keys()?.master);
  t.not(newer?.small, keys()?.small);
  t.not(keys({ ...TOOLCHAIN, drawing: 'newer' })?.master, keys()?.master);
  t.not(keys(TOOLCHAIN, { lossless: true })?.master, keys()?.master);
});
