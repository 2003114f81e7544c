import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { rangesText } from '../../../domain/composition/glyph-ranges.ts';
import { videoGraph } from '../../../engine/filtergraph/video-graph.ts';
import { describeVideoTrack, sceneCutFrames } from '../../../engine/plan/describe-segment.ts';
import { expandToEven, fitInto, roundToPixels } from '../../../engine/raster/geometry.ts';
import { composeScene } from '../../../engine/scene/compose-scene.ts';
import { MAX_GRAPH_BYTES } from '../../../engine/scene/peak-load.ts';
import type { Scene } from '../../../engine/scene/scene.ts';
import { finalOf } from '../../integration/engine/_composition.ts';
import { ASSETS, clip, IMAGE, MEDIA, sceneOf, shape } from './_scenes.ts';

test('rasters that show together without fades merge with the background into one picture', (t) => {
  const { rasters, videoTrack } = sceneOf([
    shape('a', { width: 10 }),
    { id: 'b', type: 'text', text: 'x' },
    { id: 'c', type: 'image', asset: 'mark' },
  ]);
  t.deepEqual(
    rasters.map(({ drawings }) => drawings.map(({ kind }) => kind)),
    [['fill', 'rectangle', 'text', 'image']],
  );
  t.is(videoTrack.length, 1);
});

test('stills with other times, fades or motion, and distant small ones, stay separate', (t) => {
  t.is(sceneOf([shape('a', { start: 0.5 }), shape('b', { fade_in: 0.1 })]).rasters.length, 3);
  const corner = (id: string, x: number) => shape(id, { x, width: 10, height: 10, start: 0.5 });
  t.is(sceneOf([corner('a', 0), corner('b', 300)]).rasters.length, 3);
  t.is(sceneOf([corner('a', 0), corner('b', 12)]).rasters.length, 2);
  t.is(sceneOf([shape('a', { keyframes: { position: [{ time: 0, x: 5, y: 5 }] } })]).rasters.length, 2);
});

test('a layer that a clip covers on every frame is not drawn', (t) => {
  const hidden = sceneOf([shape('a'), clip('v'), shape('b', { width: 100 })]);
  t.deepEqual(
    hidden.videoTrack.map(({ kind }) => kind),
    ['video', 'raster'],
  );
  t.is(hidden.rasters.length, 1);
  for (const parts of [
    { opacity: 0.9 },
    { fade_in: 0.1 },
    { start: 0.1 },
    { width: 318 },
    { fit: 'contain', width: 100 },
    { rotation: 1 },
    { keyframes: { opacity: [{ time: 0, value: 0.5 }] } },
    { keyframes: { position: [{ time: 0, x: 5, y: 5 }] } },
  ])
    t.is(sceneOf([shape('a'), clip('v', parts)]).videoTrack[0]?.kind, 'raster', JSON.stringify(parts));
});

test('a rounded clip hides nothing, and a cropped one hides what it covers', (t) => {
  const fieldsOf = (parts: object) => sceneOf([shape('a'), clip('v', parts)]).videoTrack.map(({ field }) => field);
  t.deepEqual(fieldsOf({}), ['layers[1]']);
  t.deepEqual(fieldsOf({ crop: { left: 0.3 }, flip: 'both' }), ['layers[1]']);
  t.deepEqual(fieldsOf({ border_radius: 10 }), ['background', 'layers[1]']);
  t.deepEqual(fieldsOf({ crop: { left: 0.5 }, fit: 'contain' }), ['background', 'layers[1]']);
  t.deepEqual(fieldsOf({ blur: 10 }), ['layers[1]']);
});

test('a gradient hides what is below if all its stops are opaque', (t) => {
  const stops = (opacity: number) => [0, 1].map((offset) => ({ offset, color: '#102030', opacity }));
  const fieldsOf = (opacity: number) =>
    sceneOf([clip('v'), shape('a', { fill: { type: 'radial', stops: stops(opacity) }, start: 0 })]).videoTrack.map(
      ({ field }) => field,
    );
  t.deepEqual([fieldsOf(1), fieldsOf(0.5)], [['layers[1]'], ['layers[0]', 'layers[1]']]);
});

test('the shadow of a clip is a picture that fades with it', (t) => {
  const parts = { x: 40, y: 40, width: 80, height: 60, fade_in: 0.2, shadow_opacity: 0.5, shadow_blur: 2 };
  const [, shadow, film] = sceneOf([shape('a'), clip('v', parts)]).videoTrack;
  t.like(shadow, { kind: 'raster', field: 'layers[1]', hides: false, fades: film?.fades });
  const pictures = sceneOf([shape('a'), clip('v', parts)]).rasters.map(({ drawings }) =>
    drawings.map(({ kind }) => kind),
  );
  t.deepEqual(pictures, [['fill', 'rectangle'], ['shadow']]);
});

test('effects on huge boxes are refused, and a blurred full frame is accepted', (t) => {
  const parts = { width: 4096, height: 4096 };
  const of = (layer: object) => composeScene(finalOf({ ...parts, layers: [shape('a', layer)] }, ASSETS), MEDIA);
  t.true(E.isRight(of({ blur: 100 })));
  const keyframes = { position: [{ time: 0, x: 0, y: 0 }] };
  const huge = { width: 8192, height: 8192, blur: 100, keyframes };
  t.like(of(huge), { left: { code: 'layer_too_large', field: 'layers[0]' } });
});

test('a crop that leaves too narrow a part is refused at its member', (t) => {
  const parts = { layers: [clip('v', { crop: { left: 0.49, right: 0.5 } })] };
  t.like(composeScene(finalOf(parts, ASSETS), MEDIA), { left: { code: 'media_too_narrow', field: 'layers[0].crop' } });
});

test('invisible layers are omitted', (t) => {
  const of = sceneOf([
    shape('a', { visible: false }),
    shape('b', { opacity: 0 }),
    shape('c', { x: 400, width: 10 }),
    shape('d', { keyframes: { opacity: [{ time: 0, value: 0 }] } }),
    clip('v', { visible: false }),
  ]);
  t.deepEqual([of.rasters.length, of.videoTrack.length, of.sound.length], [1, 1, 0]);
});

test('times become frames of the composition and audio samples', (t) => {
  const of = sceneOf(
    [clip('v', { start: 0.5, duration: 0.25, trim_start: 2, trim_end: 3, fade_in: 0.1, width: 100 })],
    {
      fps: '30000/1001',
    },
  );
  t.is(of.frames, 30);
  t.is(of.samples, 48_048);
  t.like(of.videoTrack[1], { from: 15, until: 23, fades: [{ type: 'in', at: 0, frames: 3 }] });
  t.like(of.videoTrack[1], { part: { begins_s: 2, cut_s: 3, ends_s: 3, speed: 1, body: null } });
  t.like(of.sound[0], { starts_at_sample: 24_024, trim_start_s: 2 });
});

test('a layer as long as its media shows the remaining part at its speed', (t) => {
  const untilOf = (parts: object) =>
    sceneOf([clip('v', { duration: 'media', width: 100, ...parts })]).videoTrack[1]?.until;
  t.is(untilOf({ trim_start: 9.5 }), 15);
  t.is(untilOf({ trim_start: 9.5, speed: 2 }), 8);
  t.is(untilOf({ trim_start: 1, trim_end: 1.2 }), 6);
  t.is(untilOf({ trim_start: 1 }), 30);
});

test('a looped part lasts a whole number of frames', (t) => {
  const [, step] = sceneOf([clip('v', { loop: true, trim_start: 1, trim_end: 1.25, speed: 2, width: 100 })]).videoTrack;
  t.like(step, { part: { body: 4 } });
});

test('a muted clip has no voice, and a layer beyond the end is cut', (t) => {
  t.is(sceneOf([clip('v', { volume: 0 })]).sound.length, 0);
  t.is(sceneOf([clip('v', { start: 0.5, duration: 100 })]).videoTrack[1]?.until, 30);
});

const successor = (type: string, parts: object = {}) => ({
  ...{ start: 0.5, transition: { type, from: 'a', duration: 0.2 } },
  ...parts,
});

test('a layer that a new layer hides stays solid during the fade, then disappears', (t) => {
  const [, a, b] = sceneOf([clip('a', { start: 0.1 }), clip('b', successor('cross_fade'))]).videoTrack;
  t.like(a, { from: 3, until: 21 });
  t.deepEqual(a?.fades, []);
  t.like(b, { from: 15, until: 30, fades: [{ type: 'in', at: 0, frames: 6 }] });
});

test('the replaced layer fades out if the new layer does not hide it', (t) => {
  const fades = [{ type: 'out' as const, at: 12, frames: 6 }];
  for (const parts of [{ width: 100 }, { opacity: 0.5 }, { type: 'image', asset: 'mark' }])
    t.like(
      sceneOf([clip('a', { start: 0.1, duration: 0.1 }), clip('b', successor('cross_fade', parts))]).videoTrack[1],
      { until: 21, fades },
      JSON.stringify(parts),
    );
  const [, photo] = sceneOf([
    clip('a', { start: 0.1 }),
    { id: 'b', type: 'image', asset: 'photo', ...successor('cross_fade') },
  ]).videoTrack;
  t.deepEqual(photo?.fades, []);
});

test('a layer above its successor fades out over it', (t) => {
  const [, b, a] = sceneOf([clip('b', successor('cross_fade')), clip('a', { start: 0.1 })]).videoTrack;
  t.like(a, { until: 21, fades: [{ type: 'out', at: 12, frames: 6 }] });
  t.deepEqual(b?.fades, [], 'a layer behind the whole other layer needs no fade');
  const [, wider] = sceneOf([clip('b', successor('cross_fade')), clip('a', { start: 0.1, width: 100 })]).videoTrack;
  t.like(wider, { fades: [{ type: 'in', at: 0, frames: 6 }] });
});

test('missing fonts and media are reported with their path', (t) => {
  const unknown = finalOf({ layers: [shape('a'), { id: 't', type: 'text', text: 'x', font_family: 'Comic Sans' }] });
  t.like(composeScene(unknown, MEDIA), { left: { code: 'font_not_available', field: 'layers[1].font_family' } });
  t.like(composeScene(finalOf({ layers: [clip('v')] }, ASSETS), new Map()), { left: { code: 'missing_media' } });
});

test('a font of the project is found', (t) => {
  const final = finalOf({ layers: [{ id: 't', type: 'text', text: 'x', font_family: 'House Face' }] });
  const font = { kind: 'font' as const, sha256: 'f'.repeat(64), content_type: 'font/ttf', font_family: 'House Face' };
  const withFont = { ...final, assets: [{ id: 'face', of_render: false, ...font }] };
  t.true(E.isRight(composeScene(withFont, MEDIA)));
});

test('an error about an undrawable character shows it only to its sender', (t) => {
  const owl = '\u{13153}';
  const text = (parts: object) => ({ id: 't', type: 'text', text: `a ${owl}`, ...parts });
  const of = (parts: object, covers: string | null = '') => {
    const font = { kind: 'font' as const, sha256: 'f'.repeat(64), content_type: 'font/ttf', font_family: 'House Face' };
    const final = { ...finalOf({ layers: [text(parts)] }), assets: [{ id: 'face', of_render: false, ...font }] };
    return composeScene(final, new Map([['face', { kind: 'font', covers }]]));
  };
  const message = 'has a character that no font has';
  const told = { message, to_requester: `${message}: U+13153` };
  t.deepEqual(of({}), E.left({ tag: 'composition', code: 'no_glyph', field: 'layers[0].text', ...told }));
  t.true(E.isLeft(of({ font_family: 'House Face' })));
  t.true(E.isRight(of({ font_family: 'House Face' }, rangesText([0x13153]))), 'its own font has it');
  t.true(E.isRight(of({ font_family: 'House Face' }, null)), 'its own font may have the character');
  for (const unseen of [{ visible: false }, { opacity: 0 }]) t.true(E.isRight(of(unseen)));
});

test('too many simultaneous keyframes for a graph are refused at the layer with most', (t) => {
  const path = (many: number) => Array.from({ length: many }, (_, n) => ({ time: n / 8, x: n, y: n }));
  const moving = (id: string, many: number) => shape(id, { keyframes: { position: path(many) } });
  const layers = Array.from({ length: 8 }, (_, n) => moving(`s${n}`, n === 3 ? 64 : 60));
  t.like(composeScene(finalOf({ layers, duration: 10 }), MEDIA), {
    left: { code: 'too_many_keyframes', field: 'layers[3].keyframes' },
  });
});

/** The size of the graph file of a run from this frame to the end. */
const graphBytes = (of: Scene, from: number): number => {
  const drawn = new Map(of.rasters.map(({ id, region }) => [id, { id, file: `/tmp/${id}.rgba`, region }]));
  const run = { from, until: of.frames, outputs: of.outputs };
  return videoGraph(of, run, { drawn, assets: new Map(), folder: '/tmp' }).graph.join(';\n').length;
};

test('all accepted layers of a moment fit in one graph', (t) => {
  const many = (of: (n: number) => object, easing: string) =>
    Array.from({ length: 64 }, (_, n) => ({ time: (4 * n) / 63.3, easing, ...of(n) }));
  const place = (n: number) => ({
    x: 1000.123456789 + ((n * 7.7777777) % 13),
    y: 333.987654321 - ((n * 3.3333333) % 7),
  });
  const grow = (n: number) => ({ value: 0.987654321 + (n % 5) / 7 });
  const ways = (easing: string) => {
    const [position, scale] = [many(place, easing), many(grow, easing)];
    const opacity = many((n) => ({ value: 1 / (1 + (n % 9)) }), easing);
    return [{ position }, { scale }, { position, scale, opacity }, {}];
  };
  const kinds = [
    { type: 'shape', color: '#FF0000', width: 33, height: 21 },
    { type: 'video', asset: 'clip', width: 333, height: 211, rotation: 33 },
  ];
  for (const easing of ['hold', 'ease_in_out'])
    for (const kind of kinds)
      for (const keyframes of ways(easing)) {
        const layersOf = (count: number) =>
          Array.from({ length: count }, (_, n) => ({ id: `l${n}`, ...kind, x: 7 + n, keyframes, fade_in: 0.1 }));
        const accepted = (count: number) =>
          composeScene(finalOf({ layers: layersOf(count), duration: 4 }, ASSETS), MEDIA);
        let count = 1;
        while (count < 50 && E.isRight(accepted(count + 1))) count += 1;
        const of = sceneOf(layersOf(count), { duration: 4 });
        const bytes = graphBytes(of, 0);
        const what = `${easing} ${kind.type} ${Object.keys(keyframes)}: ${count} layers, ${bytes} bytes`;
        t.true(bytes <= MAX_GRAPH_BYTES, what);
      }
});

const sticker = (n: number, parts: object = {}) => ({ id: `i${n}`, type: 'image', asset: 'sticker', ...parts });

test('more than 50 simultaneous animated pictures are refused, and successive ones are not', (t) => {
  const many = (parts: (n: number) => object) =>
    finalOf({ duration: 60, layers: Array.from({ length: 51 }, (_, n) => sticker(n, { width: 10, ...parts(n) })) }, [
      ...ASSETS,
    ]);
  const at_once = many((n) => ({ duration: 1 + n }));
  t.like(composeScene(at_once, MEDIA), { left: { code: 'too_many_inputs', field: 'layers[50]' } });
  t.true(
    E.isRight(
      composeScene(
        many((n) => ({ start: n, duration: 1 })),
        MEDIA,
      ),
    ),
  );
});

test('the maximum of simultaneous rasters, fifty with fades, fit in one graph', (t) => {
  const layers = Array.from({ length: 200 }, (_, n) => {
    const fades = n < 50 ? { fade_in: 400 / 3, fade_out: 400 / 3 } : {};
    return shape(`s${n}`, { start: 3000 + n, width: 10, height: 10, x: 1900, y: 1000, ...fades });
  });
  const of = sceneOf(layers, { duration: 3600, fps: '30000/1001', width: 1920, height: 1080 });
  t.is(of.videoTrack.length, 201);
  const bytes = graphBytes(of, 3199 * 29);
  t.true(bytes <= MAX_GRAPH_BYTES, `${bytes} bytes`);
});

test('too much disk use is refused at the largest layer; equal animations count once', (t) => {
  const media = new Map(MEDIA).set('sticker', { ...IMAGE, width: 1920, height: 1080, pages: 100, frames: 100 });
  const of = (layers: readonly unknown[]) =>
    composeScene(finalOf({ duration: 60, width: 1920, height: 1080, layers }, ASSETS), media);
  const apart = (length: number) => Array.from({ length }, (_, n) => sticker(n, { start: n, duration: 1, x: n }));
  t.true(E.isRight(of(apart(5))));
  t.like(of(apart(20)), { left: { code: 'too_much_to_draw', field: 'layers[0]' } });
  const equal = of(Array.from({ length: 20 }, (_, n) => sticker(n, { start: n, duration: 1 })));
  t.true(E.isRight(equal) && equal.right.animations.length === 1 && equal.right.videoTrack.length === 21);
});

test('a growing text is as dense as its ink allows; too large is refused', (t) => {
  const text = (parts: object) => ({ id: 't', type: 'text', text: 'x', width: 100, height: 50, ...parts });
  const growing = (parts: object) => text({ keyframes: { scale: [{ time: 0, value: 16 }] }, ...parts });
  t.is(sceneOf([growing({ font_size: 20 })]).videoTrack[1]?.dense.width, 1600);
  const [, still] = sceneOf([growing({ font_size: 1000 })]).rasters;
  const { width, height } = still?.region ?? { width: 0, height: 0 };
  t.true(width * height <= 2 ** 26 && width * height > 2 ** 25, `${width} x ${height}`);
  const shadow = { shadow_opacity: 1, shadow_x: 1000, shadow_blur: 100, outline_width: 100, font_size: 1000 };
  const huge = growing({
    ...shadow,
    rotation: 45,
    width: 4096,
    height: 4096,
    keyframes: { position: [{ time: 0, x: 0, y: 0 }] },
  });
  const final = finalOf({ width: 4096, height: 4096, layers: [huge] }, ASSETS);
  t.like(composeScene(final, MEDIA), { left: { code: 'layer_too_large', field: 'layers[0]' } });
});

test('a hidden or invisible layer separates rasters as a visible one does', (t) => {
  const of = (parts: object) =>
    sceneOf([shape('a'), shape('b', { start: 0.5, width: 100, ...parts }), shape('c', { height: 90 })]);
  for (const parts of [{ visible: false }, { opacity: 0 }, { x: 400 }]) {
    const seen = of({});
    t.deepEqual(sceneCutFrames(of(parts)), sceneCutFrames(seen), JSON.stringify(parts));
    t.deepEqual(describeVideoTrack(of(parts), 0, 15), describeVideoTrack(seen, 0, 15), JSON.stringify(parts));
    t.notDeepEqual(describeVideoTrack(of(parts), 15, 30), describeVideoTrack(seen, 15, 30), JSON.stringify(parts));
  }
});

test('boxes are rounded edge by edge, and sources are fitted into them', (t) => {
  t.deepEqual(roundToPixels({ x: 0.4, y: 0.6, width: 0.2, height: 10 }), { x: 0, y: 1, width: 1, height: 10 });
  const box = { x: 10, y: 10, width: 100, height: 50 };
  t.deepEqual(fitInto({ width: 10, height: 10 }, box, 'contain'), { x: 35, y: 10, width: 50, height: 50 });
  t.deepEqual(fitInto({ width: 10, height: 10 }, box, 'cover'), { x: 10, y: -15, width: 100, height: 100 });
  t.deepEqual(fitInto({ width: 10, height: 10 }, box, 'cover', 2), { x: 10, y: -14, width: 100, height: 100 });
  t.deepEqual(fitInto({ width: 1000, height: 1 }, box, 'contain'), { x: 10, y: 35, width: 100, height: 1 });
  t.deepEqual(expandToEven({ x: -1, y: 3, width: 2, height: 2 }), { x: -2, y: 2, width: 4, height: 4 });
});
