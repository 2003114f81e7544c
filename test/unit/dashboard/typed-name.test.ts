import test from 'ava';
import { isTypeable, matchesTyped } from '../../../dashboard/source/shown/typed-name.ts';
import { confirmationFault } from '../../../management-api/access/confirmation.ts';

const NAMES = [
  ...['Spring sale', ' x ', '.', '\u200b1', 'מבצע\u200f', '👩\u200d👩', 'x'.repeat(500)],
  ...['', ' ', '\u2800', '\u3164', '\u200b', '\u00a0\u115f\ufe0f', '\u{1d159}', 'two\nlines', 'x'.repeat(501)],
];

test('the page asks for a typed name exactly where the service accepts it', (t) => {
  for (const name of NAMES) {
    const fault = confirmationFault({ kind: 'account', id: 'acc_1', name }, { name, id: null });
    t.is(isTypeable(name), fault === null, JSON.stringify(name));
  }
});

test('no text confirms an invisible name', (t) => {
  for (const asked of ['', ' ', '\u2800', '\u3164', '\u200b'])
    for (const given of ['', ' ', asked, '\u2800']) t.false(matchesTyped(given, asked), JSON.stringify([given, asked]));
  t.true(matchesTyped(' Cafe\u0301 ', 'Caf\u00e9'));
});
