import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { faultText } from '../../../domain/composition/fault.ts';
import { composeFinal } from '../../../domain/composition/final-composition.ts';
import { decodeProjectDocument, decodeProjectFile } from '../../../domain/composition/project-document.ts';
import type { Values } from '../../../domain/composition/values.ts';
import { compositionJson, projectJson, templateJson } from './_project.ts';

type Json = Readonly<Record<string, unknown>>;

const shape = (id: string, visible: unknown, parts: Json = {}): Json => ({
  ...{ id, type: 'shape', color: '#FFFFFF', visible },
  ...parts,
});

const field = (key: string, kind: string, default_value: string, parts: Json = {}): Json => ({
  ...{ key, kind, default_value },
  ...parts,
});

const project = (layers: readonly Json[], fields: readonly Json[]) =>
  projectJson({
    assets: [],
    compositions: [compositionJson({ layers })],
    templates: [templateJson({ fields })],
  });

const visibleIds = (json: unknown, values: Values, template_id: string | null = 'tpl_sale'): readonly string[] => {
  const decoded = decodeProjectDocument(json);
  if (E.isLeft(decoded)) throw new Error(decoded.left.map(faultText).join('\n'));
  const final = composeFinal(decoded.right, template_id, values);
  if (E.isLeft(final)) throw new Error(final.left.message);
  return final.right.composition.layers.flatMap(({ id, visible }) => (visible === true ? [id] : []));
};

const faults = (json: unknown): readonly string[] => {
  const decoded = decodeProjectFile(json);
  return E.isLeft(decoded) ? decoded.left.map(faultText) : [];
};

test('a layer shows if its field has the value of its condition', (t) => {
  const json = project(
    [
      shape('sale', { field: 'style', equals: 'sale' }),
      shape('one', { field: 'count', equals: '1' }),
      shape('red', { field: 'tint', equals: '#ff0000' }),
      shape('on', { field: 'shown', equals: 'true' }),
    ],
    [
      field('style', 'text', 'plain', { choices: ['plain', 'sale'] }),
      field('count', 'number', '2'),
      field('tint', 'color', '#00FF00'),
      field('shown', 'toggle', 'false'),
    ],
  );
  t.deepEqual(faults(json), []);
  t.deepEqual(visibleIds(json, {}), []);
  t.deepEqual(visibleIds(json, { style: 'sale', count: '1.0', tint: '#FF0000', shown: 'true' }), [
    'sale',
    'one',
    'red',
    'on',
  ]);
  t.deepEqual(visibleIds(json, { style: 'sale' }), ['sale']);
  t.deepEqual(visibleIds(json, { style: 'sale' }, null), [], 'without a template, fields have their defaults');
});

test('a layer shows if a text is empty, or if it is not', (t) => {
  const json = project(
    [shape('without', { field: 'name', is_empty: true }), shape('with', { field: 'name', is_empty: false })],
    [field('name', 'text', '')],
  );
  t.deepEqual(faults(json), []);
  t.deepEqual(visibleIds(json, {}), ['without']);
  t.deepEqual(visibleIds(json, { name: ' \n' }), ['without']);
  t.deepEqual(visibleIds(json, { name: 'Ann' }), ['with']);
});

test('a layer that its condition hides has no transition', (t) => {
  const after = { transition: { type: 'cross_fade', from: 'one', duration: 1 }, start: 2 };
  const json = project(
    [
      shape('one', true),
      shape('two', { field: 'name', equals: 'two' }, after),
      shape('three', { field: 'name', equals: 'three' }, after),
    ],
    [field('name', 'text', 'two')],
  );
  t.deepEqual(faults(json), [], 'only one of the two shows at a time');
  t.deepEqual(visibleIds(json, { name: 'three' }), ['one', 'three']);
});

test('the import refuses conditions that name no field or can never hold', (t) => {
  const of = (visible: unknown, kind = 'text', parts: Json = {}): readonly string[] =>
    faults(
      project(
        [shape('a', visible), shape('b', { field: 'name', equals: kind === 'number' ? '1' : 'one' })],
        [field('name', kind, kind === 'number' ? '1' : 'one', parts)],
      ),
    );
  const at = 'compositions[0].layers[0].visible';
  t.deepEqual(of({ field: 'nam', equals: 'one' }), [
    `${at}.field: no template of "comp_main" has a field "nam"; did you mean "name"?`,
  ]);
  t.deepEqual(of({ field: 'name' }), [`${at}.equals: is required, or is_empty`]);
  t.deepEqual(of({ field: 'name', equals: 'one', is_empty: true }), [`${at}.is_empty: cannot be combined with equals`]);
  t.deepEqual(of({ field: 'name', is_empty: true }, 'number'), [
    `${at}.is_empty: is only for fields of kind text, not number`,
  ]);
  t.deepEqual(of({ field: 'name', equals: 'many' }, 'number'), [
    `${at}.equals: must be a number, like each value of "name"`,
  ]);
  t.deepEqual(of({ field: 'name', equals: 'two' }, 'text', { choices: ['one'] }), [
    `${at}.equals: must be one of "one", like each value of "name"`,
  ]);
  t.deepEqual(of('yes'), [`${at}: must be true, false or {"field": …}`]);
});
