import { PLAIN } from './_world.ts';

/**
 * Inputs long enough to show quadratic time. Each consists of characters that a part of the service repeats: digits,
 * blanks, letters, ends of addresses, marks that normalisation sorts, characters that become eighteen.
 */

const REPEATED: readonly (readonly [pump: string, suffix: string])[] = [
  ['9', '!'],
  ['0', 'x'],
  [' ', 'x'],
  ['\t', '!'],
  ['a', '!'],
  ['ab', '\u0000'],
  ['/', 'x'],
  ['-', '\u0000'],
  ['.', '/'],
  ['=', ' '],
  ['%', 'x'],
  [',', ';'],
  ['"', '\\'],
  ['a.', '@'],
  ['https://', '#'],
  ['{', ''],
  ['\u0301', 'x'],
  ['\u0323\u0301', 'x'],
  ['\ufdfa', 'x'],
  ['🎬', 'x'],
  ['🇩🇪', '\u200d'],
  ['\u200b', 'x'],
];

export const longTexts = (length: number): readonly string[] =>
  REPEATED.map(([pump, suffix]) => pump.repeat(Math.floor(length / pump.length)) + suffix);

const plainTexts = (length: number): readonly string[] =>
  longTexts(length).filter((text) => /^[!-~]+$/.test(text) && !/[#"\\{]/.test(text));

const LONGEST_VALUE = 9_990;
const LONGEST_HEADER = 14_000;
const LARGE = 200_000;

const FIELDS = ['headline', 'accent', 'logo', 'size', 'show'];

/** Bodies of POST /v1/renders. */
export const longRenderBodies = (): readonly string[] => [
  ...longTexts(LONGEST_VALUE).flatMap((text) => {
    const values = Object.fromEntries(FIELDS.map((field) => [field, text]));
    const keys = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`${i}${text}`, 'x']));
    return [
      { ...PLAIN, template_id: 'tpl_sale', values },
      { ...PLAIN, template_id: 'tpl_sale', values: keys },
      { ...PLAIN, name: text },
    ].map((body) => JSON.stringify(body));
  }),
  ...longTexts(LARGE / 4).flatMap((text) =>
    [
      { ...PLAIN, project_id: text },
      { ...PLAIN, template_id: text },
      { name: text, project_id: text },
    ].map((body) => JSON.stringify(body)),
  ),
  ...largeBodies(),
];

export const largeBodies = (): readonly string[] => [
  JSON.stringify({ ...PLAIN, values: Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i])) }),
  JSON.stringify({ ...PLAIN, ...Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, i])) }),
  JSON.stringify({ ...PLAIN, values: Array.from({ length: 60_000 }, () => 1) }),
  `{"name":"x","project_id":"proj_1","more":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  `{"name":"x","project_id":"proj_1","more":${'{"a":'.repeat(40_000)}1${'}'.repeat(40_000)}}`,
  `{"name":"x","project_id":"proj_1","more":${'9'.repeat(LARGE)}}`,
  `{"name":"x","project_id":"proj_1","more":"${'\\u0061'.repeat(40_000)}"}`,
  ' '.repeat(LARGE),
  `"${'a'.repeat(LARGE)}`,
];

export const longBodies = (members: readonly string[], length: number): readonly string[] =>
  longTexts(length).flatMap((text) => [
    JSON.stringify(Object.fromEntries(members.map((member) => [member, text]))),
    JSON.stringify(Object.fromEntries(members.map((member) => [member, [text, text]]))),
  ]);

const PARAMETERS = ['limit', 'cursor', 'search', 'status', 'order', 'project_id', 'team_id', 'since', 'actor', 'kind'];

/**
 * Addresses with a long segment or parameter.
 *
 * @param paths without a query; the last segment can be an id
 */
export const longAddresses = (paths: readonly string[]): readonly string[] =>
  paths.flatMap((path) => [
    ...plainTexts(LONGEST_HEADER).map((text) => `${path}/${text}`),
    ...plainTexts(LONGEST_HEADER / PARAMETERS.length - 20).map(
      (text) => `${path}?${PARAMETERS.map((name) => `${name}=${text}`).join('&')}`,
    ),
    ...longTexts(1_000).map((text) => `${path}?project_id=proj_1&search=${encodeURIComponent(text.toWellFormed())}`),
    `${path}?project_id=proj_1&limit=${'0'.repeat(LONGEST_HEADER)}x`,
    `${path}?project_id=proj_1&cursor=${'A'.repeat(LONGEST_HEADER)}`,
    `${path}?${'a&'.repeat(LONGEST_HEADER / 2)}`,
    `${path}?${'a=b&'.repeat(99)}`,
    `${path}/${'a/'.repeat(LONGEST_HEADER / 2)}`,
    `${path}/${'%61'.repeat(LONGEST_HEADER / 3)}`,
  ]);

const HEADERS = [
  'accept',
  'accept-encoding',
  'authorization',
  'content-type',
  'cookie',
  'idempotency-key',
  'if-none-match',
  'last-event-id',
  'origin',
  'traceparent',
  'user-agent',
  'x-forwarded-for',
];

export const longHeaders = (): readonly Readonly<Record<string, string>>[] => [
  ...HEADERS.flatMap((name) => plainTexts(LONGEST_HEADER).map((text) => ({ [name]: text }))),
  ...plainTexts(LONGEST_HEADER).map((text) => ({ authorization: `Bearer ${text}` })),
  ...[' ', 'a ', ' \t'].map((pump) => ({ authorization: `Bearer ${pump.repeat(LONGEST_HEADER / pump.length)}x` })),
  { cookie: 'a=b; '.repeat(LONGEST_HEADER / 5) },
  { cookie: `video_session=${'a'.repeat(LONGEST_HEADER)}` },
  { cookie: 'video_session=a; '.repeat(LONGEST_HEADER / 20) },
  { 'accept-encoding': 'gzip; q=0.0 '.repeat(LONGEST_HEADER / 12) },
  { 'accept-encoding': `gzip;q=0.${'0'.repeat(LONGEST_HEADER)}x` },
  { 'accept-encoding': 'gzip;'.repeat(LONGEST_HEADER / 5) },
  { 'if-none-match': 'W/"a", '.repeat(LONGEST_HEADER / 8) },
  { 'content-type': `application/json${'; charset=utf-8'.repeat(LONGEST_HEADER / 20)}` },
  { 'x-forwarded-for': '::1, '.repeat(LONGEST_HEADER / 6) },
];
