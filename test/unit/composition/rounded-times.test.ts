import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { visibleFrames } from '../../../domain/composition/extents.ts';
import { composeFinal, type FinalComposition, snapToFrame } from '../../../domain/composition/final-composition.ts';
import { type FrameRate, frameAt } from '../../../domain/composition/frame-rate.ts';
import { decodeProjectDocument, decodeProjectFile } from '../../../domain/composition/project-document.ts';
import { compositionJson, projectJson } from './_project.ts';

const RATES = [10, 12.5, 23.976, 24, 25, 29.97, 30, 48, 50, 59.94, 60, 90, 119.88, 120] as const;

const composed = (composition: Record<string, unknown>, engine?: number): FinalComposition => {
  const parts = { compositions: [compositionJson(composition)], assets: [], templates: [], engine };
  const decoded = decodeProjectDocument(projectJson(parts));
  if (E.isLeft(decoded)) throw new Error(JSON.stringify(decoded.left));
  const final = composeFinal(decoded.right, null, {});
  if (E.isLeft(final)) throw new Error(final.left.message);
  return final.right;
};

const bar = (parts: object) => ({ id: 'bar', type: 'shape', color: '#FFFFFF', ...parts });
const milliseconds = (time_s: number): number => Math.round(time_s * 1000) / 1000;

const rate = fc.constantFrom(...RATES);
const frame = fc.integer({ min: 0, max: 100_000 });
const length = fc.integer({ min: 1, max: 5_000 });
const secondsOf = (frames: number, { num, den }: FrameRate): number => (frames * den) / num;
const fpsOf = (fps: number): FrameRate => composed({ fps, layers: [] }).composition.fps;

test('layers with times in milliseconds show on the intended frames', (t) => {
  fc.assert(
    fc.property(rate, frame, length, fc.boolean(), (fps, from, frames, ends) => {
      const exact = fpsOf(fps);
      const start = milliseconds(secondsOf(from, exact));
      const end = milliseconds(secondsOf(from + frames, exact));
      const duration = ends ? end - start : milliseconds(secondsOf(frames, exact));
      fc.pre(duration > 0 && end < 3600);
      const { composition } = composed({ fps, duration: 3600, layers: [bar({ start, duration })] }, 6);
      const layer = composition.layers[0];
      if (layer === undefined) throw new Error('there is no layer');
      t.deepEqual(visibleFrames(layer, composition), { from, until: from + frames });
      t.is(Math.round(layer.start * 48_000), Math.round(secondsOf(from, exact) * 48_000));
    }),
  );
});

test('keyframes stay in order, and on the intended frames', (t) => {
  const times = fc.uniqueArray(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(rate, times, fc.nat({ max: 9 }), (fps, all, nearer) => {
      const exact = fpsOf(fps);
      const frames = all.toSorted((one, other) => one - other);
      const opacity = frames.map((n) => ({ time: milliseconds(secondsOf(n, exact)), value: 1 }));
      const { composition } = composed({ fps, duration: 3600, layers: [bar({ keyframes: { opacity } })] }, 6);
      const layer = composition.layers[0];
      if (layer?.type !== 'shape') throw new Error('there is no shape');
      t.deepEqual(
        layer.keyframes.opacity.map(({ time }) => frameAt(time, exact)),
        frames,
      );
      // Keyframes that are closer than neighbouring frames stay in order.
      const close = [0, 0.0001, 0.0003 + nearer / 10_000].map((more) => ({ time: 1 + more, value: 1 }));
      const near = composed({ fps, layers: [bar({ keyframes: { opacity: close } })] }, 6).composition.layers[0];
      const found = near?.type === 'shape' ? near.keyframes.opacity.map(({ time }) => time) : [];
      t.is(found.length, 3);
      t.true(found.every((time, index) => index === 0 || time > (found[index - 1] ?? 0)));
    }),
  );
});

test('times that are not rounded milliseconds stay, as in older projects', (t) => {
  const times = { start: 0.48, duration: 1.013 };
  const kept = composed({ layers: [bar(times)] }, 6).composition.layers[0];
  t.is(kept?.start, 0.48);
  t.is((kept?.start ?? 0) + Number(kept?.duration), 0.48 + 1.013);
  const rounded = { start: 0.467, duration: 0.4, keyframes: { opacity: [{ time: 0.067, value: 1 }] } };
  const before = composed({ layers: [bar(rounded)] }).composition.layers[0];
  t.like(before, { start: 0.467, duration: 0.4 });
  t.like(composed({ layers: [bar(rounded)] }, 5).composition.layers[0], { start: 0.467, duration: 0.4 });
});

test('very short times keep their length, and none exceeds the longest film', (t) => {
  const short = composed({ layers: [bar({ start: 0.4668, duration: 0.0001 })] }, 6).composition.layers[0];
  t.like(short, { start: 0.4668, duration: 0.0001 });
  const last = composed({ fps: 29.97, duration: 3600, layers: [bar({ start: 3599.9999 })] }, 6).composition.layers[0];
  t.true((last?.start ?? 0) <= 3600);
});

test('transitions, posters and stills use the same frames', (t) => {
  const layers = [
    bar({ duration: 1 }),
    bar({ id: 'next', start: 0.467, transition: { type: 'cross_fade', from: 'bar', duration: 0.233 } }),
  ];
  const { composition, poster_frame } = composed({ layers, poster_time: 0.467 }, 6);
  const next = composition.layers[1];
  if (next === undefined || next.type === 'audio' || next.transition === null) throw new Error('no transition');
  t.is(frameAt(next.start, composition.fps), 14);
  t.is(frameAt(next.start + next.transition.duration, composition.fps), 21);
  t.is(poster_frame, 14);
  t.is(frameAt(snapToFrame({ engine: 6 }, 0.467, composition.fps), composition.fps), 14);
  t.is(frameAt(snapToFrame({ engine: 5 }, 0.467, composition.fps), composition.fps), 15);
});

test('a file has the newest rules by default, a stored document the oldest', (t) => {
  const engineOf = (json: unknown) => {
    const decoded = decodeProjectFile(json);
    return E.isRight(decoded) ? decoded.right.engine : decoded.left;
  };
  t.is(engineOf(projectJson()), 7);
  t.is(engineOf(projectJson({ engine: 5 })), 5);
  t.deepEqual(engineOf(projectJson({ engine: 8 })), [{ path: 'engine', message: 'must be <= 7' }]);
  const stored = decodeProjectDocument(
    projectJson({ assets: [], templates: [], compositions: [compositionJson({ layers: [] })] }),
  );
  t.is(E.isRight(stored) ? stored.right.engine : null, 5);
});
