import test from 'ava';
import { placeOfPath } from '../../../dashboard/source/projects/document/place-of-path.ts';
import { propertiesAt, schemasAt, valuesAt } from '../../../dashboard/source/projects/document/schema-walk.ts';
import { PROJECT_SCHEMA } from '../../../schemas/project-schema.ts';

const TEXT = `{
  "name": "Sale",
  "compositions": [
    { "id": "a", "layers": [{ "id": "one", "type": "text", "duration": -1 }] }
  ]
}`;

const shown = (path: string): string => {
  const { from, to } = placeOfPath(TEXT, path);
  return TEXT.slice(from, to);
};

test('a fault is shown at its value, or at the nearest one around it', (t) => {
  t.is(shown('compositions[0].layers[0].duration'), '-1');
  t.is(shown('name'), '"Sale"');
  t.is(shown('compositions[0].layers[0].text'), '{ "id": "one", "type": "text", "duration": -1 }');
  t.is(shown('compositions[3].id'), '[');
  t.is(shown(''), '{');
});

test('a place in a text that is not JSON is within the text', (t) => {
  for (const text of ['', '{', '{"a": [', 'x'.repeat(10)]) {
    const { from, to } = placeOfPath(text, 'a[0].b');
    t.true(from >= 0 && from <= to && to <= text.length, text);
  }
});

const VALUE = { compositions: [{ layers: [{ type: 'text' }, { type: 'video' }] }] };

test('a layer is completed with the properties of its type', (t) => {
  const labels = (index: number) =>
    propertiesAt(schemasAt(PROJECT_SCHEMA, VALUE, ['compositions', 0, 'layers', index]), ['type']).map(
      ({ label }) => label,
    );
  t.true(labels(0).includes('font_size') && !labels(0).includes('asset') && !labels(0).includes('type'));
  t.true(labels(1).includes('asset') && !labels(1).includes('font_size'));
});

test('a value is completed with the words of its property', (t) => {
  const values = valuesAt(schemasAt(PROJECT_SCHEMA, VALUE, ['compositions', 0, 'layers', 0, 'align']));
  t.deepEqual(values.toSorted(), ['"center"', '"end"', '"justify"', '"left"', '"right"', '"start"']);
  t.true(valuesAt(schemasAt(PROJECT_SCHEMA, VALUE, ['compositions', 0, 'layers', 0, 'type'])).includes('"shape"'));
});

test('a layer of a group is completed as any other layer', (t) => {
  const value = { compositions: [{ layers: [{ type: 'group', layers: [{ type: 'text' }] }] }] };
  const found = schemasAt(PROJECT_SCHEMA, value, ['compositions', 0, 'layers', 0, 'layers', 0]);
  const labels = propertiesAt(found, ['type']).map(({ label }) => label);
  t.true(labels.includes('font_size') && !labels.includes('asset'));
});
