/** A word is found by its beginnings up to this length; a longer one only as a whole, or by its first 64 code points. */
const LONGEST_PREFIX_CODE_POINTS = 64;

/**
 * What a name may add to a read model has a bound, whatever the log holds. A name of 250 code points stays below it
 * unless most of them are compatibility characters that stand for whole phrases.
 */
const LONGEST_FOLDED_CODE_POINTS = 1_000;

/**
 * Accents and vowel points of alphabets. The vowel signs of Indic scripts and of Thai are marks too, but letters to
 * their readers: they stay. Kana lose their voicing marks, as they do in dictionaries.
 */
const ACCENTS =
  /[\p{M}&&[\p{Script=Inherited}\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Hebrew}\p{Script=Arabic}]]/gv;

/** Soft hyphens, joiners, directions: not seen, so they part nothing. A zero width space is there to part words. */
const INVISIBLE = /[\p{Cf}--\u{200B}]/gv;

/** Letters with a stroke and their like, which Unicode does not take apart; the final sigma, which is a sigma. */
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

/** Through upper case, which turns ß into SS, so that all spellings meet. Folds each code point by itself. */
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
 * The words of a text in their order, repeated ones too: accents, case and forms of writing folded, parted at
 * everything that is neither a letter nor a digit. A script that sets no spaces gives one word for each run.
 */
export const wordsOf = (text: string): readonly string[] =>
  codePoints(folded(text), LONGEST_FOLDED_CODE_POINTS)
    .split(NO_WORD)
    .filter((word) => word !== '');

/** What two names have in common that are taken as the same name. */
export const nameKey = (text: string): string => wordsOf(text).join(' ');

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
 * Everything that a name is found by within a scope (the project of a render, the team of a project): the name, each
 * of its words, and each prefix of each word. Distinct; at most about two for each code point of the folded name.
 */
export const searchTokens = (scope: string, name: string): readonly string[] => {
  const words = wordsOf(name);
  if (words.length === 0) return [];
  const distinct = new Set(words);
  const prefixes = new Set([...distinct].flatMap(prefixesOf));
  return [
    exactToken(scope, words),
    ...Array.from(distinct, (word) => wordToken(scope, word)),
    ...Array.from(prefixes, (prefix) => prefixToken(scope, prefix)),
  ];
};

/** The tokens that a name must have: to be that name, to have those words, to have words that begin with them. */
export type SearchTerms = {
  readonly exact: string;
  /** The rarest first, as far as that can be guessed: a store may narrow what it reads by the first alone. Never empty. */
  readonly whole: readonly string[];
  /** In the same order. Never empty. */
  readonly prefixes: readonly string[];
};

const HAS_DIGIT = /\p{N}/u;

/** Renders of a batch differ in a number ("Spring sale 0012"): what has a digit is rarer than any word, else the longest. */
const rarestFirst = (a: string, b: string): number =>
  Number(HAS_DIGIT.test(b)) - Number(HAS_DIGIT.test(a)) || b.length - a.length;

/** What to look for in the tokens of a scope; null for a text without any word, which no name matches. */
export const searchTerms = (scope: string, text: string): SearchTerms | null => {
  const words = wordsOf(text);
  if (words.length === 0) return null;
  const distinct = [...new Set(words)].toSorted(rarestFirst);
  const prefixes = new Set(distinct.map((word) => codePoints(word, LONGEST_PREFIX_CODE_POINTS)));
  return {
    exact: exactToken(scope, words),
    whole: distinct.map((word) => wordToken(scope, word)),
    prefixes: Array.from(prefixes, (prefix) => prefixToken(scope, prefix)),
  };
};
