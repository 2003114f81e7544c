import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { kindOfCompositionProperty, kindOfProperty } from '../../../domain/composition/bindable-properties.ts';
import { faultText } from '../../../domain/composition/fault.ts';
import { composeFinal } from '../../../domain/composition/final-composition.ts';
import { LAYER_CODECS, type LayerType } from '../../../domain/composition/layers.ts';
import { Color } from '../../../domain/composition/names.ts';
import {
  decodeProjectDocument,
  decodeProjectFile,
  type ProjectDocument,
} from '../../../domain/composition/project-document.ts';
import type { FieldKind } from '../../../domain/composition/templates.ts';
import { Transition } from '../../../domain/composition/transitions.ts';
import { compositionJson, projectJson, storedJson, templateJson } from './_project.ts';

const TYPES = ['video', 'image', 'text', 'shape', 'audio'] as const satisfies readonly LayerType[];

/** Members that no field can set: identity, type, and structures. */
const NOT_DRIVEN = ['id', 'type', 'crop', 'fill', 'keyframes', 'transition', 'transition.from'];

const kindOf = (type: (typeof TYPES)[number], property: string, schema: unknown): FieldKind => {
  if (property === 'asset' && type !== 'shape') return type;
  const text = JSON.stringify(schema);
  if (text.includes(JSON.stringify(Color.schema.pattern))) return 'color';
  if (text.includes('"boolean"')) return 'toggle';
  return /"(number|integer)"/.test(text) ? 'number' : 'text';
};

for (const type of TYPES) {
  test(`template fields can set every property of a ${type} layer, by its kind`, (t) => {
    const own = Object.entries(LAYER_CODECS[type].members);
    const nested = 'transition' in LAYER_CODECS[type].members ? Object.entries(Transition.members) : [];
    const all = [...own, ...nested.map(([name, codec]) => [`transition.${name}`, codec] as const)];
    t.true(all.length > 10);
    for (const [property, { schema }] of all) {
      const expected = NOT_DRIVEN.includes(property) ? null : kindOf(type, property, schema);
      t.is(kindOfProperty(type, property), expected, property);
    }
    t.is(kindOfProperty(type, 'constructor'), null);
  });
}

const field = (property: string, kind: string, default_value: string, layer = 'title') => ({
  key: property.replaceAll('.', '_'),
  kind,
  default_value,
  target: { layer, property },
});
const project = (fields: readonly unknown[], title: object = {}) =>
  projectJson({
    assets: [storedJson('clip', 'video')],
    compositions: [
      compositionJson({
        layers: [
          { id: 'back', type: 'video', asset: 'clip' },
          { id: 'title', type: 'text', text: 'Hello', start: 1, duration: 5, ...title },
        ],
      }),
    ],
    templates: [templateJson({ fields })],
  });
const composed = (json: unknown, values: Record<string, string>) => {
  const decoded = decodeProjectDocument(json);
  if (E.isLeft(decoded)) throw new Error(decoded.left.map(faultText).join('\n'));
  return composeFinal(decoded.right, 'tpl_sale', values);
};
const faults = (json: unknown): readonly string[] => {
  const decoded = decodeProjectFile(json);
  return E.isLeft(decoded) ? decoded.left.map(faultText) : [];
};

test('values of new properties are used, and missing ones have defaults', (t) => {
  const json = project(
    [
      field('rotation', 'number', '0'),
      field('background', 'color', '#000000'),
      field('speed', 'number', '1', 'back'),
      field('trim_end', 'number', '4', 'back'),
      field('duration', 'number', '5'),
    ],
    {},
  );
  const final = composed(json, { rotation: '-12.5', background: '#FF7A59', speed: '2', duration: '3' });
  if (E.isLeft(final)) return t.fail(final.left.message);
  t.like(final.right.composition.layers[0], { speed: 2, trim_end: 4 });
  t.like(final.right.composition.layers[1], { rotation: -12.5, background: '#FF7A59', duration: 3 });
  t.like(composed(json, { rotation: '361' }), { left: { field: 'values.rotation' } });
});

test('a field can set a transition only if the layer has one', (t) => {
  const fields = [
    field('transition.duration', 'number', '1'),
    field('transition.direction', 'text', 'up'),
    field('transition.type', 'text', 'slide'),
  ];
  const json = project(fields, { transition: { type: 'cross_fade', from: 'back', duration: 0.5 } });
  t.deepEqual(faults(json), []);
  const final = composed(json, { transition_duration: '2' });
  if (E.isLeft(final)) return t.fail(final.left.message);
  t.like(final.right.composition.layers[1], {
    transition: { type: 'slide', from: 'back', duration: 2, direction: 'up' },
  });
  t.like(composed(json, { transition_type: 'wipe' }), {
    left: { field: 'values.transition_type', message: 'values.transition_type: must be one of cross_fade, slide' },
  });
  t.deepEqual(
    faults(project(fields)),
    [0, 1, 2].map(
      (index) => `templates[0].fields[${index}].target.property: "title" has no transition that a field can set`,
    ),
  );
});

test('values are checked in combination, and an error names the field without its value', (t) => {
  const json = project([
    field('trim_start', 'number', '0', 'back'),
    field('trim_end', 'number', '4', 'back'),
    field('speed', 'number', '1', 'back'),
    field('start', 'number', '1'),
  ]);
  t.true(E.isRight(composed(json, { trim_start: '5', trim_end: '8' })));
  const message = 'must be after trim_start';
  const refused = (field: string) => E.left({ code: 'out_of_bounds', message: `${field}: ${message}`, field });
  t.deepEqual(composed(json, { trim_start: '5', start: '2' }), refused('values.trim_start'));
  t.deepEqual(composed(json, { trim_start: '5', trim_end: '4' }), refused('values.trim_end'));
  t.deepEqual(
    composed(json, { trim_start: '5', speed: '2' }),
    E.left({ code: 'out_of_bounds', message: `layers[0].trim_end: ${message}` }),
    'either of two',
  );
  t.like(composed(json, { start: '10' }), { left: { field: 'values.start' } });
});

test('an error that no value can avoid is reported for the layer', (t) => {
  const json = project([field('start', 'number', '1')]);
  const next = { id: 'next', type: 'shape', color: '#000000', start: 2 };
  const compositions = [
    compositionJson({
      layers: [
        { id: 'back', type: 'video', asset: 'clip' },
        { id: 'title', type: 'text', text: 'Hello', start: 1 },
        { ...next, transition: { type: 'slide', from: 'title', duration: 1 } },
      ],
    }),
  ];
  t.deepEqual(
    composed({ ...json, compositions }, { start: '3' }),
    E.left({ code: 'out_of_bounds', message: 'layers[2].transition.from: "title" begins after this layer' }),
  );
});

test('a value sets language and hyphenation; an unknown language names the value', (t) => {
  const fields = [field('language', 'text', 'de'), field('hyphenate', 'toggle', 'false')];
  const layers = composed(project(fields), { language: 'zh-Hant', hyphenate: 'true' });
  if (E.isLeft(layers)) return t.fail(layers.left.message);
  t.like(layers.right.composition.layers[1], { language: 'zh-Hant', hyphenate: true });
  const refused = composed(project(fields), { language: 'Deutsch' });
  if (E.isRight(refused)) return t.fail();
  t.is(refused.left.message, 'values.language: must be a language tag like de, en-GB or zh-Hant-HK');
});

test('a field sets the length and the background of the composition', (t) => {
  const driving = (key: string, kind: string, default_value: string) => ({
    ...{ key, kind, default_value },
    target: { property: key },
  });
  const fields = [driving('duration', 'number', '8'), driving('background', 'color', '#112233')];
  const json = { ...project(fields), preview: { start: 7 } };
  t.deepEqual(faults(json), []);
  const of = (values: Record<string, string>, template_id: string | null = 'tpl_sale') => {
    const decoded = decodeProjectDocument(json);
    const final = E.chainW((document: ProjectDocument) => composeFinal(document, template_id, values))(decoded);
    if (E.isLeft(final)) throw new Error(JSON.stringify(final.left));
    return final.right;
  };
  t.like(of({}).composition, { duration: 8, background: '#112233' });
  t.like(of({}, null).composition, { duration: 10, background: '#000000' });
  const short = of({ duration: '2.5', background: '#FFFFFF' });
  t.like(short.composition, { duration: 2.5, background: '#FFFFFF' });
  t.deepEqual([short.poster_frame, short.preview?.start], [19, 0], 'poster and preview are in the film');
  const message = 'must be before the end of the composition (1 s)';
  t.deepEqual(
    composed(json, { duration: '1' }),
    E.left({ code: 'out_of_bounds', message: `values.duration: ${message}`, field: 'values.duration' }),
  );
  t.like(composed(json, { duration: '0', background: 'red' }), {
    left: { message: 'values.duration: must be > 0; values.background: must be a colour like #E30613' },
  });
  t.like(composed(json, { duration: '3601' }), { left: { message: 'values.duration: must be <= 3600' } });
  const at = 'templates[0].fields[0]';
  const faultsOf = (field: object) => faults(project([{ ...driving('duration', 'number', '8'), ...field }]));
  t.deepEqual(faultsOf({ default_value: '-1' }), [`${at}.default_value: must be > 0`]);
  t.deepEqual(faultsOf({ kind: 'text' }), [`${at}.kind: must be number, the kind of "duration"`]);
  t.deepEqual(faultsOf({ target: { property: 'durations' } }), [
    `${at}.target.property: a composition has no property "durations" that a field can set; did you mean "duration"?`,
  ]);
  t.deepEqual(faultsOf({ target: { property: 'text' } }), [
    `${at}.target.property: a composition has no property "text" that a field can set; name a layer`,
  ]);
  t.deepEqual(faults(project([fields[0], { ...fields[0], key: 'again' }])), [
    'templates[0].fields[1].target: "duration" is used twice',
  ]);
  t.is(kindOfCompositionProperty('constructor'), null);
});

test('a field sets values of keyframes', (t) => {
  const keyframes = {
    scale: [
      { time: 0, value: 1 },
      { time: 2, value: 2 },
    ],
    position: [{ time: 0, x: 5, y: 6 }],
  };
  const fields = [
    field('keyframes.scale.1.value', 'number', '3'),
    { ...field('keyframes.position.0.x', 'number', '-5'), key: 'x' },
  ];
  const json = project(fields, { keyframes });
  t.deepEqual(faults(json), []);
  const layerOf = (values: Record<string, string>) => {
    const final = composed(json, values);
    if (E.isLeft(final)) throw new Error(final.left.message);
    const layer = final.right.composition.layers[1];
    return layer?.type === 'text' ? layer.keyframes : null;
  };
  const [key] = fields.map((one) => one.key);
  t.like(layerOf({}), { scale: { 0: { value: 1 }, 1: { time: 2, value: 3 } }, position: { 0: { x: -5, y: 6 } } });
  t.like(layerOf({ [`${key}`]: '0.5', x: '7' }), { scale: { 1: { value: 0.5 } }, position: { 0: { x: 7 } } });
  t.like(composed(json, { [`${key}`]: '17' }), { left: { message: `values.${key}: must be <= 16` } });
  const at = 'templates[0].fields[0].target.property';
  const faultsOf = (property: string) =>
    faults(project([{ ...fields[0], target: { layer: 'title', property } }], { keyframes }));
  t.deepEqual(faultsOf('keyframes.scale.2.value'), [`${at}: "title" has no keyframe of "keyframes.scale.2.value"`]);
  for (const property of [
    'keyframes.scale.0.x',
    'keyframes.scale.0.time',
    'keyframes.position.0.value',
    'keyframes',
    'keyframes.__proto__.0.x',
  ])
    t.regex(faultsOf(property)[0] ?? '', /has no property .* that a field can set|a property, like/, property);
});
