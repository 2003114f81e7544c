import test from 'ava';
import fc from 'fast-check';
import * as E from 'fp-ts/lib/Either.js';
import { renderIdTime } from '../../../domain/render/render-id.ts';
import { idempotencyKey } from '../../../platform/http-server/idempotency-key.ts';
import { keyedRequests } from '../../../render-commands/requesting/keyed-request.ts';

const keyed = keyedRequests('a secret of the stack, long enough');
const right = (account_id: string, key: string, body: unknown) => {
  const found = keyed(account_id, key, body);
  if (E.isLeft(found)) throw new Error(found.left);
  const { render_id, hashFor } = found.right;
  return { render_id, request_hash: hashFor(3), bound_hash: hashFor(4) };
};
const sent = (header: string | undefined) =>
  idempotencyKey({ headers: header === undefined ? {} : { 'idempotency-key': header } });

test('a key is 1 to 255 visible ASCII characters, sent once', (t) => {
  t.deepEqual(sent(undefined), E.right(null));
  for (const key of ['a', '"8e03978e-40d5-43dd-bc93-6894a57f9324"', '!~', 'x'.repeat(255)]) {
    t.deepEqual(sent(key), E.right(key));
  }
  // Two headers arrive as one, with a comma and a space.
  for (const key of ['', ' ', 'a b', 'a, b', ', ', 'x'.repeat(256), 'schl\u00fcssel', '\u00e9', '\t', '\u007f']) {
    const fault = sent(key);
    t.true(
      E.isLeft(fault) && fault.left.message.startsWith('Idempotency-Key: ') && fault.left.param === 'Idempotency-Key',
      key,
    );
  }
});

test('an account and an Idempotency-Key determine one render id, with time 0', (t) => {
  const { render_id } = right('acc_1', 'order-1', {});
  t.regex(render_id, /^rend_0{10}[0-9A-HJKMNP-TV-Z]{16}$/);
  t.is(renderIdTime(render_id), 0);
  t.is(right('acc_1', 'order-1', { another: 'body' }).render_id, render_id);
  t.not(right('acc_2', 'order-1', {}).render_id, render_id);
  t.not(right('acc_1', 'order-2', {}).render_id, render_id);
  t.not(right('acc_', '1order-1', {}).render_id, render_id);
  const other = keyedRequests('another secret of another stack')('acc_1', 'order-1', {});
  t.true(E.isRight(other) && other.right.render_id !== render_id);
});

test('ids and hashes are stable, because the log has them', (t) => {
  const body = { name: 'Größe', project_id: 'proj_1', values: { b: 2.5, a: null, ä: true, A: [1, 'x'] } };
  t.deepEqual(right('acc_01JD0000000000000000000000', 'order-4711', body), {
    render_id: 'rend_0000000000K99FNXEN0814ZYBE',
    request_hash: '365609b46d508cf7361f113e89e68c7b6cef53fbaddfd49a40de9888e765b2f7',
    bound_hash: '7d2266a138dacd530ed80d6d8114923b91bbadde44ff5a6f608df5e8884fa303',
  });
});

test('ids do not collide, and use every digit', (t) => {
  const ids = Array.from({ length: 10_000 }, (_, i) => right('acc_1', String(i), null).render_id);
  t.is(new Set(ids).size, ids.length);
  const last = new Set(ids.map((id) => id.at(-1)));
  const first = new Set(ids.map((id) => id.at(-16)));
  t.deepEqual([last.size, first.size], [32, 32]);
});

test('the hash depends on the meaning of the body, not on its spelling', (t) => {
  const hashOf = (text: string) => right('acc_1', 'k', JSON.parse(text)).request_hash;
  const hash = hashOf('{"name": "x", "values": {"a": "1", "b": 2}}');
  t.regex(hash, /^[0-9a-f]{64}$/);
  t.is(hashOf('{"values":{"b":2.0,"a":"\\u0031"},"name":"x"}'), hash);
  for (const other of [
    '{"name": "x", "values": {"a": "1", "b": "2"}}',
    '{"name": "x", "values": {"a": "1", "b": 2}, "template_id": null}',
    '{"name": "x ", "values": {"a": "1", "b": 2}}',
    '{"name": "x", "values": [{"a": "1", "b": 2}]}',
    '{"name": "x", "values": {"a": "1", "b": 2, "__proto__": {}}}',
    'null',
  ])
    t.not(hashOf(other), hash, other);
});

test('bodies that differ have different hashes', (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const [x, y] = [a, b].map((body) => right('acc_1', 'k', body).request_hash);
      t.is(x === y, JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)));
    }),
  );
});

test('since version 4, equal bodies of two renders have different hashes', (t) => {
  const [one, other] = [right('acc_1', 'k', {}), right('acc_2', 'k', {})];
  t.is(one.request_hash, other.request_hash);
  t.not(one.bound_hash, other.bound_hash);
  t.is(one.bound_hash, right('acc_1', 'k', {}).bound_hash);
  t.not(one.bound_hash, right('acc_1', 'k', { another: 'body' }).bound_hash);
  t.not(one.bound_hash, one.request_hash);
});

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([key, member]) => [key, sorted(member)])
    .concat([['{}', '']])
    .sort();
};

test('ambiguous or too deep bodies are refused', (t) => {
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
  t.true(E.isRight(keyed('acc_1', 'k', nested(64))));
  t.deepEqual(keyed('acc_1', 'k', nested(65)), E.left('the body is nested more than 64 levels deep'));
  t.true(E.isLeft(keyed('acc_1', 'k', nested(100_000))));
  t.deepEqual(keyed('acc_1', 'k', JSON.parse('{"a": [1e999]}')), E.left('the body holds a number that is too large'));
});
