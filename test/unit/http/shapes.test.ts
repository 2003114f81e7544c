import test from 'ava';
import * as E from 'fp-ts/lib/Either.js';
import { ApiKeyRequest, RotateRequest } from '../../../schemas/http/management/keys.ts';
import {
  conditionalMember,
  decodeShape,
  integer,
  listOf,
  object,
  oneOf,
  optional,
  orNull,
  resource,
  subsetOf,
  text,
} from '../../../schemas/http/shapes.ts';

const KEY = { name: 'shop', kind: 'service', expires_at: null };

const refused = (param: string, message: string) => E.left({ code: 'invalid_field' as const, message, param });

test('a body names every member at fault, and no value', (t) => {
  t.deepEqual(
    decodeShape(ApiKeyRequest, { kind: 'secret', team_ids: [''], expires_at: -1 }),
    refused(
      'name',
      [
        'name: is required, as a string',
        'kind: is required, as one of personal, service',
        'team_ids: must be a list of 1 to 200 strings',
        'expires_at: is required, as milliseconds since the epoch, or null',
      ].join('; '),
    ),
  );
  t.deepEqual(
    decodeShape(RotateRequest, { overlap_s: 0.5, expires_at: null }),
    refused('overlap_s', 'overlap_s: is required, as a whole number from 0 to 7776000'),
  );
  t.deepEqual(decodeShape(ApiKeyRequest, { ...KEY, name: '' }), refused('name', 'name: must be at least 1 character'));
  t.deepEqual(
    decodeShape(ApiKeyRequest, { ...KEY, name: '\ud800' }),
    refused('name', 'name: must not contain a lone surrogate'),
  );
  t.deepEqual(
    decodeShape(ApiKeyRequest, { ...KEY, name: 'x'.repeat(501) }),
    refused('name', 'name: must have at most 500 characters'),
  );
});

test('decoding drops unknown members and fills optional ones with null', (t) => {
  t.deepEqual(
    decodeShape(ApiKeyRequest, { ...KEY, more: 1 }),
    E.right({ ...KEY, kind: 'service', team_ids: null, scopes: null }),
  );
  const { expires_at: _, ...without_end } = KEY;
  t.true(E.isLeft(decodeShape(ApiKeyRequest, without_end)), 'null is required if a member is not optional');
});

test('a list of words has the order of the set and no repetitions', (t) => {
  const words = ['a', 'b', 'c'] as const;
  const Shape = object('', { words: subsetOf(oneOf(words, ''), words, '', 1) });
  t.deepEqual(decodeShape(Shape, { words: ['c', 'a', 'a'] }), E.right({ words: ['a', 'c'] }));
  for (const wrong of [[], ['d'], ['a', 'a', 'a', 'a'], 'a', null])
    t.deepEqual(
      decodeShape(Shape, { words: wrong }),
      refused('words', 'words: is required, as a list of some of a, b, c'),
    );
});

test('encoding keeps only the members of the shape, at every depth, in its order', (t) => {
  const Inner = object('', { n: integer('') });
  const Outer = object('', { list: listOf(Inner, ''), one: orNull(Inner, ''), at: conditionalMember(text('')) });
  const inner = { secret: 1, n: 2 };
  const encoded = Outer.encode({ one: inner, list: [inner] });
  t.is(JSON.stringify(encoded), JSON.stringify({ list: [{ n: 2 }], one: { n: 2 } }));
  t.is(JSON.stringify(Outer.encode({ at: 'x', one: null, list: [] })), '{"list":[],"one":null,"at":"x"}');
});

test('a named shape is a reference in use and a definition in the document', (t) => {
  const Named = resource('Named', 'A.', { n: integer('N.', { minimum: 1 }) });
  const User = resource('User', 'B.', {
    named: Named,
    maybe: optional(Named, 'C.'),
    at: conditionalMember(text('D.')),
  });
  t.deepEqual(Named.schema, { $ref: '#/components/schemas/Named' });
  t.deepEqual(User.definition, {
    ...{ type: 'object', description: 'B.', required: ['named'] },
    properties: {
      named: { $ref: '#/components/schemas/Named' },
      maybe: { anyOf: [{ $ref: '#/components/schemas/Named' }, { type: 'null' }], description: 'C.' },
      at: { type: 'string', description: 'D.' },
    },
  });
});
