import fc from 'fast-check';
import { ulid } from 'ulid';
import { renderId } from '../../../domain/render/render-id.ts';

const ODD = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\r\nSet-Cookie: a=b',
  '\u2028',
  '\u202e',
  '\ud800',
  '👩‍👩‍👧‍👦',
  'İ',
  'ﬁ',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
  '$ne',
  '$where',
  '{"$gt":""}',
  '[object Object]',
  '..',
  '../../etc/passwd',
  '%00',
  '%',
  '.*',
  '^(a+)+$',
  "' OR 1=1 --",
  '<script>',
  '{{7*7}}',
  '-1',
  '-0',
  '0',
  '00000000000000000000',
  '1.5',
  '1e309',
  '0x10',
  'NaN',
  '9007199254740993',
  '4294967296',
  'null',
  'true',
  'rend_',
  'rend_01JD0000000000000000000001',
  'rend_7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
  renderId(`0000000000${ulid(0).slice(10)}`),
];
const KNOWN = [
  'proj_1',
  'proj_2',
  'proj_empty',
  'team_1',
  'team_2',
  'user_1',
  'tpl_sale',
  'complete',
  'asc',
  'desc',
  'sale',
  '20',
];

export const text: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...KNOWN),
  fc.constantFrom(...ODD),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 10 }).map((units) => String.fromCharCode(...units)),
  fc
    .tuple(fc.constantFrom('x', 'é', '🎬', '%', 'a b '), fc.integer({ min: 1, max: 2_000 }))
    .map(([one, n]) => one.repeat(n)),
);

/** Encodes as a client's library does, without unencodable characters. */
const encoded = (value: string): string => encodeURIComponent(value.toWellFormed());
/** Bytes that are invalid UTF-8, encoded twice, truncated or unencoded. */
const misencoded = fc.constantFrom(
  '%ff',
  '%C0%80',
  '%ED%A0%80',
  '%F4%90%80%80',
  '%25%30%30',
  '%2',
  '%zz',
  '%%',
  '+',
  '%2B',
  '%2F',
  '%5c',
  ';',
  '&',
  '=',
  '[]',
  'é',
);

const part: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: text.map(encoded) },
  { weight: 1, arbitrary: misencoded },
);

const PARAMETERS = ['project_id', 'team_id', 'template_id', 'limit', 'cursor', 'search', 'status', 'order', 'id'];
const name = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PARAMETERS) },
  { weight: 1, arbitrary: fc.constantFrom(...PARAMETERS).map((one) => `${one}[]`) },
  { weight: 1, arbitrary: fc.constantFrom(...PARAMETERS).map((one) => `${one}[$ne]`) },
  { weight: 1, arbitrary: part },
);
const query = fc
  .array(fc.tuple(name, part), { maxLength: 6 })
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map(([key, value]) => `${key}=${value}`).join('&')}`));

/** Passes the required parameters, so that the other ones are checked too. */
const required = fc.constantFrom('', '?project_id=proj_1', '?team_id=team_1', '?project_id=proj_1&team_id=team_1');

const path = fc.oneof(
  fc.constantFrom('renders', 'templates', 'projects', 'teams', 'users'),
  fc
    .tuple(fc.constantFrom('renders', 'templates', 'projects', 'teams', 'users'), part)
    .map(([one, id]) => `${one}/${id}`),
  part.map((id) => `renders/${id}/transitions`),
  fc.array(part, { maxLength: 3 }).map((parts) => parts.join('/')),
);

export const address: fc.Arbitrary<string> = fc
  .tuple(path, required, query)
  .map(([one, first, more]) => `/v1/${one}${first}${first === '' ? more : more.replace('?', '&')}`);

const HEADERS = [
  'accept',
  'accept-encoding',
  'accept-language',
  'accept-version',
  'cookie',
  'content-type',
  'forwarded',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'if-modified-since',
  'origin',
  'range',
  'traceparent',
  'x-forwarded-host',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-http-method-override',
  'x-request-id',
];
const headerValue = fc.oneof(
  fc.constantFrom(
    '',
    '*',
    '*/*',
    '~1',
    '999',
    '1.x',
    'bytes=0-',
    'DELETE',
    'gzip;q=nonsense',
    'null',
    'evil.example',
    'a,b,,c;',
  ),
  fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((one) => String.fromCharCode(one)), maxLength: 300 }),
  fc.string({ unit: fc.integer({ min: 0xa1, max: 0xff }).map((one) => String.fromCharCode(one)), maxLength: 20 }),
);

/** Any header except those of the key and the body's length. */
export const headers: fc.Arbitrary<Readonly<Record<string, string>>> = fc
  .array(fc.tuple(fc.constantFrom(...HEADERS), headerValue), { maxLength: 4 })
  .map((pairs) => Object.fromEntries(pairs));

const field = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('proj_1', 'tpl_sale', 'x', '') },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: fc.constantFrom(0, -0, 1e308, 5e-324, 2 ** 53, null, true) },
);
const valueKey = fc.oneof(
  fc.constantFrom('headline', 'size', 'logo', 'show', 'accent', '__proto__', 'constructor'),
  text,
);
const values = fc.oneof(fc.dictionary(valueKey, field), fc.jsonValue());
const request = fc.record({ name: field, project_id: field, template_id: field, values }, { requiredKeys: [] });
const nearly = fc
  .record(
    { template_id: field, values: fc.dictionary(valueKey, field, { maxKeys: 3 }), name: field },
    { requiredKeys: [] },
  )
  .map((parts) => ({ name: 'x', project_id: 'proj_1', template_id: 'tpl_sale', ...parts }));

const nested = (depth: number, open: string, close: string): string => `${open.repeat(depth)}1${close.repeat(depth)}`;
const BARE = '"name":"x","project_id":"proj_1"';
const ODD_BODIES = [
  '',
  ' ',
  'null',
  '{',
  '\ufeff{}',
  `\ufeff{${BARE}}`,
  `{${BARE},"name":5}`,
  `{"__proto__":{"name":"x"},"constructor":{"prototype":{"project_id":"proj_1"}}}`,
  `{${BARE},"values":{"__proto__":{"headline":"x"}}}`,
  `{${BARE},"template_id":"tpl_sale","values":{"size":1e400}}`,
  `{${BARE},"template_id":"tpl_sale","values":{"size":-0}}`,
  `{${BARE},"more":1e400}`,
  '{"name":"\\ud800","project_id":"proj_1"}',
  '{"name":"x","project_id":"\\u0000"}',
  nested(10_000, '[', ']'),
  nested(20_000, '{"a":', '}'),
  `{${BARE},"template_id":"tpl_sale","values":${nested(5_000, '[', ']')}}`,
  `{${BARE},"more":${nested(60_000, '[', ']')}}`,
  `{${BARE},${Array.from({ length: 5_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
];

export const bodyText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: nearly.map((body) => JSON.stringify(body)) },
  { weight: 3, arbitrary: request.map((body) => JSON.stringify(body)) },
  { weight: 1, arbitrary: fc.jsonValue().map((body) => JSON.stringify(body)) },
  { weight: 1, arbitrary: text },
  { weight: 2, arbitrary: fc.constantFrom(...ODD_BODIES) },
);
