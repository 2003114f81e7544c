import test from 'ava';
import { isRenderId, matching } from '../../../dashboard/source/search/hits.ts';

const PAGES = [{ label: 'API keys' }, { label: 'Account audit' }, { label: 'Übersicht' }];
const labelsOf = (typed: string): readonly string[] => matching(PAGES, typed).map(({ label }) => label);

test('a page matches by the beginnings of its words, without case and accents', (t) => {
  t.deepEqual(labelsOf('k'), ['API keys']);
  t.deepEqual(labelsOf('aud acc'), ['Account audit']);
  t.deepEqual(labelsOf('ubers'), ['Übersicht']);
  t.deepEqual(labelsOf('eys'), []);
  t.is(labelsOf('  ').length, PAGES.length);
  t.deepEqual(labelsOf('.*['), []);
});

test('only the ID of a render is read as one', (t) => {
  t.true(isRenderId(' rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C '));
  t.false(isRenderId('rend_../../x'));
  t.false(isRenderId('render'));
});
