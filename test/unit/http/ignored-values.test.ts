import test from 'ava';
import { ignoredValues } from '../../../render-commands/requesting/ignored-values.ts';
import { faultsUnder } from '../../helpers/openapi.ts';

const FIELDS = ['headline', 'accent', 'logo'];

const of = (...keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, 'x']));

const keysIn = (header: string | null): readonly string[] =>
  Array.from((header ?? '').matchAll(/(?:^|, )"([^"]*)"/g), ([, key]) => decodeURIComponent(key ?? ''));

test('keys that the template lacks are named with the likely field', (t) => {
  t.is(ignoredValues(FIELDS, of('headline', 'accent')), null);
  t.is(ignoredValues(FIELDS, {}), null);
  t.is(ignoredValues(FIELDS, of('headlin', 'logo', 'price')), '"headlin";did-you-mean="headline", "price"');
  t.is(ignoredValues([], of('headline')), '"headline"');
  t.is(ignoredValues(FIELDS, of('Logo')), '"Logo";did-you-mean="logo"');
});

/** Characters that could end the header, the string or the element, or that headers cannot contain. */
const HOSTILE = [
  '',
  '"',
  '\\',
  'a", "b";did-you-mean="c',
  'a\r\nSet-Cookie: b=c',
  '\0',
  'ключ',
  '𝒳',
  '\u202eevil',
  '%0d%0a',
  '__proto__',
  'constructor',
  ' a ',
];

test('any key is one element of a valid header', (t) => {
  const header = ignoredValues(FIELDS, Object.fromEntries(HOSTILE.slice(0, 10).map((key) => [key, 'x'])));
  t.deepEqual(keysIn(header), HOSTILE.slice(0, 10));
  for (const key of HOSTILE) {
    const alone = ignoredValues(FIELDS, Object.fromEntries([[key, 'x']])) ?? '';
    t.regex(alone, /^[\x20-\x7e]+$/, key);
    t.deepEqual(faultsUnder(['components', 'headers', 'Ignored-Values', 'schema'], alone), [], key);
    t.deepEqual(keysIn(alone), [key]);
    t.notThrows(() => new Headers({ 'Ignored-Values': alone }), key);
  }
  t.is(ignoredValues(FIELDS, of('\ud800')), '"%EF%BF%BD"', 'half of a surrogate pair');
});

test('the Ignored-Values header has a maximum length and counts the omitted keys', (t) => {
  const many = Array.from({ length: 200 }, (_, i) => `key${i}`);
  const header = ignoredValues(FIELDS, of(...many)) ?? '';
  t.deepEqual(keysIn(header), many.slice(0, 10));
  t.true(header.endsWith(';more=190'));
  t.deepEqual(keysIn(ignoredValues(FIELDS, of('x'.repeat(5_000)))), [`${'x'.repeat(64)}…`]);
  const wide = ignoredValues(FIELDS, of(...many.map((key) => `${key}${'統'.repeat(100)}`))) ?? '';
  t.true(wide.length <= 1_100, `${wide.length}`);
  t.regex(wide, /;more=\d+$/);
  for (const one of [header, wide])
    t.deepEqual(faultsUnder(['components', 'headers', 'Ignored-Values', 'schema'], one), []);
});
