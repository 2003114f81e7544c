import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { faultText } from '../../../domain/composition/fault.ts';
import { decodeProjectDocument, decodeProjectFile } from '../../../domain/composition/project-document.ts';
import { compositionJson, projectJson, storedJson } from './_project.ts';

const shape = (id: string, parts: object = {}) => ({ id, type: 'shape', color: '#E30613', ...parts });
const project = (layers: readonly unknown[], parts: object = {}) =>
  projectJson({
    assets: [storedJson('clip', 'video'), storedJson('song', 'audio')],
    compositions: [compositionJson({ layers, ...parts })],
    variants: [],
    templates: [],
  });
const faults = (layers: readonly unknown[], parts: object = {}): readonly string[] => {
  const decoded = decodeProjectFile(project(layers, parts));
  return E.isLeft(decoded) ? decoded.left.map((fault) => faultText(fault).replace('compositions[0].layers', '')) : [];
};

test('keyframes are ordered by distinct times', (t) => {
  const position = [
    { time: 0, x: 0, y: 0 },
    { time: 1, x: 10, y: 0 },
    { time: 1, x: 20, y: 0 },
    { time: 0.5, x: 30, y: 0, easing: 'bounce' },
  ];
  const scale = [{ time: 0, value: 1 }, { time: 'late' }, { time: 0, value: 17 }];
  t.deepEqual(faults([shape('a', { keyframes: { position, scale } })]), [
    '[0].keyframes.position[3].easing: must be one of linear, ease_in, ease_out, ease_in_out, hold',
    '[0].keyframes.position[2].time: must be after 1 s, the time of the previous keyframe',
    '[0].keyframes.position[3].time: must be after 1 s, the time of the previous keyframe',
    '[0].keyframes.scale[1].time: must be a number',
    '[0].keyframes.scale[1].value: is required',
    '[0].keyframes.scale[2].value: must be <= 16',
  ]);
  const many = Array.from({ length: 65 }, (_, n) => ({ time: n, value: 1 }));
  t.deepEqual(faults([shape('a', { keyframes: { opacity: many } })]), [
    '[0].keyframes.opacity: must have at most 64 entries',
  ]);
  t.deepEqual(faults([shape('a', { keyframes: { opacity: many.slice(1) } })]), []);
});

test('a part of a source ends after its start', (t) => {
  const clip = (parts: object) => ({ id: 'v', type: 'video', asset: 'clip', ...parts });
  t.deepEqual(faults([clip({ trim_start: 2, trim_end: 2 })]), ['[0].trim_end: must be after trim_start']);
  t.deepEqual(faults([clip({ trim_start: 2, trim_end: 2.5, duration: 'media', speed: 0.1 })]), []);
  t.deepEqual(faults([clip({ duration: 'film' })]), ['[0].duration: must be "media" or a number or null']);
  t.deepEqual(faults([shape('a', { duration: 'media' })]), ['[0].duration: must be a number or null']);
});

test('scaling and rotation keep the sides of a layer within bounds', (t) => {
  const scale = (...values: number[]) => ({ scale: values.map((value, time) => ({ time, value })) });
  t.deepEqual(faults([shape('a', { width: 1000, height: 10, keyframes: scale(1, 8.192, 8.2) })]), [
    '[0].keyframes.scale[2].value: makes a side of the layer longer than 8192 pixels',
  ]);
  t.deepEqual(faults([shape('a', { width: 8000, height: 8000, rotation: 45 })]), [
    '[0].rotation: makes a side of the layer longer than 8192 pixels',
  ]);
  t.deepEqual(faults([shape('a', { width: 8192, height: 8192, rotation: -180 })]), []);
  t.deepEqual(faults([shape('a', { width: 5000, height: 5000, rotation: 30, keyframes: scale(1, 1.5) })]), [
    '[0].rotation: makes a side of the layer longer than 8192 pixels',
  ]);
});

test('pixels outside of the frame and of replaced layers count as motion', (t) => {
  const told = [': show too many pixels in one frame: use fewer or smaller layers'];
  const wide = (parts: object = {}) => ({ width: 8192, height: 8192, ...parts });
  const three = (parts: object) => [0, 1, 2].map((n) => shape(`s${n}`, wide(parts)));
  t.deepEqual(faults(three({})), []);
  t.deepEqual(faults(three({ keyframes: { position: [{ time: 0, x: 0, y: 0 }] } })), told);
  t.deepEqual(faults(three({ rotation: 90 })), told);
  const scale = [{ time: 0, value: 2 }];
  t.deepEqual(faults([0, 1, 2].map((n) => shape(`s${n}`, { width: 4096, height: 4096, keyframes: { scale } }))), told);
  const next = (duration: number) => [
    shape('a', wide({ rotation: 90, duration: 1 })),
    shape('b', wide({ rotation: 90, start: 4, transition: { type: 'slide', from: 'a', duration } })),
    shape('c', wide({ rotation: 90, start: 3, duration: 1 })),
    shape('d', wide({ rotation: 90, start: 2, duration: 1 })),
  ];
  t.deepEqual(faults(next(1).slice(0, 3)), []);
  t.deepEqual(faults(next(1).with(3, shape('d', wide({ rotation: 90, start: 3, duration: 1 })))), told);
});

test('at most fifty moving sources are read at once; stored projects can have more', (t) => {
  const many = (count: number, parts: (n: number) => object) =>
    Array.from({ length: count }, (_, n) => ({ id: `m${n}`, type: 'audio', asset: 'song', ...parts(n) }));
  t.deepEqual(faults(many(50, () => ({}))), []);
  t.deepEqual(faults(many(51, () => ({}))), [
    ': have 51 videos, sounds and changing pictures in one frame; the maximum is 50',
  ]);
  const shapes = (count: number, parts: object) => Array.from({ length: count }, (_, n) => shape(`s${n}`, parts));
  t.deepEqual(faults([...many(25, () => ({})), ...shapes(26, { fade_out: 0.1 })]), [
    ': have 51 videos, sounds and changing pictures in one frame; the maximum is 50',
  ]);
  t.deepEqual(faults([...many(25, () => ({})), ...shapes(26, { width: 10, height: 10 })]), [], 'one picture');
  t.deepEqual(faults(many(51, (n) => (n < 26 ? { duration: 2 } : { start: 2 }))), []);
  t.true(E.isRight(decodeProjectDocument(project(many(51, () => ({}))))));
});
