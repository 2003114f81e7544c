import test from 'ava';
import { boundedLabel } from '../../../platform/metrics/bounded-label.ts';

test('codes are labels up to a limit, and known codes stay labels', (t) => {
  const label = boundedLabel(2);
  t.deepEqual(['disk_full', 'engine', 'unexpected', 'disk_full'].map(label), [
    'disk_full',
    'engine',
    'other',
    'disk_full',
  ]);
});

test('a text that is no short code gets the label other', (t) => {
  const label = boundedLabel(1);
  for (const text of ['', 'No such font', 'acc_01JD0000000000000000000001', 'a'.repeat(41), 'a\nb', 'ß'])
    t.is(label(text), 'other', text);
  t.is(label('crashed'), 'crashed');
});
