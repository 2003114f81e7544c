import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { draftOf } from '../../../domain/composition/draft.ts';
import { faultText } from '../../../domain/composition/fault.ts';
import { composeFinal, decodeFinalComposition } from '../../../domain/composition/final-composition.ts';
import { checkFlat } from '../../../domain/composition/flat-project.ts';
import { decodeProjectDocument, decodeProjectFile } from '../../../domain/composition/project-document.ts';
import { trimFaults } from '../../../domain/composition/source-end-rules.ts';
import type { Values } from '../../../domain/composition/values.ts';
import { checkDocument } from '../../../render-commands/requesting/check-document.ts';
import { compositionJson, projectJson, storedJson, templateJson } from './_project.ts';

type Json = Readonly<Record<string, unknown>>;

const shape = (id: string, parts: Json = {}): Json => ({ id, type: 'shape', color: '#FFFFFF', ...parts });
const text = (id: string, parts: Json = {}): Json => ({ id, type: 'text', text: 'Hello', ...parts });
const group = (id: string, layers: readonly unknown[], parts: Json = {}): Json => ({
  ...{ id, type: 'group', layers },
  ...parts,
});

const project = (layers: readonly unknown[], fields: readonly Json[] = []) =>
  projectJson({ assets: [], compositions: [compositionJson({ layers })], templates: [templateJson({ fields })] });

const faults = (json: unknown): readonly string[] => {
  const decoded = decodeProjectFile(json);
  return E.isLeft(decoded) ? decoded.left.map(faultText) : [];
};

const composed = (json: unknown, values: Values = {}) => {
  const decoded = decodeProjectDocument(json);
  if (E.isLeft(decoded)) throw new Error(decoded.left.map(faultText).join('\n'));
  return composeFinal(decoded.right, 'tpl_sale', values);
};

const finalOf = (json: unknown, values: Values = {}) => {
  const final = composed(json, values);
  if (E.isLeft(final)) throw new Error(final.left.message);
  return final.right;
};

const NESTED = [
  shape('below'),
  group('card', [text('name', { x: 10, y: 20, width: 80, height: 40, start: 1 }), group('deep', [shape('dot')])], {
    ...{ x: 100, y: 200, width: 400, start: 2, duration: 3 },
  }),
  shape('above'),
];

test('a final composition has the layers of groups in one list', (t) => {
  const { engine, composition } = finalOf(project(NESTED));
  t.is(engine, 7);
  t.deepEqual(
    composition.layers.map(({ id, group, path }) => [id, group, path]),
    [
      ['below', undefined, undefined],
      ['name', 'card', 'layers[1].layers[0]'],
      ['dot', 'deep', 'layers[1].layers[1].layers[0]'],
      ['above', undefined, 'layers[2]'],
    ],
  );
  const [, name, dot] = composition.layers;
  t.like(name, { x: 110, y: 220, width: 80, height: 40, start: 3, duration: null });
  t.like(dot, { x: 100, y: 200, width: 400, height: 520, start: 2 });
  t.like(composition.groups?.[0], { id: 'card', x: 100, y: 200, width: 400, height: 520, start: 2, duration: 3 });
  t.like(composition.groups?.[1], { id: 'deep', group: 'card', start: 2, duration: null });
});

test('a final composition with groups decodes to itself, and its draft too', (t) => {
  const final = finalOf(project(NESTED));
  t.deepEqual(decodeFinalComposition(JSON.parse(JSON.stringify(final))), E.right(final));
  const draft = draftOf(final);
  t.deepEqual(decodeFinalComposition(JSON.parse(JSON.stringify(draft))), E.right(draft));
  t.is(draft.composition.groups?.[0]?.x, 50);
});

test('values drive groups and their layers, and hide them', (t) => {
  const field = (key: string, kind: string, default_value: string, layer: string, property: string): Json => ({
    ...{ key, kind, default_value },
    target: { layer, property },
  });
  const json = project(NESTED, [
    field('title', 'text', 'Hello', 'name', 'text'),
    field('left', 'number', '100', 'card', 'x'),
    field('shown', 'toggle', 'true', 'card', 'visible'),
  ]);
  t.deepEqual(faults(json), []);
  const { composition } = finalOf(json, { title: 'Ann', left: '40' });
  t.like(composition.layers[1], { text: 'Ann', x: 50, visible: true });
  t.deepEqual(
    finalOf(json, { shown: 'false' }).composition.layers.map(({ visible }) => visible),
    [true, false, false, true],
  );
  const refused = composed(json, { left: '4096' });
  t.is(E.isLeft(refused) ? refused.left.field : null, 'values.left');
});

test('faults in groups have the path of the document', (t) => {
  const at = 'compositions[0].layers[0]';
  t.deepEqual(faults(project([group('a', [shape('b', { color: 'red' })])])), [
    `${at}.layers[0].color: must be a colour like #E30613`,
  ]);
  t.deepEqual(faults(project([group('a', [shape('b'), group('c', [shape('b')])])])), [
    `${at}.layers[1].layers[0].id: "b" is used twice`,
  ]);
  t.deepEqual(faults(project([group('a', [shape('b', { x: 300 })], { width: 200 })])), [
    `${at}.layers[0].width: is required, because x is past the right edge of the group`,
  ]);
  t.deepEqual(faults(project([group('a', [shape('b', { x: 4000, width: 9 })], { x: 4000, width: 9 })])), [
    `${at}.layers[0].x: must be from -4096 to 4096, with the place of its groups`,
  ]);
  const from = (id: string): Json => ({ start: 1, transition: { type: 'cross_fade', from: id, duration: 1 } });
  t.deepEqual(faults(project([group('a', [shape('b')]), shape('c', from('b'))])), [
    'compositions[0].layers[1].transition.from: "b" is not in the same group',
  ]);
  t.deepEqual(faults(project([group('a', [shape('b')]), shape('c', from('a'))])), [
    'compositions[0].layers[1].transition.from: "a" is a group; name a layer',
  ]);
  t.deepEqual(faults(project([group('a', [shape('b'), shape('c', from('b'))])])), []);
});

test('groups nest four levels, and a composition has 200 layers with them', (t) => {
  const nested = (levels: number): Json => (levels === 0 ? shape('leaf') : group(`g${levels}`, [nested(levels - 1)]));
  t.deepEqual(faults(project([nested(4)])), []);
  t.deepEqual(faults(project([nested(5)])), [
    'compositions[0].layers[0].layers[0].layers[0].layers[0].layers[0]: is in 4 groups, the most that can nest',
  ]);
  const many = (count: number) => Array.from({ length: count }, (_, n) => shape(`s${n}`, { width: 9, height: 9 }));
  t.deepEqual(faults(project([group('a', many(199))])), []);
  t.deepEqual(faults(project([group('a', many(199)), shape('more')])), [
    'compositions[0].layers: must have at most 200 entries, with the groups and their layers; has 201',
  ]);
});

test('a layer that begins after its group never shows', (t) => {
  const json = project([group('a', [shape('late', { start: 9 }), shape('b')], { start: 5, duration: 2 })]);
  t.deepEqual(faults(json), []);
  t.is(finalOf(json).composition.layers[0]?.start, 14);
});

test('a group begins after a layer, and the composition ends with it', (t) => {
  const layers = [
    shape('first', { duration: 2 }),
    group('second', [shape('dot', { start: 1 })], { start: { after: 'first', offset: 0.5 }, duration: 3 }),
  ];
  const json = (all: readonly unknown[]) =>
    projectJson({
      ...{ assets: [], templates: [] },
      compositions: [compositionJson({ layers: all, duration: 'auto' })],
    });
  t.deepEqual(faults(json(layers)), []);
  const decoded = decodeProjectDocument(json(layers));
  if (E.isLeft(decoded)) throw new Error(decoded.left.map(faultText).join('\n'));
  const final = composeFinal(decoded.right, null, {});
  if (E.isLeft(final)) throw new Error(final.left.message);
  t.is(final.right.composition.duration, 5.5);
  t.is(final.right.composition.layers[1]?.start, 3.5);
  t.deepEqual(faults(json([...layers, group('g', [shape('x', { start: { after: 'first' } })])])), [
    'compositions[0].layers[2].layers[0].start: must be a number',
  ]);
});

const stored = (json: Json) => {
  const decoded = decodeProjectDocument(json);
  if (E.isLeft(decoded)) throw new Error(decoded.left.map(faultText).join('; '));
  return decoded.right;
};
const CLIP = storedJson('clip', 'video');

test('a trim in a visible group is before the end of its clip', (t) => {
  const late = (parts: Json) =>
    stored({
      ...project([shape('below'), group('card', [{ id: 'film', type: 'video', asset: 'clip', trim_start: 9 }], parts)]),
      assets: [CLIP],
    });
  const found = (parts: Json) =>
    checkFlat(late(parts), (flat) => trimFaults(flat, new Map([['clip', 2]]))).map(faultText);
  t.deepEqual(found({}), ['compositions[0].layers[1].layers[0].trim_start: must be before the end of "clip" (2 s)']);
  t.deepEqual(found({ visible: false }), []);
});

test('a check of a document reads the layers of its groups', (t) => {
  const field = { key: 'name', kind: 'color', default_value: '#FFFFFF', target: { layer: 'below', property: 'color' } };
  const { warnings } = checkDocument(
    stored({
      ...project(
        [
          shape('below'),
          group('card', [{ id: 'film', type: 'video', asset: 'clip' }, text('hi', { text: '{{name}}' })]),
        ],
        [field],
      ),
      engine: 6,
      assets: [CLIP, storedJson('unused', 'image')],
    }),
    { template_id: null, values: {}, draft: false },
  );
  t.deepEqual(warnings.map(faultText), [
    'assets[1]: is not used by any layer or field',
    'compositions[0].layers[1].layers[1].text: shows "{{name}}" as it is with engine 6; set "engine": 7 to show the field',
  ]);
});
