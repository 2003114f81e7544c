import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { decodeRenderRequest } from '../../../schemas/http/public/render-request.ts';

const plain = { name: 'Spring sale', project_id: 'proj_1' };
const ofTemplate = { ...plain, template_id: 'tpl_1' };
const refusal = (body: unknown) => {
  const decoded = decodeRenderRequest(body);
  return E.isLeft(decoded) ? decoded.left.message : null;
};
const valuesOf = (values: unknown) => {
  const decoded = decodeRenderRequest({ ...ofTemplate, values });
  return E.isRight(decoded) ? decoded.right.values : decoded.left.message;
};

test('a request without a template needs a name and a project id', (t) => {
  const decoded = decodeRenderRequest({ ...plain, colour: 'unknown members are ignored' });
  t.deepEqual(decoded, E.right({ ...plain, template_id: null, values: {}, draft: false }));
  t.deepEqual(decodeRenderRequest({ ...plain, template_id: null, values: null }), decoded);
  t.deepEqual(decodeRenderRequest({ ...plain, values: { price: null } }), decoded);
});

test('only draft: true requests a draft', (t) => {
  const draftOf = (draft: unknown) => {
    const decoded = decodeRenderRequest({ ...plain, draft });
    return E.isRight(decoded) ? decoded.right.draft : decoded.left.message;
  };
  t.is(draftOf(true), true);
  for (const no of [false, null, undefined]) t.is(draftOf(no), false);
  for (const odd of ['true', 1, {}]) t.is(draftOf(odd), 'draft: must be true or false');
});

test('a body that is no JSON object is refused', (t) => {
  for (const body of [undefined, null, [], 'text', 1, true]) t.is(refusal(body), 'the body must be a JSON object');
});

test('a name has 1 to 250 characters as a person counts them', (t) => {
  t.is(refusal({ ...plain, name: 'x'.repeat(250) }), null);
  t.is(refusal({ ...plain, name: '🎬'.repeat(250) }), null);
  t.is(refusal({ ...plain, name: '' }), 'name: must be 1 to 250 characters');
  t.is(refusal({ ...plain, name: 'x'.repeat(251) }), 'name: must be 1 to 250 characters');
  t.is(refusal({ ...plain, name: '🎬'.repeat(251) }), 'name: must be 1 to 250 characters');
  t.is(refusal({ ...plain, name: 'x'.repeat(200_000) }), 'name: must be 1 to 250 characters');
  t.is(refusal({ ...plain, name: 7 }), 'name: must be a string');
  t.is(refusal({ ...plain, name: null }), 'name: must be a string');
  t.is(refusal({ ...plain, name: '\ud800' }), 'name: must not contain a lone surrogate');
});

test('a name is one line without characters that turn the text direction', (t) => {
  const named = (name: string) => refusal({ ...plain, name });
  t.is(named('ab\u0007'), 'name: must not contain control characters (U+0007 at position 3)');
  t.is(named('Two\nlines'), 'name: must not contain control characters (U+000A at position 4)');
  t.is(named('a\u2028b'), 'name: must not contain line separators (U+2028 at position 2)');
  t.is(named('a\u202eb'), 'name: must not contain characters that turn the direction of text (U+202E at position 2)');
  t.is(named('\u2067מבצע'), 'name: must not contain characters that turn the direction of text (U+2067 at position 1)');
  t.is(named('מבצע\u200f (2026)'), null);
  t.is(refusal({ ...ofTemplate, values: { text: 'Two\nlines\u202e' } }), null, 'values are texts, not names');
});

test('all errors of a request are reported together', (t) => {
  t.is(
    refusal({ values: 'x' }),
    'name: is required, 1 to 250 characters; project_id: is required, at least 1 character; values: must be an object',
  );
  t.is(refusal({ ...plain, project_id: '' }), 'project_id: must be at least 1 character');
  t.is(refusal({ ...plain, template_id: '' }), 'template_id: must be at least 1 character');
  t.is(refusal({ ...plain, template_id: 3 }), 'template_id: must be a string');
});

test('numbers and booleans become strings, and null is omitted', (t) => {
  t.deepEqual(valuesOf({ a: 'x', b: 12.5, c: true, d: null, e: '', f: -0 }), {
    a: 'x',
    b: '12.5',
    c: 'true',
    e: '',
    f: '0',
  });
  t.is(
    valuesOf({ price: [1], 7: {} }),
    'values.7: must be a string, a number or a boolean; values.price: must be a string, a number or a boolean',
  );
  for (const values of [[], 'x', 1, false]) t.is(valuesOf(values), 'values: must be an object');
});

test('keys that every object inherits are ordinary keys of values', (t) => {
  const values = valuesOf(JSON.parse('{"__proto__":"x","constructor":"y"}'));
  t.deepEqual(Object.entries(values), [
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
});

test('values without a template are refused', (t) => {
  t.is(
    refusal({ ...plain, values: { price: 1 } }),
    'values: requires a template_id, because only templates have fields',
  );
});

test('values are limited in number, in length and in total', (t) => {
  const entries = (count: number, text = 'x') =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, text]));
  t.is(Object.keys(valuesOf(entries(200))).length, 200);
  t.is(valuesOf(entries(201)), 'values: must have at most 200 entries');
  t.is(Object.keys(valuesOf({ a: '🎬'.repeat(10_000) })).length, 1);
  t.is(valuesOf({ a: '🎬'.repeat(10_001) }), 'values.a: must have at most 10000 characters');
  t.is(valuesOf(entries(14, 'x'.repeat(10_000))), 'values: must be at most 128 KiB in total');
});

test('an error message is short for any keys and any number of errors', (t) => {
  const values = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}${'k'.repeat(1000)}`, {}]));
  const message = String(valuesOf(values));
  t.true(message.length < 2000);
  t.true(message.endsWith('and 20 more'));
});

test('a refusal names the first part at fault for programs', (t) => {
  const partOf = (body: unknown) => {
    const decoded = decodeRenderRequest(body);
    return E.isLeft(decoded) ? [decoded.left.code, decoded.left.param] : [];
  };
  t.deepEqual(partOf({ ...plain, name: 7, project_id: '' }), ['invalid_field', 'name']);
  t.deepEqual(partOf({ ...ofTemplate, values: { 7: {}, price: [] } }), ['invalid_field', 'values.7']);
  t.deepEqual(partOf({ ...plain, values: { price: 1 } }), ['invalid_field', 'values']);
  t.deepEqual(partOf([]), ['invalid_request', undefined]);
});

test('any JSON gives a request or a message, and no message contains values', (t) => {
  const secret = 'do-not-tell';
  const json = fc.letrec((tie) => ({
    any: fc.oneof(fc.constant(secret), fc.jsonValue(), fc.array(tie('any')), fc.dictionary(fc.string(), tie('any'))),
  })).any;
  const field = fc.oneof(json, fc.string());
  const body = fc.record({ name: field, project_id: field, template_id: field, values: json }, { requiredKeys: [] });
  fc.assert(
    fc.property(fc.oneof(body, json), (candidate) => {
      const message = refusal(candidate);
      t.true(message === null || (message.length > 0 && !message.includes(secret)));
    }),
  );
});
