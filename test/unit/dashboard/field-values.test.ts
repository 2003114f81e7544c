import test from 'ava';
import {
  drawableValues,
  labelOf,
  ownValues,
  shownFaults,
  sliderRange,
  stepOf,
  withValue,
} from '../../../dashboard/source/new-video/field-values.ts';
import { curlLine } from '../../../dashboard/source/new-video/request-line.ts';
import { decodeEntries } from '../../../dashboard/source/new-video/saved-entries.ts';

const FIELDS = [
  { key: 'headline', default_value: 'Hello' },
  { key: 'price', default_value: '10' },
];

test('a field without a label is named after its key', (t) => {
  t.is(labelOf({ key: 'product_shot', label: null }), 'Product shot');
  t.is(labelOf({ key: 'product_shot', label: 'Photo' }), 'Photo');
});

test('each fault of a video is shown beside its field', (t) => {
  const { of_fields, others } = shownFaults(FIELDS, [
    { path: 'values.price', message: 'must be a number' },
    { path: 'values.price', message: 'must be > 0' },
    { path: 'values.old', message: 'is unknown' },
    { path: '', message: 'the project has no such template' },
  ]);
  t.deepEqual([...of_fields], [['price', 'Must be a number.']]);
  t.deepEqual(others, ['Is unknown.', 'The project has no such template.']);
});

test('only values that differ from the defaults of the template are sent', (t) => {
  t.deepEqual(ownValues(FIELDS, { headline: 'Hello', price: '', old: 'x' }), { price: '' });
  t.deepEqual(ownValues([{ key: 'constructor', default_value: '' }], {}), {});
});

test('a still is drawn without addresses of files', (t) => {
  const fields = [
    { key: 'logo', kind: 'image' },
    { key: 'link', kind: 'text' },
  ] as const;
  const values = { logo: 'https://example.com/a.png', link: 'https://example.com' };
  t.deepEqual(drawableValues(fields, values), { link: 'https://example.com' });
  t.deepEqual(drawableValues(fields, { logo: 'logo_1' }), { logo: 'logo_1' });
});

test('a removed value leaves the others as they are', (t) => {
  t.deepEqual(withValue({ headline: 'A', price: '1' }, 'price', null), { headline: 'A' });
  t.deepEqual(withValue({ headline: 'A' }, 'price', ''), { headline: 'A', price: '' });
});

test('a number has a slider if its range is known and not too wide', (t) => {
  const number = { minimum: 0, maximum: 1, whole: false, widget: null } as const;
  t.deepEqual(sliderRange(number), [0, 1]);
  t.is(sliderRange({ ...number, maximum: null }), null);
  t.is(sliderRange({ ...number, maximum: 4_096 }), null);
  t.deepEqual(sliderRange({ ...number, maximum: 4_096, widget: 'slider' }), [0, 4_096]);
  t.deepEqual([stepOf(number), stepOf({ ...number, maximum: 10 }), stepOf({ ...number, whole: true })], [0.01, 0.1, 1]);
});

test('entries are read back, and damaged ones are dropped', (t) => {
  const entries = { name: 'Spring', values: { headline: '' }, draft: true };
  t.deepEqual(decodeEntries(JSON.stringify(entries)), entries);
  for (const text of ['', '[]', 'null', '{"name":1}', JSON.stringify({ ...entries, values: { a: 1 } })])
    t.is(decodeEntries(text), null, text);
});

test('the curl command of a new video quotes the values of its fields', (t) => {
  const wish = { project_id: 'proj_1', template_id: 'tpl_1', values: { headline: "It's" }, name: ' A ', draft: false };
  const line = curlLine('https://video.example.com', wish, 'once');
  t.true(line.includes(String.raw`"It'\''s"`));
  t.true(line.includes('"name": "A"'));
  t.false(line.includes('draft'));
});
