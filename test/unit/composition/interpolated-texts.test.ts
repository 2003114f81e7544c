import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { faultText } from '../../../domain/composition/fault.ts';
import { composeFinal } from '../../../domain/composition/final-composition.ts';
import { decodeProjectDocument, decodeProjectFile } from '../../../domain/composition/project-document.ts';
import { literalPlaceholders } from '../../../domain/composition/text-faults.ts';
import { parseText } from '../../../domain/composition/text-pieces.ts';
import type { Values } from '../../../domain/composition/values.ts';
import { runs } from '../../helpers/runs.ts';
import { compositionJson, projectJson, templateJson } from './_project.ts';

type Json = Readonly<Record<string, unknown>>;

const field = (key: string, default_value: string, parts: Json = {}): Json => ({
  ...{ key, kind: 'text', default_value },
  ...parts,
});
const FIELDS = [
  field('name', 'Ann'),
  field('price', '1234.5', { kind: 'number' }),
  field('end', '2026-11-30', { kind: 'date' }),
  field('street', 'Straße'),
];

/** Valid in documents of all versions. */
const NAME_OF_COLOR = field('name', '#112233', { kind: 'color', target: { layer: 'text0', property: 'color' } });

const texts = (...all: readonly string[]) =>
  all.map((text, index) => ({ id: `text${index}`, type: 'text', text, height: 40 }));

/** The fields that a text shows. */
const fieldsIn = (layers: readonly Json[]): readonly Json[] =>
  FIELDS.filter(({ key }) => layers.some(({ text }) => `${text}`.includes(`${key}`)));

const project = (layers: readonly Json[], fields: readonly Json[] = fieldsIn(layers), parts: Json = {}) =>
  projectJson({
    engine: 7,
    assets: [],
    compositions: [compositionJson({ layers })],
    templates: [templateJson({ fields })],
    ...parts,
  });

const faults = (json: unknown): readonly string[] => {
  const decoded = decodeProjectFile(json);
  return E.isLeft(decoded) ? decoded.left.map(faultText) : [];
};

const compose = (json: unknown, values: Values = {}, template_id: string | null = 'tpl_sale') => {
  const decoded = decodeProjectDocument(json);
  if (E.isLeft(decoded)) throw new Error(decoded.left.map(faultText).join('\n'));
  return composeFinal(decoded.right, template_id, values);
};

const drawn = (json: unknown, values: Values = {}, template_id: string | null = 'tpl_sale'): readonly string[] => {
  const final = compose(json, values, template_id);
  if (E.isLeft(final)) throw new Error(final.left.message);
  return final.right.composition.layers.flatMap((layer) => (layer.type === 'text' ? [layer.text] : []));
};

const refusal = (json: unknown, values: Values): string => {
  const final = compose(json, values);
  return E.isLeft(final) ? final.left.message : 'is composed';
};

/** The no-break spaces that Intl puts before signs as plain ones. */
const plain = (text: string): string => text.replaceAll(/[\u00a0\u202f]/g, ' ');

test('texts show values, and defaults of missing ones', (t) => {
  const json = project(texts('Dear {{name}}, {{ price }}!', 'no braces', '{{name}}{{name}}'));
  t.deepEqual(faults(json), []);
  t.deepEqual(drawn(json), ['Dear Ann, 1234.5!', 'no braces', 'AnnAnn']);
  t.deepEqual(drawn(json, { name: 'Bo\r\nB', price: ' 9.90 ' }), ['Dear Bo\nB, 9.90!', 'no braces', 'Bo\nBBo\nB']);
  t.deepEqual(drawn(json, {}, null), ['Dear Ann, 1234.5!', 'no braces', 'AnnAnn'], 'without a template');
});

test('filters format values in the language that they name', (t) => {
  const shown = (text: string, values: Values = {}): string => plain(drawn(project(texts(text)), values)[0] ?? '');
  t.is(shown('{{street | upper}} {{street|lower}}'), 'STRASSE straße');
  t.is(shown('{{name | upper: tr}}', { name: 'i' }), 'İ');
  t.is(shown('{{price | number}} {{price|number:2}} {{price|number: 2, de}}'), '1,234.5 1,234.50 1.234,50');
  t.is(shown('{{price | currency: EUR}} {{price | currency: EUR, de}}'), '€1,234.50 1.234,50 €');
  t.is(shown('{{price | currency: EUR, en, 0}} {{price | currency: JPY}}'), '€1,235 ¥1,235');
  t.is(shown('{{price | number: 0}}', { price: '-0.2' }), '0');
  t.is(
    shown('{{end | date}}; {{end | date: long}}; {{end | date: long, de}}'),
    'Nov 30, 2026; November 30, 2026; 30. November 2026',
  );
  t.is(shown('{{end | date: full, en}}', { end: '2026-12-01T00:30:00+02:00' }), 'Monday, November 30, 2026', 'in UTC');
  t.is(shown('{{end | date: short}}', { end: '2026-12-01T00:30' }), '12/1/26', 'a time without offset is UTC');
  t.is(shown('{{end | date: long, de | upper}}'), '30. NOVEMBER 2026');
});

test('doubled braces and single braces are characters', (t) => {
  const shown = (text: string): string => drawn(project(texts(text, '{{name}}'), FIELDS.slice(0, 1)))[0] ?? '';
  t.is(shown('{{{{name}}}}'), '{{name}}');
  t.is(shown('{{{name}}}'), '{Ann}');
  t.is(shown('{{{{{{name}}}}}}'), '{{Ann}}');
  t.is(shown('{a} }} }}} {'), '{a} }} }}} {');
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('{', '}', 'a') }), (text) => {
      const escaped = text.replaceAll('{{', '{{{{').replaceAll('}}', '}}}}');
      const pieces = parseText(escaped);
      if (E.isLeft(pieces)) throw new Error(pieces.left);
      t.is(pieces.right.map((piece) => (piece.tag === 'literal' ? piece.text : '?')).join(''), text);
    }),
    { numRuns: runs(1_000) },
  );
});

test('values are never read for placeholders', (t) => {
  const target = { layer: 'text1', property: 'text' };
  const fields = [...FIELDS.slice(0, 2), field('whole', 'a {{name}}', { target })];
  const json = project(texts('{{name}}', '{{price}}'), fields);
  t.deepEqual(faults(json), []);
  t.deepEqual(drawn(json, { name: '{{price}} }}}} {{', whole: '{{name}}{{{{' }), ['{{price}} }}}} {{', '{{name}}{{{{']);
  t.deepEqual(drawn(json), ['Ann', 'a {{name}}'], 'a default is a value');
  t.deepEqual(drawn(json, {}, null), ['Ann', '1234.5'], 'without a template, no field drives the text');
});

test('documents of older versions keep their braces', (t) => {
  const texts_of = texts('{{name}} {{{{ {{nothing | at all}}', '{{');
  const fields = [
    field('title', 'a', { target: { layer: 'text1', property: 'color' }, kind: 'color', default_value: '#FFFFFF' }),
  ];
  for (const engine of [1, 5, 6, undefined]) {
    const json = project(texts_of, fields, { engine });
    t.deepEqual(
      drawn(json),
      texts_of.map(({ text }) => text),
      `${engine}`,
    );
    if (engine !== undefined) t.deepEqual(faults(json), []);
  }
  t.deepEqual(faults(project(texts('a'), [field('name', 'a')], { engine: 6 })), [
    'templates[0].fields[0].target: is required, or targets',
  ]);
  t.deepEqual(faults(project(texts('a'), [field('name', 'a')])), [
    'templates[0].fields[0].target: is required, or targets, or {{name}} in a text',
  ]);
  const final = compose(project(texts('{{name}}')));
  t.is(E.isRight(final) ? final.right.engine : null, 6, 'workers of the former version draw the resolved texts');
});

test('the text of another template is the default of its field', (t) => {
  const templates = [templateJson({ fields: [] }), templateJson({ id: 'tpl_2', fields: FIELDS.slice(0, 1) })];
  const json = project(texts('{{name}}'), [], { templates });
  t.deepEqual(faults(json), []);
  t.deepEqual(drawn(json, { name: 'Bo' }), ['Ann']);
  t.deepEqual(drawn(json, { name: 'Bo' }, 'tpl_2'), ['Bo']);
});

test('faults of placeholders have a path and a remedy', (t) => {
  const of = (text: string, fields: readonly Json[] = FIELDS) => {
    const shown = [...FIELDS.map(({ key }) => `{{${key}}}`), text].join(' ');
    return faults(project(texts(shown), fields)).map((one) => one.replace('compositions[0].layers[0].text: ', ''));
  };
  const BRACES = 'for braces, write {{{{ and }}}}';
  t.deepEqual(of('{{nam}}'), ['"{{nam}}": no template of "comp_main" has a field "nam"; did you mean "name"?']);
  t.deepEqual(of('{{zip}}'), [
    '"{{zip}}": no template of "comp_main" has a field "zip"; add the field, or write {{{{ for braces',
  ]);
  t.deepEqual(of('{{name'), [`"{{name" has no closing }}; ${BRACES}`]);
  t.deepEqual(of('{{}}'), [`"{{}}" must begin with the key of a field; ${BRACES}`]);
  t.deepEqual(of('{{a b}}'), [`"{{a b}}" must begin with the key of a field; ${BRACES}`]);
  t.deepEqual(of('{{name | uper}}'), ['"{{name | uper}}": there is no filter "uper"; did you mean "upper"?']);
  t.deepEqual(of('{{name | x}}'), ['"{{name | x}}": there is no filter "x"; use upper, lower, number, currency, date']);
  t.deepEqual(of('{{price | currency: EURO}}'), [
    '"{{price | currency: EURO}}": "EURO" is not a currency; use its code, like EUR or USD, as in currency: EUR, currency: EUR, de or currency: EUR, de, 0',
  ]);
  for (const locale of ['xx-XX', 'de-', 'a'.repeat(40), 'de-aaaaa-aaaaa', '__proto__'])
    t.regex(of(`{{price | currency: EUR, ${locale}}}`)[0] ?? '', /is not a known language; use one like de/, locale);
  t.regex(of('{{price | number: 11}}')[0] ?? '', /"11" is not a number of digits from 0 to 10/);
  t.regex(of('{{price | number: 2, de, 3}}')[0] ?? '', /the filter number is written as number, number: 2/);
  t.regex(of('{{end | date: longer}}')[0] ?? '', /"longer" is not one of short, medium, long, full/);
  t.deepEqual(of('{{price | date}}'), [
    '"{{price | date}}": the filter date is for fields of kind date or text, not number',
  ]);
  t.regex(of(`{{name | ${'upper | '.repeat(5)} upper}}`)[0] ?? '', /must have at most 5 filters/);
  t.regex(of(`{{${'n'.repeat(300)}}}`)[0] ?? '', /must have at most 200 characters/);
  const toggle = field('name', 'true', { kind: 'toggle', target: { layer: 'text0', property: 'visible' } });
  t.deepEqual(of('', [toggle, ...FIELDS.slice(1)]), [
    '"{{name}}": a text can only show fields of kind text, number, color, date, not toggle',
  ]);
});

test('defaults and choices that a filter cannot format are faults of the field', (t) => {
  const fields = [field('price', 'free'), field('end', '2026-02-30', { choices: ['2026-02-30', '2026-02-28', 'now'] })];
  t.deepEqual(faults(project(texts('{{price | number: 2}} {{end | date}}'), fields)), [
    'templates[0].fields[0].default_value: must be a number, for "{{price | number: 2}}"',
    'templates[0].fields[1].default_value: must be a date like 2026-11-30, for "{{end | date}}"',
    'templates[0].fields[1].choices[0]: must be a date like 2026-11-30, for "{{end | date}}"',
    'templates[0].fields[1].choices[2]: must be a date like 2026-11-30, for "{{end | date}}"',
  ]);
  t.deepEqual(faults(project(texts('{{price}}'), [field('price', 'x', { kind: 'number' })])), [
    'templates[0].fields[0].default_value: must be a number',
  ]);
});

test('a value that a text cannot show is refused, by its field', (t) => {
  const json = project(texts('{{name | number: 2}} {{end | date}} {{price}} {{street}}'), [
    field('name', '1'),
    ...FIELDS.slice(1),
  ]);
  t.is(refusal(json, { name: 'x' }), 'values.name: must be a number, for "{{name | number: 2}}"');
  t.is(refusal(json, { end: '30.11.2026' }), 'values.end: must be a date like 2026-11-30');
  t.is(refusal(json, { price: 'x' }), 'values.price: must be a number');
  t.is(refusal(json, { street: 'a\u0000' }), 'values.street: must not contain the control character U+0000');
  t.is(refusal(json, { street: '\u{13153}' }), 'values.street: has a character that no font has');
  t.is(refusal(json, { name: 'x', price: 'y' }).split('; ').length, 2, 'all faults at once');
  t.is(refusal(json, { unknown: 'x' }), 'is composed');
});

test('the length of a text is limited after its values', (t) => {
  const many = '{{name}}'.repeat(400);
  const json = project(texts(many));
  t.deepEqual(faults(json), []);
  t.is(drawn(json, { name: '🎉'.repeat(25) })[0], '🎉'.repeat(10_000));
  t.is(refusal(json, { name: 'x'.repeat(26) }), 'values.name: makes a text longer than 10000 characters');
  t.is(refusal(json, { name: 'x'.repeat(10_000) }), 'values.name: makes a text longer than 10000 characters');
  t.deepEqual(faults(project(texts(many), [field('name', 'x'.repeat(26))])), [
    'compositions[0].layers[0].text: must have at most 10000 characters with the values of its fields',
  ]);
  t.deepEqual(faults(project(texts(many, '{{name}}'.repeat(101)))), [
    'compositions[0].layers[1].text: has too many {{…}}: all texts of a project can have 500',
  ]);
});

test('each accepted document is composed, with and without values', (t) => {
  const good = [
    '{{name}}',
    '{{price | number: 2, de}}',
    '{{{',
    '}}}}',
    '{{{{',
    '{{end|date:full}}',
    'a',
    '{{name|upper:tr}}',
  ];
  const piece = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom('{{', '{{nam') },
  );
  const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
  const value = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('{{name}}', '2026-11-30', '12.5', '}}', ''));
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('name', 'price', 'end'), value),
      (all, values) => {
        const shown = texts(FIELDS.map(({ key }) => `{{${key}}}`).join(''), ...all);
        if (faults(project(shown)).length > 0) return;
        t.true(E.isRight(compose(project(shown), {}, null)));
        t.true(E.isRight(compose(project(shown))));
        const final = compose(project(shown), values);
        if (E.isLeft(final)) t.regex(final.left.field ?? '', /^values\.(name|price|end)$/);
      },
    ),
    { numRuns: runs(200) },
  );
});

test('placeholders in a document of an older version are a warning', (t) => {
  const warnings = (engine: number) => {
    const decoded = decodeProjectDocument(project(texts('{{name}} {{b}}', '{{name'), [NAME_OF_COLOR], { engine }));
    return E.isRight(decoded) ? literalPlaceholders(decoded.right).map(faultText) : [JSON.stringify(decoded.left)];
  };
  t.deepEqual(warnings(6), [
    'compositions[0].layers[0].text: shows "{{name}}" as it is with engine 6; set "engine": 7 to show the field',
  ]);
  t.deepEqual(warnings(7), []);
});
