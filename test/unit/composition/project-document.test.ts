import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { canonicalJson } from '../../../domain/composition/canonical-json.ts';
import { faultText } from '../../../domain/composition/fault.ts';
import {
  decodeProjectDocument,
  decodeProjectFile,
  resolveAssets,
} from '../../../domain/composition/project-document.ts';
import { compositionJson, projectJson, storedJson, templateJson } from './_project.ts';

const faults = (json: unknown): readonly string[] => {
  const decoded = decodeProjectFile(json);
  return E.isLeft(decoded) ? decoded.left.map(faultText) : [];
};
const layers = (...list: unknown[]) =>
  projectJson({ compositions: [compositionJson({ layers: list })], templates: [] });
const text = (parts: Record<string, unknown>) => ({ id: 'a', type: 'text', text: 'x', ...parts });

test('a project as a person writes it is read, defaults filled in', (t) => {
  const decoded = decodeProjectFile(projectJson());
  if (E.isLeft(decoded)) return t.fail(decoded.left.map(faultText).join('\n'));
  const composition = decoded.right.compositions[0];
  t.deepEqual(composition?.fps, { num: 30, den: 1 });
  t.is(composition?.background, '#000000');
  t.like(composition?.layers[2], { font_family: 'Noto Sans', line_height: 1.2, opacity: 1, width: 800, height: null });
  t.is(decoded.right.templates[0]?.description, null);
});

test('every fault comes at once, each with its path', (t) => {
  t.deepEqual(
    faults({
      ...layers(text({ duration: 0, opacity: 2, rotation: 5 }), { id: 'b', type: 'video' }, { type: 'film' }, 7),
      name: '',
    }),
    [
      'name: must not be empty',
      'compositions[0].layers[0].duration: must be > 0',
      'compositions[0].layers[0].opacity: must be <= 1',
      'compositions[0].layers[0].rotation: is not a property that is known here',
      'compositions[0].layers[1].asset: is required',
      'compositions[0].layers[2].type: must be one of video, image, text, shape, audio',
      'compositions[0].layers[3]: must be a layer',
    ],
  );
});

test('an odd side is refused and named', (t) => {
  t.deepEqual(faults(projectJson({ compositions: [compositionJson({ width: 1281, height: 721 })] })), [
    'compositions[0].width: must be even, is 1281',
    'compositions[0].height: must be even, is 721',
  ]);
});

test('references that lead nowhere are named', (t) => {
  const found = faults(
    projectJson({
      main_composition_id: 'comp_other',
      compositions: [
        compositionJson({
          layers: [
            { id: 'a', type: 'video', asset: 'missing' },
            { id: 'a', type: 'video', asset: 'logo' },
            { id: 'title', type: 'text', text: 'x', start: 11 },
          ],
        }),
      ],
      variants: [
        { name: 's', height: 361 },
        { name: 's', height: 360 },
      ],
      templates: [
        templateJson({
          fields: [
            { key: 'k', kind: 'text', default_value: 'x', target: { layer: 'gone', property: 'text' } },
            { key: 'k', kind: 'text', default_value: 'x', target: { layer: 'title', property: 'shade' } },
            { key: 'c', kind: 'text', default_value: 'x', target: { layer: 'title', property: 'color' } },
            { key: 'n', kind: 'number', default_value: 'big', target: { layer: 'title', property: 'font_size' } },
            { key: 'm', kind: 'number', default_value: '5000', target: { layer: 'title', property: 'x' } },
          ],
        }),
        templateJson({ id: 'tpl_other', target_composition_id: 'comp_gone', fields: [] }),
      ],
    }),
  );
  t.deepEqual(found, [
    'main_composition_id: the project has no composition "comp_other"',
    'variants[1].name: "s" is used twice',
    'variants[0].height: must be even, is 361',
    'compositions[0].layers[2].start: must be before the end of the composition (10 s)',
    'compositions[0].layers[1].id: "a" is used twice',
    'compositions[0].layers[0].asset: the project has no asset "missing"',
    'compositions[0].layers[1].asset: "logo" is of kind image, not video',
    'templates[0].fields[1].key: "k" is used twice',
    'templates[0].fields[0].target.layer: "comp_main" has no layer "gone"',
    'templates[0].fields[1].target.property: a text layer has no "shade" to drive',
    'templates[0].fields[2].kind: must be color, to drive "color"',
    'templates[0].fields[3].default_value: must be a number',
    'templates[0].fields[4].default_value: must be <= 4096',
    'templates[1].target_composition_id: the project has no composition "comp_gone"',
  ]);
});

test('frame rates are read in every usual spelling', (t) => {
  for (const [written, num, den] of [
    [25, 25, 1],
    [29.97, 30000, 1001],
    ['30000/1001', 30000, 1001],
    ['60', 60, 1],
    [12.5, 25, 2],
  ] as const) {
    const decoded = decodeProjectFile(projectJson({ compositions: [compositionJson({ fps: written })] }));
    t.deepEqual(E.isRight(decoded) ? decoded.right.compositions[0]?.fps : null, { num, den }, String(written));
  }
  for (const [written, message] of [
    [0, 'must be a number or a fraction like "30000/1001"'],
    [121, 'must be <= 120'],
    ['1/2', 'must be >= 1'],
    ['30/0', 'must be a number or a fraction like "30000/1001"'],
    [Number.NaN, 'must be a number or a fraction like "30000/1001"'],
  ] as const)
    t.deepEqual(faults(projectJson({ compositions: [compositionJson({ fps: written })] })), [
      `compositions[0].fps: ${message}`,
    ]);
});

test('assets are files below the folder, never outside it', (t) => {
  for (const file of ['/etc/passwd', '../x.png', 'a/../../x.png', '-i.png', 'a\\b.png', ''])
    t.is(faults(projectJson({ assets: [{ id: 'clip', kind: 'video', file }] })).length > 0, true, file);
});

test('a document over the size limit is refused', (t) => {
  t.deepEqual(faults(layers(...Array.from({ length: 30 }, (_, n) => text({ id: `t${n}`, text: 'x'.repeat(9999) })))), [
    'must be at most 256 KiB',
  ]);
});

test('too many pixels at one moment are refused', (t) => {
  const wide = (n: number, parts: object) => ({ id: `s${n}`, type: 'shape', color: '#000000', ...parts });
  const composition = (parts: object) =>
    projectJson({
      templates: [],
      variants: [],
      compositions: [
        compositionJson({
          width: 4096,
          height: 4096,
          layers: Array.from({ length: 9 }, (_, n) => wide(n, n < 4 ? { duration: 5 } : parts)),
        }),
      ],
    });
  t.deepEqual(faults(composition({})), [
    'compositions[0].layers: show too many pixels at one moment: use fewer or smaller layers',
  ]);
  t.deepEqual(faults(composition({ start: 5 })), []);
});

test('resolved assets make a document that is decoded again to the same', (t) => {
  const file = decodeProjectFile(projectJson());
  if (E.isLeft(file)) return t.fail();
  t.deepEqual(resolveAssets(file.right, new Map()), E.left([{ path: 'assets[0].file', message: 'is not stored' }]));
  const clip = { ...storedJson('clip', 'image'), kind: 'video' as const };
  const resolved = resolveAssets(file.right, new Map([['clip', clip]]));
  if (E.isLeft(resolved)) return t.fail();
  t.is(resolved.right.assets[0]?.sha256, clip.sha256);
  const again = decodeProjectDocument(JSON.parse(canonicalJson(resolved.right)));
  t.deepEqual(again, resolved);
});

test('canonical JSON does not depend on the order of members', (t) => {
  t.is(canonicalJson({ b: [1, { d: null, c: 'ü' }], a: undefined }), '{"b":[1,{"c":"ü","d":null}]}');
});
