import test from 'ava';
import { FORMS } from '../../long/forms/table/forms.ts';
import { KNOWN } from '../../long/forms/table/known.ts';

const names = [...FORMS.films, ...FORMS.others].map(({ name }) => name);

test('the bench of real forms has at least 300 forms with unique names', (t) => {
  t.true(names.length >= 300, String(names.length));
  t.is(new Set(names).size, names.length);
});

test('every form that is known to fail is in the bench', (t) => {
  t.deepEqual(
    [...KNOWN.keys()].filter((name) => !names.includes(name)),
    [],
  );
});
