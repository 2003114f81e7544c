import test from 'ava';
import { confirmationFault } from '../../../management-api/access/confirmation.ts';

const faultOf = (name: string | null, given: { readonly name?: string; readonly id?: string }): string | null => {
  const fault = confirmationFault({ kind: 'project', id: 'proj_1', name }, { name: null, id: null, ...given });
  return fault === null ? null : (fault.message.split(':')[0] ?? '');
};

test('the name confirms an erasure, and its id does not', (t) => {
  t.is(faultOf('Spring sale', { name: ' Spring sale ' }), null);
  t.is(faultOf('Caf\u00e9', { name: 'Cafe\u0301' }), null, 'keyboards compose letters differently');
  for (const given of [{}, { name: 'spring sale' }, { name: ' ' }, { id: 'proj_1' }, { id: 'proj_1', name: 'Spring' }])
    t.is(faultOf('Spring sale', given), 'name', JSON.stringify(given));
});

test('the id confirms if the name cannot be typed; an empty text never does', (t) => {
  for (const name of [null, '', '  ', '\u2800', '\u3164', '\u200b\u00a0', 'two\nlines', 'x'.repeat(501)]) {
    t.is(faultOf(name, { id: 'proj_1' }), null, JSON.stringify(name));
    for (const given of [{}, { name: '' }, { name: ' ' }, { name: '\u2800' }, { name: name ?? '' }, { id: 'proj_2' }])
      t.is(faultOf(name, given), 'project_id', JSON.stringify([name, given]));
  }
});
