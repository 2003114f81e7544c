import { resolve } from 'node:path';
import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { canonicalJson } from '../../../domain/composition/canonical-json.ts';
import type { FontFamily } from '../../../domain/composition/font-families.ts';
import { fontHash } from '../../../domain/composition/glyphs.ts';
import { videoGraph } from '../../../engine/filtergraph/video-graph.ts';
import { describeVideoTrack, fontHashesOfText, sceneCutFrames } from '../../../engine/plan/describe-segment.ts';
import { composeScene } from '../../../engine/scene/compose-scene.ts';
import { type Curve, curveOf, curveValueAt, describeCurve } from '../../../engine/scene/curve.ts';
import { visibleRasterIds } from '../../../engine/scene/rasters-shown.ts';
import { finalOf } from '../../integration/engine/_composition.ts';
import { clip, sceneOf, shape } from './_scenes.ts';

const moving = {
  keyframes: {
    position: [
      { time: 0.2, x: 0, y: 0 },
      { time: 0.5, x: 100, y: 40 },
    ],
  },
};
const graphOf = (scene: ReturnType<typeof sceneOf>, from: number, until: number) => {
  const drawn = new Map(scene.rasters.map(({ id, region }) => [id, { id, file: `/tmp/${id}.rgba`, region }]));
  const files = { drawn, assets: new Map([['clip', '-i.mp4']]), folder: '/tmp' };
  return videoGraph(scene, { from, until, outputs: scene.outputs }, files);
};

test('a film is cut where layers start, end, start moving and stop', (t) => {
  t.deepEqual(
    sceneCutFrames(sceneOf([shape('a', { start: 0.1, ...moving }), clip('v', { duration: 0.7 })])),
    [0, 3, 9, 18, 21, 30],
  );
});

test('a resting layer has the same description in every cut', (t) => {
  const of = sceneOf([shape('a', { start: 0.5, width: 100, fade_out: 0.1 })]);
  t.deepEqual(describeVideoTrack(of, 0, 5), describeVideoTrack(of, 10, 15));
  t.deepEqual(describeVideoTrack(of, 15, 20), describeVideoTrack(of, 20, 25));
  t.notDeepEqual(describeVideoTrack(of, 15, 20), describeVideoTrack(of, 10, 15));
  t.notDeepEqual(describeVideoTrack(of, 20, 25), describeVideoTrack(of, 25, 30), 'the fade');
  t.notDeepEqual(describeVideoTrack(of, 20, 25), describeVideoTrack(of, 20, 24), 'its length');
});

test('a description contains only what the frames show', (t) => {
  const with_ = (parts: object) =>
    sceneOf([clip('v', { width: 100 }), shape('b', { start: 0.5, width: 50, ...parts })]);
  const [before, after] = [with_({ color: '#000000' }), with_({ color: '#111111' })];
  t.deepEqual(describeVideoTrack(before, 0, 15), describeVideoTrack(after, 0, 15));
  t.notDeepEqual(describeVideoTrack(before, 10, 20), describeVideoTrack(after, 10, 20));
  const hidden = (color: string) => sceneOf([shape('b', { color }), clip('v', { start: 0.5 })]);
  t.deepEqual(describeVideoTrack(hidden('#000000'), 15, 30), describeVideoTrack(hidden('#111111'), 15, 30), 'hidden');
});

test('only a crop, flip or radius adds members to the description of a clip', (t) => {
  const of = (parts: object) => describeVideoTrack(sceneOf([clip('v', { width: 100, ...parts })]), 0, 5);
  const all = [{}, { crop: { left: 0.25 } }, { flip: 'both' }, { border_radius: 9 }, { blur: 3 }].map(of);
  t.is(new Set(all.map((description) => canonicalJson(description))).size, 5);
  t.is(canonicalJson(of({ crop: {}, border_radius: 0, blur: 0 })), canonicalJson(of({})));
  t.false(/crop|flip|corners|radius/.test(canonicalJson(of({}))));
});

test('another language or hyphenation changes the description of a text', (t) => {
  const of = (parts: object) => describeVideoTrack(sceneOf([{ id: 't', type: 'text', text: '直', ...parts }]), 0, 5);
  const descriptions = [{}, { language: 'ja' }, { language: 'zh-Hans' }, { language: 'ja', hyphenate: true }].map(of);
  t.is(new Set(descriptions.map((description) => JSON.stringify(description))).size, 4);
  t.deepEqual(of({}), of({ language: null, hyphenate: false }));
});

test('a long text is not repeated in the description of every part', (t) => {
  const of = sceneOf([{ id: 't', type: 'text', text: 'a long text '.repeat(500), fade_in: 0.1 }]);
  t.true(JSON.stringify(describeVideoTrack(of, 0, 15)).length < 2000);
});

test("fonts are part of a vector graphic's description, and of no other picture's", (t) => {
  const of = (fonts: readonly string[], with_text: readonly string[] = ['mark']) => {
    const scene = sceneOf([{ id: 'm', type: 'image', asset: 'mark', fade_in: 0.5 }]);
    return describeVideoTrack({ ...scene, fonts, with_text: new Set(with_text) }, 0, 5);
  };
  t.notDeepEqual(of([]), of(['a Face']));
  t.notDeepEqual(of(['a Face']), of(['b Face']));
  t.notDeepEqual(of([]), of([], []), "the engine's");
  t.deepEqual(of(['a Face'], []), of(['b Face'], []));
});

test('the key of a text has exactly the faces that can draw its characters', (t) => {
  const faces = (text: string, font_family = 'Noto Sans', fonts: readonly string[] = []) =>
    fontHashesOfText({ text, font_family, language: null }, { fonts });
  const hashes = (...families: readonly FontFamily[]) => families.map(fontHash);
  t.deepEqual(faces('Hi'), hashes('Noto Sans'));
  t.deepEqual(faces('สวัสดี'), hashes('Noto Sans', 'Noto Sans Thai'));
  t.deepEqual(faces('Hi', 'Noto Sans Lao'), hashes('Noto Sans Lao', 'Noto Sans'), 'the named family');
  t.deepEqual(
    faces('你'),
    hashes('Noto Sans', 'Noto Sans SC'),
    'not other families with the character, which come later',
  );
  t.deepEqual(
    faces('1\ufe0f\u20e3'),
    hashes('Noto Sans', 'Noto Color Emoji'),
    'for emoji the picture family comes first',
  );
  t.deepEqual(faces('ไ', 'A Face', ['1 A Face', '2 B']), ['1 A Face', ...hashes('Noto Sans', 'Noto Sans Thai')]);
  const own = ['1 Noto Sans Thai'];
  t.deepEqual(faces('ไ', 'Noto Sans Thai', own), [...own, ...hashes('Noto Sans', 'Noto Sans Thai')]);
});

test("the key of a text has its family's files, not the project's others", (t) => {
  const final = (font_family: string) => finalOf({ layers: [{ id: 't', type: 'text', text: 'Hi', font_family }] });
  const of = (font_family: string, fonts: readonly string[]) => {
    const font = { kind: 'font' as const, content_type: 'font/ttf', font_family: 'A Face', of_render: false };
    const assets = [{ ...font, id: 'own', sha256: 'f'.repeat(64) }];
    const scene = composeScene({ ...final(font_family), assets }, new Map([['own', { kind: 'font', covers: '' }]]));
    if (E.isLeft(scene)) throw new Error(JSON.stringify(scene.left));
    return describeVideoTrack({ ...scene.right, fonts }, 0, 5);
  };
  t.notDeepEqual(of('A Face', ['1 A Face']), of('A Face', ['2 A Face']));
  t.deepEqual(of('A Face', ['1 A Face', '3 B Face']), of('A Face', ['1 A Face', '4 B Face']));
  t.deepEqual(of('Noto Sans', ['1 A Face']), of('Noto Sans', ['2 A Face']));
});

test('an opacity draws the same as a constant or as equal keyframes', (t) => {
  const of = (parts: object) => graphOf(sceneOf([clip('v', { width: 100, ...parts })]), 0, 30).graph.join();
  const value = 0.5;
  t.is(of({ opacity: value }), of({ keyframes: { opacity: [0, 0.5].map((time) => ({ time, value })) } }));
});

test('a clip continues in every part, and a looping clip has equal repetitions', (t) => {
  const of = sceneOf([clip('v', { width: 100 })]);
  t.notDeepEqual(describeVideoTrack(of, 0, 5), describeVideoTrack(of, 5, 10));
  const looped = sceneOf([clip('v', { width: 100, loop: true, trim_end: 0.5 })]);
  t.deepEqual(describeVideoTrack(looped, 0, 5), describeVideoTrack(looped, 15, 20));
  t.notDeepEqual(describeVideoTrack(looped, 0, 5), describeVideoTrack(looped, 5, 10));
});

test('positions in the list, ids and messages are not part of a description', (t) => {
  const plain = sceneOf([shape('a', { start: 0.5 })]);
  const other = sceneOf([shape('x', { visible: false }), shape('renamed', { start: 0.5 })]);
  t.deepEqual(describeVideoTrack(plain, 15, 30), describeVideoTrack(other, 15, 30));
});

test('only visible layers are drawn and read', (t) => {
  const of = sceneOf([shape('a', { duration: 0.5 }), clip('v', { start: 0.5 }), shape('b', { start: 0.8, width: 10 })]);
  t.deepEqual([...visibleRasterIds(of, 15, 24)], []);
  t.deepEqual([...visibleRasterIds(of, 0, 15)], ['raster-1']);
  t.deepEqual(graphOf(of, 15, 24).inputs.filter((option) => option === '-i').length, 1);
});

test('a graph has no user texts or paths, and no option-like path', (t) => {
  const of = sceneOf([{ id: 't', type: 'text', text: "x'; drawtext=text=y", fade_in: 0.1 }, clip('v', { width: 100 })]);
  const { graph, inputs } = graphOf(of, 0, 30);
  t.false(graph.join().includes('drawtext'));
  t.false(graph.join().includes('.mp4'));
  t.false(inputs.includes('-i.mp4'));
});

test('the list of a loop names its file from any folder', (t) => {
  const { lists } = graphOf(sceneOf([clip('v', { loop: true })]), 0, 30);
  t.true(lists[0]?.text.includes(`file '${resolve('-i.mp4')}'`), lists[0]?.text);
});

test('a still without visible pixels is not in the graph', (t) => {
  const of = sceneOf([{ id: 't', type: 'text', text: ' ', fade_in: 0.1 }]);
  const drawn = new Map(of.rasters.slice(0, 1).map(({ id, region }) => [id, { id, file: '/tmp/x.rgba', region }]));
  const run = { from: 0, until: 30, outputs: of.outputs };
  t.false(videoGraph(of, run, { drawn, assets: new Map(), folder: '/tmp' }).graph.join().includes('overlay'));
});

test('the graph of a run has only the keyframes that affect it', (t) => {
  const position = Array.from({ length: 60 }, (_, n) => ({ time: n / 6, x: n * 5, y: (n % 3) * 10 }));
  const of = sceneOf([shape('a', { width: 10, height: 10, keyframes: { position } })], { duration: 10 });
  const bytes = (from: number, until: number) => graphOf(of, from, until).graph.join('').length;
  t.true(bytes(0, 7) * 4 < bytes(0, 300), `${bytes(0, 7)} and ${bytes(0, 300)} bytes`);
});

const FPS = { num: 30, den: 1 };
const curve = (...easings: readonly ('linear' | 'ease_in' | 'ease_out' | 'ease_in_out' | 'hold')[]): Curve =>
  curveOf(
    easings.map((easing, n) => ({ time: n + 1, easing, value: n % 2 })),
    ({ value }) => value,
    0,
    FPS,
  );

test('a curve is constant outside its keyframes, and eases between them', (t) => {
  const [quarter, half] = [37.5, 45];
  t.is(curveValueAt(curve('linear', 'linear'), 0), 0);
  t.is(curveValueAt(curve('linear', 'linear'), 500), 1);
  t.is(curveValueAt(curve('linear', 'linear'), quarter), 0.25);
  t.is(curveValueAt(curve('ease_in', 'linear'), half), 0.25);
  t.is(curveValueAt(curve('ease_out', 'linear'), half), 0.75);
  t.is(curveValueAt(curve('ease_in_out', 'linear'), quarter), 0.15625);
  t.is(curveValueAt(curve('hold', 'linear'), 59), 0);
  t.is(curveValueAt(curve('hold', 'linear'), 60), 1);
});

test('a curve is described by its values on the frames, not by its keyframes', (t) => {
  const twice = curveOf(
    [0, 1, 2, 3].map((time) => ({ time, easing: 'linear' as const, value: time % 2 })),
    ({ value }) => value,
    0,
    FPS,
  );
  t.deepEqual(describeCurve(twice, 5, 20), describeCurve(twice, 65, 80));
  t.notDeepEqual(describeCurve(twice, 5, 20), describeCurve(twice, 6, 21));
  t.deepEqual(describeCurve(twice, 100, 110), 1);
});
