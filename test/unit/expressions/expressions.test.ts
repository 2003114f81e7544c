// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources of expressions that have templates in them
// biome-ignore-all lint/complexity/noUselessStringRaw: all of them are written in the same way
import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { NAME_PATTERN } from '../../../domain/shape/text-rules.ts';
import { allExpressions, expressionsIn, type Found, sourceFiles } from './_find.ts';
import { type Allowed, slowText } from './_slowness.ts';

/** The largest body of a request. Headers have 16 KiB and values 10,000 characters, so no text is longer. */
const LONGEST_BODY = 256 * 1024;
const USUAL: Allowed = { length: LONGEST_BODY, ms: 20 };

/**
 * Exceptions for expressions with shorter texts or longer time limits. The key is the file and the start of the source.
 */
const ALLOWED: ReadonlyMap<string, Allowed> = new Map([
  // A name has 250 code points, and NFKD expands each to at most 18.
  ['domain/search/words.ts /[\\p{M}&&', { length: 10_000, ms: 5 }],
  // File names have 255 bytes, and NFKD expands each to at most 18 characters.
  ['cli/catalogue/asset-files.ts /', { length: 5_000, ms: 5 }],
  // Names have 250 code points, and NFKD expands each to at most 18. Others are typed in the browser that searches.
  ['dashboard/source/search/hits.ts /\\p{M}', { length: 5_000, ms: 5 }],
  // Runs on at most 200 characters: `MAX_SHORTHAND` in picture-warnings.ts.
  ['cli/catalogue/picture-warnings.ts /^.*(?<!', { length: 200, ms: 5 }],
  // Runs on texts of at most 500 characters, escaped: `LONGEST_WITH_ALL` in text-markup.ts.
  ['engine/raster/text-markup.ts new RegExp(`${BEFORE_IDEOGRAPH}', { length: 10_000, ms: 5 }],
  // A text has 10,000 code points. Linear, but each place is compared with all emoji. It runs only in the raster
  // program, a process of one render, and never in an API.
  ['engine/raster/face-runs.ts /\\p{RGI_Emoji}', { length: 20_000, ms: 100 }],
  ['engine/raster/face-runs.ts new RegExp(', { length: 20_000, ms: 100 }],
]);

/** An example of each expression that the running program makes from its own words. New ones are added here. */
const OF_WORDS: ReadonlyMap<string, RegExp> = new Map([
  ['cli/commands/arguments.ts new RegExp(`^${prefix}_[A-Za-z0-9_-]{1,64}$`)', /^proj_[A-Za-z0-9_-]{1,64}$/],
  ["schemas/http/shapes.ts new RegExp(pattern, 'u')", new RegExp(NAME_PATTERN, 'u')],
  ["domain/shape/text-rules.ts new RegExp(`[${set}]`, 'u')", /[\u202a-\u202e\u2066-\u2069]/u],
  ["domain/search/words.ts new RegExp(`[${[...ALIKE.keys()].join('')}]`, 'gu')", /[øłđðħŧþæœς]/gu],
  ["platform/sandbox/limits.ts new RegExp(`^${name} +\\\\S+ +(\\\\d+)`, 'm')", /^Max open files +\S+ +(\d+)/m],
  [
    "engine/raster/paragraph-direction.ts new RegExp(`(?<![^\\n\\u2028\\u2029])${MARKS.ltr}(?!${RIGHT_TO_LEFT.source})(?=\\\\p{L})`, 'gu')",
    /(?<![^\n\u2028\u2029])\u200e(?![\u0590-\u08ff\u200f])(?=\p{L})/gu,
  ],
  [
    "engine/raster/text-markup.ts new RegExp(`[\\u00ad\\u200b\\u200e\\u200f\\u2060\\u2066-\\u2069]|${JOINED_LETTERS}`, 'gv')",
    /[\u00ad\u200b]|[[\p{scx=Arab}\p{scx=Syrc}]--[\p{M}\p{N}\p{P}]][[\p{scx=Arab}\p{M}\u200c\u200d]--[\p{N}\p{P}]]*/gv,
  ],
  ['engine/media/packet-count.ts new RegExp(`"${name}": "(-?[0-9.]+)"`)', /"pts_time": "(-?[0-9.]+)"/],
]);

const keyOf = ({ at, text }: Found): string => `${at.replace(/:\d+$/, '')} ${text}`;

const allowedOf = (found: Found): Allowed => {
  const key = keyOf(found);
  for (const [beginning, allowed] of ALLOWED) if (key.startsWith(beginning)) return allowed;
  return USUAL;
};

const shown = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);

const slownessOf = (found: Found): string | null => {
  const expression = found.expression ?? OF_WORDS.get(keyOf(found));
  if (expression === undefined) return `${found.at}: ${found.text} is made at run time: add an example to OF_WORDS`;
  const slow = slowText({ expression, everywhere: found.everywhere }, allowedOf(found));
  if (slow === null) return null;
  const { prefix, pump, suffix, length, ms } = slow;
  const text = `${shown(prefix)}, ${shown(pump)} repeated, ${shown(suffix)}, ${length} characters together`;
  return `${found.at}: ${found.text} takes ${ms.toFixed(1)} ms for ${text}`;
};

const slowIn = (code: string): string | null => {
  const found = expressionsIn('planted.ts', code).at(-1);
  if (found === undefined) throw new Error(`no expression: ${code}`);
  return slownessOf(found);
};

/** Checks each in its own turn of the event loop, so that the test runner sees a live process. */
const slownesses = async <A>(all: readonly A[], slowness: (one: A) => string | null): Promise<(string | null)[]> => {
  const found: (string | null)[] = [];
  for (const one of all) {
    await setImmediate();
    found.push(slowness(one));
  }
  return found;
};

test('no regular expression of the source is slow on any text', async (t) => {
  t.timeout(400_000);
  const all = allExpressions();
  const distinct = [...new Map(all.map((found) => [`${found.text} ${found.everywhere}`, found])).values()];
  t.deepEqual((await slownesses(distinct, slownessOf)).filter(Boolean), []);
  // Fails if the search finds nothing by mistake.
  t.true(all.length > 200, `${all.length}`);
  for (const path of ['domain/composition/field-values.ts', 'dashboard/source/shell/shell.tsx', 'gateway/upstream.ts'])
    t.true(sourceFiles().includes(path), path);
});

test('every expression that the tables name is in the source', (t) => {
  const keys = allExpressions().map(keyOf);
  for (const key of [...ALLOWED.keys(), ...OF_WORDS.keys()])
    t.true(
      keys.some((one) => one.startsWith(key)),
      key,
    );
});

/**
 * Quadratic, cubic and exponential expressions: earlier ones of this repository, and publicly known vulnerable ones.
 */
const SLOW = [
  // Formerly in domain/composition/field-values.ts, schemas/http/list-request.ts, and the ends of addresses and texts.
  String.raw`/^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i`,
  String.raw`/^0*(\d+)$/`,
  String.raw`/\/+$/`,
  String.raw`/^-+|-+$/g`,
  String.raw`/\.?0+$/`,
  String.raw`/[\p{Z}\p{Cc}\p{Bidi_Control}\u200b\u2060]+$/u`,
  String.raw`/\[(.*?)\]\(.*?\)/g`,
  String.raw`/^(a+)+$/`,
  String.raw`/(a|a)*$/`,
  String.raw`/^(a|aa)+$/`,
  String.raw`/^(\w+\s?)*$/`,
  String.raw`/(x+x+)+y/`,
  String.raw`/^(([a-z])+.)+[A-Z]([a-z])+$/`,
  String.raw`/^([a-zA-Z0-9_.-])+@(([a-zA-Z0-9-])+\.)+([a-zA-Z0-9]{2,4})+$/`,
  String.raw`/^(?:(?:[^"\\]+)*|\\.)*"/`,
  String.raw`/\s+$/`,
  String.raw`/^\s+|\s+$/g`,
  String.raw`/\s*,\s*/`,
  String.raw`/<!--.*?-->/gs`,
  String.raw`/\$\{[^}]*\}/g`,
  String.raw`/^.*=.*;.*$/`,
  String.raw`/([^=]+=)+$/`,
  String.raw`/D[oD]?(\[[^\[\]]*\]|\s+)+MMMM?/`,
  String.raw`/^(?=.*a.*b.*c)\w+$/`,
  String.raw`/(?:^|\s)(\S+\s+)*end/`,
  String.raw`/(\d+)-(\d+)x/`,
  String.raw`/("[^"]*"|[^,]*)*;/`,
  String.raw`/^Bearer\s+\s*(\S+)$/i`,
  String.raw`/[[a-z]&&[^q]]+\d/v`,
  "new RegExp('(b+)+c')",
  "const W = 'a*'; new RegExp(`^${W}a*$`)",
  String.raw`const W = /c+$/; new RegExp(W.source, 'g')`,
  'text.split(/(?:;+,)/)',
  "text.match('(x*)*y')",
];

test('slow expressions are found', async (t) => {
  t.timeout(400_000);
  const found = await slownesses(SLOW, slowIn);
  for (const [i, code] of SLOW.entries()) t.regex(found[i] ?? 'fast', / takes /, code);
});

const FAST = [
  String.raw`/^\s*[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?\s*$/i`,
  String.raw`/(?<!\/)\/+$/`,
  String.raw`/^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64})?$/`,
  String.raw`/^Bearer +([^\s]+) *$/i`,
  String.raw`/^(?:[^"\\]|\\.)*"$/`,
  String.raw`/(?<!\p{L})\p{L}+\P{L}/gu`,
  String.raw`/[[a-z]--[aeiou]]+/gv`,
  String.raw`/^(a|b|[c-f])*$/`,
  String.raw`/[^,]+/g`,
];

test('fast expressions do not count as slow', async (t) => {
  t.deepEqual(
    await slownesses(FAST, slowIn),
    FAST.map(() => null),
  );
});

test('an expression that is only known at run time is named', (t) => {
  t.regex(slowIn('export const f = (word) => new RegExp(`^${word}$`);') ?? '', /add an example/);
});
