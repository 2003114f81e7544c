import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { drawingVersionOf } from '../../../domain/composition/drawing-version.ts';
import { DRAWING_VERSION, OLDEST_NEEDED_VERSION } from '../../../domain/composition/engine-version.ts';
import { faultText } from '../../../domain/composition/fault.ts';
import { composeFinal } from '../../../domain/composition/final-composition.ts';
import { type Layer, TextLayer } from '../../../domain/composition/layers.ts';
import { decodeProjectDocument, decodeProjectFile } from '../../../domain/composition/project-document.ts';
import { glyphFaults } from '../../../domain/composition/references.ts';
import { transformText } from '../../../domain/composition/text-transform.ts';
import { compositionJson, projectJson, templateJson } from './_project.ts';

const CASES: readonly (readonly [TextLayer['text_transform'], string | null, string, string])[] = [
  ['none', 'tr', 'i', 'i'],
  ['uppercase', null, 'straße i', 'STRASSE I'],
  ['uppercase', 'tr-TR', 'izmir', 'İZMİR'],
  ['uppercase', 'el', 'Καλησπέρα', 'ΚΑΛΗΣΠΕΡΑ'],
  ['lowercase', null, 'ΟΔΟΣ I', 'οδος i'],
  ['lowercase', 'az', 'IĞDIR', 'ığdır'],
  ['capitalize', null, "don't STOP 'now' 2nd l’été", "Don't STOP 'Now' 2nd L’été"],
  ['capitalize', null, 'ﬁsh ǆep ßa ქართული', 'Fish ǅep Ssa ქართული'],
  ['capitalize', 'nl', 'ijsselmeer ik', 'IJsselmeer Ik'],
  ['capitalize', 'en', 'ijsselmeer', 'Ijsselmeer'],
  ['capitalize', 'tr', 'izmir', 'İzmir'],
  ['uppercase', 'en-a-bb-a-bb', 'x', 'X'],
];

test('texts are transformed as in CSS, by their language', (t) => {
  for (const [text_transform, language, text, expected] of CASES)
    t.is(
      transformText(text, { text_transform, language }).normalize(),
      expected.normalize(),
      `${text_transform} ${text}`,
    );
});

const project = (title: object, fields: readonly object[] = []) =>
  projectJson({
    engine: 7,
    compositions: [compositionJson({ layers: [{ id: 'title', type: 'text', text: 'hello', ...title }] })],
    templates: fields.length === 0 ? [] : [templateJson({ fields })],
    assets: [],
  });

const titleOf = (json: unknown, template: string | null, values: Record<string, string> = {}) => {
  const document = decodeProjectDocument(json);
  if (E.isLeft(document)) throw new Error(document.left.map(faultText).join('\n'));
  return E.map(
    ({ composition: { layers } }: { readonly composition: { readonly layers: readonly Layer[] } }) => layers[0],
  )(composeFinal(document.right, template, values));
};

/** A letter that the engine's fonts have, and its uppercase form in Unicode 16 that they lack. */
const UNDRAWN_UPPERCASE = 'ɤ';
const NAME = { key: 'name', kind: 'text', default_value: 'mia' };

test('a final composition has transformed texts, after their values', (t) => {
  const title = titleOf(project({ text_transform: 'uppercase', text: 'hi {{name}}' }, [NAME]), 'tpl_sale', {
    name: 'ß',
  });
  if (E.isLeft(title)) return t.fail(title.left.message);
  t.like(title.right, { text: 'HI SS' });
  t.false(Object.hasOwn(title.right ?? {}, 'text_transform'));
  const long = { text_transform: 'uppercase', text: 'ß'.repeat(5001) };
  t.like(titleOf(project(long), null), {
    left: { message: 'layers[0].text: must have at most 10000 characters with its text_transform' },
  });
});

test('characters that only the transformed text has must be drawable', (t) => {
  const faultsOf = (json: object) => glyphFaults(json, new Map()).map(({ path }) => path);
  const text = { text: UNDRAWN_UPPERCASE, text_transform: 'uppercase' };
  t.deepEqual(faultsOf(project({ ...text, text_transform: 'none' })), []);
  t.deepEqual(faultsOf(project(text)), ['compositions[0].layers[0].text']);
  t.deepEqual(faultsOf(project({ ellipsis: '\u{10FFFD}' })), ['compositions[0].layers[0].ellipsis']);
  const field = { ...NAME, default_value: UNDRAWN_UPPERCASE };
  const shown = project({ text: '{{name}}', text_transform: 'uppercase' }, [field]);
  t.deepEqual(faultsOf(shown), ['templates[0].fields[0].default_value']);
  t.like(
    titleOf(project({ text: '{{name}}', text_transform: 'uppercase' }, [NAME]), 'tpl_sale', {
      name: UNDRAWN_UPPERCASE,
    }),
    {
      left: { field: 'values.name' },
    },
  );
});

test('text layers refuse values out of their range, by name', (t) => {
  const faultsOf = (title: object) => {
    const decoded = decodeProjectFile(project(title));
    return E.isLeft(decoded) ? decoded.left.map(faultText) : [];
  };
  const at = 'compositions[0].layers[0]';
  t.deepEqual(faultsOf({ font_features: 'smcp, ss01=1,tnum=0', letter_spacing: -2.5, max_lines: 1, ellipsis: '' }), []);
  t.deepEqual(faultsOf({ letter_spacing: 1001 }), [`${at}.letter_spacing: must be <= 1000`]);
  t.deepEqual(faultsOf({ max_lines: 0 }), [`${at}.max_lines: must be >= 1`]);
  t.deepEqual(faultsOf({ ellipsis: '.'.repeat(21) }), [`${at}.ellipsis: must have at most 20 characters`]);
  t.deepEqual(faultsOf({ text_transform: 'upper' }), [
    `${at}.text_transform: must be one of none, uppercase, lowercase, capitalize`,
  ]);
  for (const font_features of ['', 'sm', 'smcp"/><b>', 'smcp,', `smcp${', smcp'.repeat(16)}`])
    t.deepEqual(faultsOf({ font_features }), [
      `${at}.font_features: must be up to 16 OpenType features like smcp, ss01 or tnum=0`,
    ]);
});

test('only texts that use newer members need newer workers', (t) => {
  const versionOf = (parts: object) => {
    const layer = TextLayer.decode({ id: 'title', type: 'text', text: 'Hi', ...parts });
    if (E.isLeft(layer)) throw new Error('no such layer');
    return drawingVersionOf([layer.right]);
  };
  t.is(versionOf({ text_transform: 'uppercase', align: 'start' }), OLDEST_NEEDED_VERSION);
  for (const parts of [
    ...[{ align: 'justify' }, { italic: true }, { underline: true }, { strike: true }, { letter_spacing: 1 }],
    ...[{ tabular_figures: true }, { font_features: 'smcp' }, { max_lines: 1 }, { ellipsis: '…' }],
    { background_fit: 'text' },
  ])
    t.is(versionOf(parts), DRAWING_VERSION, JSON.stringify(parts));
});
