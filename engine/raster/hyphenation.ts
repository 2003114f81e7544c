import { createRequire } from 'node:module';

/** TeX patterns in the package `hyphen` under the language's name. Languages that break without a hyphen have none. */
const SAME_NAME =
  'af be bg ca cs cy da es et eu fi fr fur ga gl hr hsb hu hy ia id is it ka kmr la lt lv mk nb nl nn no oc pl pms pt rm ro ru sk sl sq sv tk tr uk';

/** Names of pattern files. Keys are languages, with a subtag if the patterns depend on it (`de-1901`). */
export const PATTERN_NAMES: ReadonlyMap<string, string> = new Map([
  ...SAME_NAME.split(' ').map((name) => [name, name] as const),
  ['bs', 'sh-latn'],
  ['de', 'de-1996'],
  ['de-1901', 'de-1901'],
  ['el', 'el-monoton'],
  ['el-polyton', 'el-polyton'],
  ['en', 'en-us'],
  ...['gb', 'au', 'ie', 'in', 'nz', 'za'].map((region) => [`en-${region}`, 'en-gb'] as const),
  ['mn', 'mn-cyrl'],
  ['sr', 'sr-cyrl'],
  ['sr-latn', 'sh-latn'],
]);

export const hyphenationPatterns = (language: string): string | undefined => {
  const [primary = '', ...subtags] = language.toLowerCase().split('-');
  const special = subtags.map((subtag) => PATTERN_NAMES.get(`${primary}-${subtag}`)).find((name) => name !== undefined);
  return special ?? PATTERN_NAMES.get(primary);
};

type Hyphenate = (word: string) => string;

const isHyphenator = (u: unknown): u is { readonly hyphenateSync: Hyphenate } =>
  typeof u === 'object' && u !== null && 'hyphenateSync' in u && typeof u.hyphenateSync === 'function';

const require = createRequire(import.meta.url);

/** Reading a pattern file takes about ten milliseconds, so only the requested ones are read. */
const hyphenatorOf = (language: string): Hyphenate | null => {
  const name = hyphenationPatterns(language);
  if (name === undefined) return null;
  const found: unknown = require(`hyphen/${name}`);
  return isHyphenator(found) ? found.hyphenateSync : null;
};

const WORD = /[\p{L}\p{M}]{5,}/gu;
/** Addresses, file names, codes, and words whose author has marked the breaks. */
const NOT_HYPHENATED = /[\p{N}@/\\_\u00ad]|[.:]\S/u;

export const withSoftHyphens = (text: string, language: string): string => {
  const hyphenate = hyphenatorOf(language);
  if (hyphenate === null) return text;
  return text.replace(/\S+/gu, (written) =>
    NOT_HYPHENATED.test(written) ? written : written.replace(WORD, (word) => hyphenate(word)),
  );
};
