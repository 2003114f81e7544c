import test from 'ava';
import { stringify } from 'csv-stringify/sync';
import { CSV_FORM } from '../../../dashboard/source/shown/csv-form.ts';

test('no name in a CSV file becomes a formula, also where semicolons separate cells', (t) => {
  const names = ['=1+1', '@sum', 'spring;=1+1', 'spring\t=1+1', 'plain, name'];
  const lines = stringify(
    names.map((name) => [name]),
    CSV_FORM,
  ).split('\n');
  t.deepEqual(lines, [`'=1+1`, `'@sum`, '"spring;=1+1"', '"spring\t=1+1"', '"plain, name"', '']);
});
