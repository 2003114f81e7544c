import { createHmac } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import {
  decodeCursor,
  encodeCursor,
  type ListIdentity,
  type ListPosition,
  type Mac,
} from '../../../schemas/http/cursor.ts';
import { runs } from '../../helpers/runs.ts';

const macOf =
  (secret: string): Mac =>
  (bytes) =>
    createHmac('sha256', secret).update(bytes).digest();
const mac = macOf('a secret of the service, long enough');

const text = fc.string({ unit: 'binary', maxLength: 40 }).map((value) => value.toWellFormed());
const listOf: fc.Arbitrary<ListIdentity> = fc.record({
  endpoint: fc.constantFrom('renders' as const, 'projects' as const),
  scope: text,
  status: fc.option(fc.constantFrom('ready', 'complete')),
  order: fc.option(fc.constantFrom('asc' as const, 'desc' as const)),
  search: fc.option(text),
});
const placeOf: fc.Arbitrary<ListPosition> = fc.record({
  tier: fc.integer({ min: 0, max: 2 }),
  position: text.filter((value) => value !== ''),
});

const LIST: ListIdentity = { endpoint: 'renders', scope: 'proj_1', status: null, order: 'desc', search: null };
const PLACE: ListPosition = { tier: 0, position: '1795276800000rend_01KAJX3C00ABCDEFGHJKMNPQRS' };

test('a cursor contains its place, in text that needs no escaping', (t) => {
  fc.assert(
    fc.property(listOf, placeOf, (list, place) => {
      const cursor = encodeCursor(mac, list, place);
      t.regex(cursor, /^[A-Za-z0-9_-]+$/);
      t.true(cursor.length <= 512);
      t.deepEqual(decodeCursor(mac, list, cursor), place);
    }),
  );
});

test('the same place has the same short cursor', (t) => {
  const cursor = encodeCursor(mac, LIST, PLACE);
  t.is(encodeCursor(mac, { ...LIST }, { ...PLACE }), cursor);
  t.is(cursor.length, 83);
});

test('a cursor of another list or another secret is refused', (t) => {
  fc.assert(
    fc.property(listOf, listOf, placeOf, (list, other, place) => {
      fc.pre(JSON.stringify(list) !== JSON.stringify(other));
      t.is(decodeCursor(mac, other, encodeCursor(mac, list, place)), null);
      t.is(decodeCursor(mac, list, encodeCursor(macOf('another secret of the service'), list, place)), null);
    }),
  );
});

test("a cursor depends on each part of the list's identity", (t) => {
  const cursor = encodeCursor(mac, LIST, PLACE);
  const others: readonly Partial<ListIdentity>[] = [
    { endpoint: 'projects' },
    { scope: 'proj_2' },
    { status: 'ready' },
    { order: 'asc' },
    { order: null },
    { search: '' },
  ];
  for (const other of others) t.is(decodeCursor(mac, { ...LIST, ...other }, cursor), null, JSON.stringify(other));
});

test('a changed, shortened, lengthened or swapped cursor is refused', (t) => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  fc.assert(
    fc.property(listOf, placeOf, fc.nat(), fc.nat(), (list, place, at, letter) => {
      const cursor = encodeCursor(mac, list, place);
      const i = at % cursor.length;
      const character = letters.charAt(letter % letters.length);
      const changed = `${cursor.slice(0, i)}${character}${cursor.slice(i + 1)}`;
      const candidates = [
        changed,
        cursor.slice(0, i),
        cursor.slice(i + 1),
        `${cursor.slice(0, i)}${character}${cursor.slice(i)}`,
        `${cursor}${character}`,
        cursor + cursor,
      ];
      for (const candidate of candidates) if (candidate !== cursor) t.is(decodeCursor(mac, list, candidate), null);
    }),
    { numRuns: runs(1_000) },
  );
});

test('a cursor has only one valid spelling', (t) => {
  const places = ['1', '12', '123'].map((position) => ({ tier: 0, position }));
  for (const place of places) {
    const cursor = encodeCursor(mac, LIST, place);
    const bytes = Buffer.from(cursor, 'base64url');
    // Other spellings that Node decodes to the same bytes.
    const others = [
      ...Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', (last) => {
        return cursor.slice(0, -1) + last;
      }),
      bytes.toString('base64'),
      `${cursor}=`,
      `${cursor}==`,
      ` ${cursor}`,
      `${cursor}\n`,
      `${cursor.slice(0, 5)}!${cursor.slice(5)}`,
    ].filter((other) => other !== cursor);
    t.true(others.some((other) => Buffer.from(other, 'base64url').equals(bytes)));
    for (const other of others) t.is(decodeCursor(mac, LIST, other), null, other);
  }
});

test('any foreign text is refused, and a long one before any work', (t) => {
  let calls = 0;
  const counted: Mac = (bytes) => {
    calls += 1;
    return mac(bytes);
  };
  for (const cursor of ['', 'A'.repeat(513), 'A'.repeat(10_000_000), 'é', '\u0000', 'A', 'AQ', 'Ag'.repeat(100)])
    t.is(decodeCursor(counted, LIST, cursor), null);
  t.is(calls, 0);
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.base64String()), (cursor) => {
      t.is(decodeCursor(mac, LIST, cursor), null);
    }),
  );
});

test('an unknown version is refused even if it is signed', (t) => {
  const bytes = Buffer.from(encodeCursor(mac, LIST, PLACE), 'base64url');
  const place = Buffer.concat([Buffer.of(2), bytes.subarray(1, -16)]);
  const { endpoint, scope, status, order, search } = LIST;
  const signature = mac(
    Buffer.concat([Buffer.from(`${JSON.stringify([endpoint, scope, status, order, search])}\0`), place]),
  );
  t.is(decodeCursor(mac, LIST, Buffer.concat([place, signature.subarray(0, 16)]).toString('base64url')), null);
});
