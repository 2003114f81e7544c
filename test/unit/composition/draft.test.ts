import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { draftOf } from '../../../domain/composition/draft.ts';
import {
  composeFinal,
  decodeFinalComposition,
  type FinalComposition,
} from '../../../domain/composition/final-composition.ts';
import { decodeProjectDocument } from '../../../domain/composition/project-document.ts';
import { compositionJson, projectJson, storedJson } from './_project.ts';

const finalOf = (composition: Record<string, unknown>, parts: Record<string, unknown> = {}): FinalComposition => {
  const assets = [storedJson('clip', 'video'), storedJson('logo', 'image'), storedJson('song', 'audio')];
  const json = projectJson({ assets, compositions: [compositionJson(composition)], templates: [], ...parts });
  const document = decodeProjectDocument(json);
  if (E.isLeft(document)) throw new Error(JSON.stringify(document.left));
  const final = composeFinal(document.right, null, {});
  if (E.isLeft(final)) throw new Error(final.left.message);
  return final.right;
};

const box = { x: 100, y: -50, width: 400, height: 200 };
const halfBox = { x: 50, y: -25, width: 200, height: 100 };

test('exactly the lengths in pixels are scaled', (t) => {
  const keyframes = {
    position: [{ time: 1, x: 20, y: 40 }],
    opacity: [{ time: 0, value: 0.5 }],
    scale: [{ time: 0, value: 3 }],
  };
  const text = {
    ...{ font_size: 40, padding: 10, background_radius: 6, outline_width: 4 },
    ...{ shadow_x: 8, shadow_y: -8, shadow_blur: 12, blur: 2 },
  };
  const whole = finalOf({
    layers: [
      { id: 'v', type: 'video', asset: 'clip', rotation: 12, keyframes },
      { id: 'i', type: 'image', asset: 'logo', border_radius: 24, crop: { left: 0.1 }, ...box },
      { id: 't', type: 'text', text: 'Hello', line_height: 1.5, ...box, ...text },
      { id: 's', type: 'shape', color: '#E30613', radius: 30, shadow_y: 6, ...box, height: null },
      { id: 'a', type: 'audio', asset: 'song' },
    ],
  });
  const draft = draftOf(whole);
  const [v, i, words, s, a] = whole.composition.layers;
  t.deepEqual(draft.composition, {
    ...whole.composition,
    ...{ width: 640, height: 360 },
    layers: [
      { ...v, keyframes: { ...Object(v).keyframes, position: [{ time: 1, easing: 'linear', x: 10, y: 20 }] } },
      { ...i, ...halfBox, border_radius: 12 },
      {
        ...{ ...words, ...halfBox },
        ...{ font_size: 20, padding: 5, background_radius: 3, outline_width: 2 },
        ...{ shadow_x: 4, shadow_y: -4, shadow_blur: 6, blur: 1 },
      },
      { ...s, ...halfBox, height: null, radius: 15, shadow_y: 3 },
      a,
    ],
  });
});

test('a draft has one H.264 video whatever the project says, and no preview', (t) => {
  const encodings = { master: { codec: 'av1', crf: 40 }, variants: [{ name: 'small', height: 360 }], preview: {} };
  const draft = draftOf(finalOf({}, encodings));
  t.deepEqual(draft.variants, [{ name: 'master', width: 640, height: 360, codec: 'h264', quality: 'draft', crf: 21 }]);
  t.is(draft.preview, null);
});

test('a draft has about 640 x 360 pixels and is never enlarged', (t) => {
  const sizes = [
    [1920, 1080, 640, 360],
    [1080, 1920, 360, 640],
    [1080, 1080, 480, 480],
    [4096, 64, 3840, 60],
    [640, 360, 640, 360],
    [320, 180, 320, 180],
    [4096, 2, 4096, 2],
  ] as const;
  for (const [width, height, ...expected] of sizes) {
    const { composition, variants } = draftOf(finalOf({ width, height, layers: [] }, { variants: [] }));
    t.deepEqual([composition.width, composition.height], expected, `${width}x${height}`);
    t.like(variants, [{ width: expected[0], height: expected[1] }]);
  }
});

test('a scaled draft is a valid composition: letters keep their minimum size', (t) => {
  const layers = [
    { id: 't', type: 'text', text: 'Hello', font_size: 1, width: 0.01, height: 1e-6 },
    { id: 's', type: 'shape', color: '#E30613', x: -4096, y: 4096, width: 8192, height: 8192 },
  ];
  const draft = draftOf(finalOf({ width: 4096, height: 4096, layers }));
  t.deepEqual(decodeFinalComposition(JSON.parse(JSON.stringify(draft))), E.right(draft));
});
