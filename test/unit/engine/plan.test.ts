import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { ffmpegArguments, filterGraph } from '../../../render-workers/engine/ffmpeg-arguments.ts';
import { evenAround, fitted, wholePixels } from '../../../render-workers/engine/geometry.ts';
import type { MediaFacts, VideoFacts } from '../../../render-workers/engine/media-facts.ts';
import { plan } from '../../../render-workers/engine/plan.ts';
import type { RenderPlan } from '../../../render-workers/engine/render-plan.ts';
import { type AssetParts, finalOf } from '../../integration/engine/_composition.ts';

const CLIP: VideoFacts = {
  kind: 'video',
  width: 1920,
  height: 1080,
  color: { matrix: 'bt709', full_range: false, hdr: false },
  interlaced: false,
  alpha_decoder: null,
  has_alpha: false,
  has_audio: true,
};
const MEDIA: ReadonlyMap<string, MediaFacts> = new Map<string, MediaFacts>([
  ['clip', CLIP],
  ['mark', { kind: 'image', width: 10, height: 10 }],
]);
const ASSETS: readonly AssetParts[] = [
  { id: 'clip', kind: 'video' },
  { id: 'mark', kind: 'image' },
];
const planned = (layers: readonly unknown[], parts: object = {}): RenderPlan => {
  const result = plan(finalOf({ ...parts, layers }, ASSETS), MEDIA);
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};
const shape = (id: string, parts: object = {}) => ({ id, type: 'shape', color: '#E30613', ...parts });
const clip = (id: string, parts: object = {}) => ({ id, type: 'video', asset: 'clip', ...parts });
const drawnOf = (of: RenderPlan) =>
  new Map(of.stills.map(({ id, region }) => [id, { id, file: `/tmp/${id}.rgba`, region }]));

test('stills that show together and do not fade become one picture with the background', (t) => {
  const { stills, picture } = planned([
    shape('a', { width: 10 }),
    { id: 'b', type: 'text', text: 'x' },
    { id: 'c', type: 'image', asset: 'mark' },
  ]);
  t.deepEqual(
    stills.map(({ drawings }) => drawings.map(({ kind }) => kind)),
    [['fill', 'rectangle', 'text', 'image']],
  );
  t.is(picture.length, 1);
});

test('a still of its own time, or one that fades, stays apart, as do small ones far from each other', (t) => {
  t.is(planned([shape('a', { start: 0.5 }), shape('b', { fade_in: 0.1 })]).stills.length, 3);
  const corner = (id: string, x: number) => shape(id, { x, width: 10, height: 10, start: 0.5 });
  t.is(planned([corner('a', 0), corner('b', 300)]).stills.length, 3);
  t.is(planned([corner('a', 0), corner('b', 12)]).stills.length, 2);
});

test('what a clip hides on every frame is not drawn', (t) => {
  const hidden = planned([shape('a'), clip('v'), shape('b')]);
  t.deepEqual(
    hidden.picture.map(({ kind }) => kind),
    ['video', 'still'],
  );
  t.is(hidden.stills.length, 1);
  for (const parts of [
    { opacity: 0.9 },
    { fade_in: 0.1 },
    { start: 0.1 },
    { width: 318 },
    { fit: 'contain', width: 100 },
  ])
    t.is(planned([shape('a'), clip('v', parts)]).picture[0]?.kind, 'still', JSON.stringify(parts));
});

test('layers that do not show are left out', (t) => {
  const of = planned([
    shape('a', { visible: false }),
    shape('b', { opacity: 0 }),
    shape('c', { x: 400, width: 10 }),
    clip('v', { visible: false }),
  ]);
  t.deepEqual([of.stills.length, of.picture.length, of.sources.length, of.sound.length], [1, 1, 0, 0]);
});

test('times become frames of the composition, and samples', (t) => {
  const of = planned([clip('v', { start: 0.5, duration: 0.25, trim_start: 10, fade_in: 0.1, width: 100 })], {
    fps: '30000/1001',
  });
  t.is(of.frames, 30);
  t.is(of.samples, 48_048);
  t.like(of.picture[1], { from: 15, until: 23, fade_in_frames: 3, fade_out_frames: 0, shift_s: -9.5 });
  t.deepEqual(of.sources, [{ asset: 'clip', seek_s: 9, looped: false, decoder: null }]);
  t.like(of.sound[0], { starts_at_sample: 24_000, trim_start_s: 10, length_s: 0.25 });
});

test('a muted clip has no voice, and a layer past the end is cut', (t) => {
  t.is(planned([clip('v', { volume: 0 })]).sound.length, 0);
  const of = planned([clip('v', { start: 0.5, duration: 100 })]);
  t.is(of.sound[0]?.length_s, 0.5);
  t.is(of.picture[1]?.until, 30);
});

test('4:2:0 where every clip lies on even pixels, 4:4:4 else', (t) => {
  t.is(planned([clip('v', { x: 20, width: 101 })]).chroma, '444');
  t.is(planned([clip('v', { x: 20, width: 100 }), shape('s', { x: 3, width: 5 })]).chroma, '420');
});

test('no text of a user is part of what ffmpeg reads', (t) => {
  const text = "x'; drawtext=text=y";
  const of = planned([{ id: 't', type: 'text', text, fade_in: 0.1 }, clip('v', { width: 100 })]);
  const files = { assets: new Map([['clip', '-i.mp4']]), stills: drawnOf(of), outputs: new Map(), graph: 'g' };
  const written = [filterGraph(of, files.stills), ...ffmpegArguments(of, files)].join('\n');
  t.false(written.includes('drawtext'));
  t.false(written.split('\n').includes('-i.mp4'), 'a path never looks like an option');
});

test('a still that drew nothing is left out of the graph', (t) => {
  const of = planned([{ id: 't', type: 'text', text: ' ', fade_in: 0.1 }]);
  const drawn = drawnOf(of);
  drawn.delete('still-1');
  t.false(filterGraph(of, drawn).includes('overlay'));
});

test('what cannot be drawn is a fault with its place', (t) => {
  const unknown = finalOf({ layers: [shape('a'), { id: 't', type: 'text', text: 'x', font_family: 'Comic Sans' }] });
  t.like(plan(unknown, MEDIA), { left: { code: 'font_not_available', field: 'layers[1].font_family' } });
  t.like(plan(finalOf({ layers: [clip('v')] }, ASSETS), new Map()), { left: { code: 'missing_media' } });
  const many = Array.from({ length: 51 }, (_, n) => shape(`s${n}`, { fade_in: 0.1 }));
  t.like(plan(finalOf({ layers: many }), MEDIA), { left: { code: 'too_many_inputs', field: 'layers' } });
});

test('boxes are rounded edge by edge, and sources fitted into them', (t) => {
  t.deepEqual(wholePixels({ x: 0.4, y: 0.6, width: 0.2, height: 10 }), { x: 0, y: 1, width: 1, height: 10 });
  const box = { x: 10, y: 10, width: 100, height: 50 };
  t.deepEqual(fitted({ width: 10, height: 10 }, box, 'contain'), { x: 35, y: 10, width: 50, height: 50 });
  t.deepEqual(fitted({ width: 10, height: 10 }, box, 'cover'), { x: 10, y: -15, width: 100, height: 100 });
  t.deepEqual(fitted({ width: 10, height: 10 }, box, 'cover', 2), { x: 10, y: -14, width: 100, height: 100 });
  t.deepEqual(fitted({ width: 1000, height: 1 }, box, 'contain'), { x: 10, y: 35, width: 100, height: 1 });
  t.deepEqual(evenAround({ x: -1, y: 3, width: 2, height: 2 }), { x: -2, y: 2, width: 4, height: 4 });
});
