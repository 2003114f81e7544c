/**
 * A search finds a word by its prefixes up to this length. It finds a longer word by its first 64 code points, or as a
 * whole.
 */
const LONGEST_PREFIX_CODE_POINTS = 64;

/**
 * The limit on a name's size in a read model. The log may contain longer names. A name of 250 code points stays below
 * it, unless most of them are compatibility characters that expand to whole phrases.
 */
const LONGEST_FOLDED_CODE_POINTS = 1_000;

/**
 * Accents and vowel points of alphabets. The vowel signs of Indic scripts and of Thai are also marks, but their readers
 * see them as letters, so they stay. Kana lose their voicing marks, as in dictionaries.
 */
const ACCENTS =
  /[\p{M}&&[\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]]/gv;

/** Soft hyphens, joiners and direction marks are invisible, so they do not separate words. A zero width space does. */
const INVISIBLE = /[\p{Cf}--\u{200B}]/gv;

/**
 * Letters with a stroke and similar ones, which Unicode does not decompose; and the final sigma, which equals sigma.
 */
const ALIKE: ReadonlyMap<string, string> = new Map([
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['ħ', 'h'],
  ['ŧ', 't'],
  ['þ', 'th'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ς', 'σ'],
]);
const HAS_ALIKE = new RegExp(`[${[...ALIKE.keys()].join('')}]`, 'gu');

const NO_WORD = /[^\p{L}\p{N}\p{M}]+/u;

/** Goes through upper case, which turns ß into SS, so that all spellings match. Folds each code point independently. */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(INVISIBLE, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .replace(HAS_ALIKE, (letter) => ALIKE.get(letter) ?? letter);

const codePoints = (text: string, most: number): string => Array.from(text).slice(0, most).join('');

/**
 * The words of a text in their order, with repetitions and without accents, case and compatibility forms. Every
 * character other than a letter, mark or digit separates words. In a script without spaces, each run is one word.
 */
export const searchWordsOf = (text: string): readonly string[] =>
  codePoints(folded(text), LONGEST_FOLDED_CODE_POINTS)
    .split(NO_WORD)
    .filter((word) => word !== '');

export const nameKey = (text: string): string => searchWordsOf(text).join(' ');

const exactToken = (scope: string, words: readonly string[]): string => `${scope}:!${words.join(' ')}`;
const wordToken = (scope: string, word: string): string => `${scope}:=${word}`;
const prefixToken = (scope: string, prefix: string): string => `${scope}:${prefix}`;

const prefixesOf = (word: string): readonly string[] => {
  const prefixes: string[] = [];
  let prefix = '';
  for (const letter of Array.from(word).slice(0, LONGEST_PREFIX_CODE_POINTS)) {
    prefix += letter;
    prefixes.push(prefix);
  }
  return prefixes;
};

/**
 * All search tokens of a name, without duplicates: the name, each of its words, and each prefix of each word. There are
 * at most about two for each code point of the folded name.
 *
 * @param scope the project of a render, or the team of a project
 */
export const searchTokens = (scope: string, name: string): readonly string[] => {
  const words = searchWordsOf(name);
  if (words.length === 0) return [];
  const distinct = new Set(words);
  const prefixes = new Set([...distinct].flatMap(prefixesOf));
  return [
    exactToken(scope, words),
    ...Array.from(distinct, (word) => wordToken(scope, word)),
    ...Array.from(prefixes, (prefix) => prefixToken(scope, prefix)),
  ];
};

/** The tokens that a matching name must have: for the exact name, for whole words, and for prefixes of words. */
export type SearchTerms = {
  readonly exact: string;
  /** Rarest first, by a heuristic: a store may use only the first token to narrow its read. Never empty. */
  readonly whole: readonly string[];
  readonly prefixes: readonly string[];
};

const HAS_DIGIT = /\p{N}/u;

/**
 * Words with a digit come first, because renders of a batch often differ only in a number ("Spring sale 0012"). Longer
 * words come next.
 */
const rarestFirst = (a: string, b: string): number =>
  Number(HAS_DIGIT.test(b)) - Number(HAS_DIGIT.test(a)) || b.length - a.length;

export const searchTerms = (scope: string, text: string): SearchTerms | null => {
  const words = searchWordsOf(text);
  if (words.length === 0) return null;
  const distinct = [...new Set(words)].toSorted(rarestFirst);
  const prefixes = new Set(distinct.map((word) => codePoints(word, LONGEST_PREFIX_CODE_POINTS)));
  return {
    exact: exactToken(scope, words),
    whole: distinct.map((word) => wordToken(scope, word)),
    prefixes: Array.from(prefixes, (prefix) => prefixToken(scope, prefix)),
  };
};
