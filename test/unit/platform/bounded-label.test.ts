import test from 'ava';
import { boundedLabel } from '../../../platform/metrics/bounded-label.ts';

test('codes are labels as they are, up to a number; those that are known stay so', (t) => {
  const label = boundedLabel(2);
  t.deepEqual(['disk_full', 'engine', 'unexpected', 'disk_full'].map(label), [
    'disk_full',
    'engine',
    'other',
    'disk_full',
  ]);
});

test('what is no short code is no label, and takes no place of one', (t) => {
  const label = boundedLabel(1);
  for (const text of ['', 'No such font', 'acc_01JD0000000000000000000001', 'a'.repeat(41), 'a\nb', 'ß'])
    t.is(label(text), 'other', text);
  t.is(label('crashed'), 'crashed');
});
