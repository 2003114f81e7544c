import test from 'ava';
import { isLeft, right } from 'fp-ts/lib/Either.js';
import { parseJson } from '../../../platform/http-server/json-body.ts';

const said = (bytes: Uint8Array): string => {
  const parsed = parseJson(bytes);
  return isLeft(parsed) ? `${parsed.left.tag}: ${parsed.left.message}` : 'nothing';
};

test('JSON decodes to its value', (t) => {
  t.deepEqual(parseJson(Buffer.from('{"a":[1,"é"]}')), right({ a: [1, 'é'] }));
});

test('a body that is not JSON is refused with the reason', (t) => {
  t.regex(said(Buffer.from('{"a":}')), /^invalid: the body is not JSON: Unexpected token '}'/);
});

test('an empty body and broken UTF-8 are named', (t) => {
  t.is(said(Buffer.alloc(0)), 'invalid: the body is empty; it must be a JSON object');
  t.is(said(Buffer.from([0x22, 0xff, 0x22])), 'invalid: the body is not JSON: it is not valid UTF-8');
});
