import test from 'ava';
import { authorOf, authorText, personText } from '../../../dashboard/source/people/person-text.ts';

const PEOPLE = new Map([
  ['user_1', 'ada@example.com'],
  ['user_2', 'Grace@example.com'],
  ['user_3', null],
]);

test('people are shown by e-mail address, and by ID without one', (t) => {
  t.is(personText(PEOPLE, 'user_1'), 'ada@example.com');
  t.is(personText(PEOPLE, 'user_3'), 'user_3');
  t.is(personText(PEOPLE, 'user_9'), 'user_9');
});

test('authors are shown in words', (t) => {
  t.is(authorText(PEOPLE, 'user:user_1'), 'ada@example.com');
  t.is(authorText(PEOPLE, 'key:key_1'), 'API key key_1');
  t.is(authorText(PEOPLE, 'operator:on-call'), 'Operator on-call (claimed)');
  t.is(authorText(PEOPLE, 'relay:relay_1'), 'Webhook relay');
  t.is(authorText(PEOPLE, 'constructor:x'), 'constructor:x');
});

test('the audit finds people by address or a unique part of it', (t) => {
  t.is(authorOf(PEOPLE, ' Ada@Example.com'), 'user:user_1');
  t.is(authorOf(PEOPLE, 'grace'), 'user:user_2');
  t.is(authorOf(PEOPLE, 'example.com'), null);
  t.is(authorOf(PEOPLE, 'user:user_2'), null);
  t.is(authorOf(PEOPLE, ''), null);
});
