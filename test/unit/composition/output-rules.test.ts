import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { faultText } from '../../../domain/composition/fault.ts';
import { composeFinal } from '../../../domain/composition/final-composition.ts';
import { decodeProjectDocument, decodeProjectFile } from '../../../domain/composition/project-document.ts';
import { compositionJson, projectJson, storedJson } from './_project.ts';

const project = (parts: Record<string, unknown>) =>
  projectJson({
    assets: [],
    templates: [],
    compositions: [compositionJson({ layers: [] })],
    ...parts,
  });
const faults = (parts: Record<string, unknown>): readonly string[] => {
  const decoded = decodeProjectFile(project(parts));
  return E.isLeft(decoded) ? decoded.left.map(faultText) : [];
};
const composed = (parts: Record<string, unknown>) => {
  const decoded = decodeProjectDocument(project(parts));
  if (E.isLeft(decoded)) throw new Error(decoded.left.map(faultText).join('\n'));
  const final = composeFinal(decoded.right, null, {});
  if (E.isLeft(final)) throw new Error(final.left.message);
  return final.right;
};

test('quality is on the scale of the codec', (t) => {
  t.deepEqual(
    faults({
      master: { codec: 'h265', crf: 52 },
      variants: [
        { name: 'a', height: 360, crf: 52 },
        { name: 'b', height: 360, codec: 'vp9', crf: 63 },
        { name: 'c', height: 360, codec: 'av1', crf: 64 },
        { name: 'd', height: 360, codec: 'h266' },
      ],
    }),
    [
      'variants[2].crf: must be <= 63',
      'variants[3].codec: must be one of h264, h265, vp9, av1',
      'master.crf: must be <= 51 with h265',
      'variants[0].crf: must be <= 51 with h264',
    ],
  );
});

test('a variant is not higher than the main composition', (t) => {
  t.deepEqual(faults({ variants: [{ name: 'a', height: 720 }] }), []);
  t.deepEqual(faults({ variants: [{ name: 'a', height: 722 }] }), [
    "variants[0].height: must be at most the main composition's height (720)",
  ]);
});

test('names of posters and previews are reserved if a preview exists', (t) => {
  const variants = [
    { name: 'preview', height: 360 },
    { name: 'poster', height: 360 },
  ];
  t.deepEqual(faults({ variants }), []);
  t.deepEqual(faults({ variants, preview: {} }), [
    'variants[0].name: must not be "preview" in a project with a preview',
    'variants[1].name: must not be "poster" in a project with a preview',
  ]);
});

test('a preview starts within the film and is cut at its end', (t) => {
  t.deepEqual(faults({ preview: { start: 10 } }), [
    'preview.start: must be before the end of the main composition (10 s)',
  ]);
  t.deepEqual(composed({ preview: { start: 9 } }).preview, { height: 240, start: 9, duration: 1, fps: 10 });
  const small = compositionJson({ width: 320, height: 180, fps: 29.97, duration: 2, layers: [] });
  t.deepEqual(composed({ compositions: [small], variants: [], preview: { fps: 30 } }).preview, {
    height: 180,
    start: 0,
    duration: 2,
    fps: 29,
  });
  t.is(composed({}).preview, null);
});

test('encodes have the requested codec, at its usual quality by default', (t) => {
  const { variants } = composed({
    master: { codec: 'av1' },
    variants: [
      { name: 'web', height: 720, codec: 'vp9' },
      { name: 'small', height: 360, codec: 'h265', crf: 30 },
    ],
  });
  t.deepEqual(variants, [
    { name: 'master', width: 1280, height: 720, codec: 'av1', quality: 'standard', crf: 34 },
    { name: 'web', width: 1280, height: 720, codec: 'vp9', quality: 'standard', crf: 31 },
    { name: 'small', width: 640, height: 360, codec: 'h265', quality: 'standard', crf: 30 },
  ]);
});

test('fonts of the project are added to the texts that name their family', (t) => {
  const font = (id: string, font_family: string) => ({ ...storedJson(id, 'font'), font_family });
  const final = composed({
    assets: [font('lora', 'Lora'), font('lora-bold', 'Lora'), font('other', 'Other')],
    compositions: [compositionJson({ layers: [{ id: 'a', type: 'text', text: 'x', font_family: 'Lora' }] })],
  });
  t.deepEqual(
    final.assets.map(({ id }) => id),
    ['lora', 'lora-bold'],
  );
});
