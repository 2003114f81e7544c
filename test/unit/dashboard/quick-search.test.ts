import test from 'ava';
import { isRenderId, matching, matchingPeople } from '../../../dashboard/source/search/hits.ts';

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

test('people match by a part of their address, and never by none', (t) => {
  const people = new Map([
    ['user_1', 'grace@example.org'],
    ['user_2', 'ada@example.org'],
    ['user_3', null],
  ]);
  t.deepEqual(matchingPeople(people, 'GRACE', 5), [{ user_id: 'user_1', email: 'grace@example.org' }]);
  t.is(matchingPeople(people, 'example', 1).length, 1);
  t.deepEqual(matchingPeople(people, ' ', 5), []);
});

test('only the ID of a render is read as one', (t) => {
  t.true(isRenderId(' rend_01KAJX3Z5Q8W9V2T7R4N6M1B0C '));
  t.false(isRenderId('rend_../../x'));
  t.false(isRenderId('render'));
});
