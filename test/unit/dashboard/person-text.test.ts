import test from 'ava';
import {
  authorOf,
  authorText,
  fullPersonText,
  peopleLike,
  personText,
} from '../../../dashboard/source/people/person-text.ts';

const PEOPLE = new Map([
  ['user_1', { name: 'Ada Lovelace', email: 'ada@example.com' }],
  ['user_2', { name: null, email: 'Grace@example.com' }],
  ['user_3', { name: null, email: null }],
  ['user_4', { name: 'Ada Lovelace', email: null }],
]);

test('people are shown by name, without one by address, and then by ID', (t) => {
  t.is(personText(PEOPLE, 'user_1'), 'Ada Lovelace');
  t.is(personText(PEOPLE, 'user_2'), 'Grace@example.com');
  t.is(personText(PEOPLE, 'user_3'), 'user_3');
  t.is(personText(PEOPLE, 'user_9'), 'user_9');
});

test('a choice of people tells two of the same name apart', (t) => {
  t.is(fullPersonText(PEOPLE, 'user_1'), 'Ada Lovelace (ada@example.com)');
  t.is(fullPersonText(PEOPLE, 'user_4'), 'Ada Lovelace');
  t.is(fullPersonText(PEOPLE, 'user_2'), 'Grace@example.com');
});

test('authors are shown in words', (t) => {
  t.is(authorText(PEOPLE, 'user:user_1'), 'Ada Lovelace');
  t.is(authorText(PEOPLE, 'key:key_1'), 'API key key_1');
  t.is(authorText(PEOPLE, 'key:key_1', new Map([['key_1', 'shop']])), 'API key “shop”');
  t.is(authorText(PEOPLE, 'operator:on-call'), 'Operator on-call (name not verified)');
  t.is(authorText(PEOPLE, 'relay:relay_1'), 'Webhook relay');
  t.is(authorText(PEOPLE, 'constructor:x'), 'constructor:x');
});

test('the audit finds people by name, address or a unique part of them', (t) => {
  t.is(authorOf(PEOPLE, ' Ada@Example.com'), 'user:user_1');
  t.is(authorOf(PEOPLE, 'ada lovelace (ada@example.com)'), 'user:user_1');
  t.is(authorOf(PEOPLE, 'Ada Lovelace'), null, 'two people');
  t.is(authorOf(PEOPLE, 'grace'), 'user:user_2');
  t.is(authorOf(PEOPLE, 'example.com'), null);
  t.is(authorOf(PEOPLE, 'user:user_2'), null);
  t.is(authorOf(PEOPLE, ''), null);
});

test('people match by a part of their name or address, and never by none', (t) => {
  t.deepEqual(peopleLike(PEOPLE, 'LOVE'), ['user_1', 'user_4']);
  t.deepEqual(peopleLike(PEOPLE, 'example'), ['user_1', 'user_2']);
  t.deepEqual(peopleLike(PEOPLE, ' '), []);
});
