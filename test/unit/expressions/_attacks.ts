import { IN_FULL } from '../../helpers/runs.ts';
import { type Node, parse } from './_parse.ts';

/**
 * A hostile text of any length: a prefix that leads to a repetition, a repeated part, and a suffix that does not match.
 */
export type Attack = { readonly prefix: string; readonly pump: string; readonly suffix: string };

/** Characters of every kind that expressions distinguish. If none matches, the whole BMP is tried. */
const CHARACTERS = [
  ...Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code)),
  ...'\u0085\u00a0\u00ad\u00e9\u0130\u017f\u0301\u03c3\u05d0\u05bc\u0627\u064b\u0915\u093f\u0e01\u200b\u200d\u200e\u2028\u202e\u2060',
  ...'\u212a\u2014\u3001\u3041\u30ab\u4e00\uac00\ufe0f\ufe0e\ufeff\uffff\u20e3',
  ...['\u{1f3ac}', '\u{1f1e9}', '\u{1f3fd}', '\u{20000}', '\ud800', '\udc00'],
];

const atomsOf = (node: Node): readonly string[] => {
  switch (node.tag) {
    case 'atom':
      return [node.source];
    case 'sequence':
      return node.parts.flatMap(atomsOf);
    case 'choice':
      return node.options.flatMap(atomsOf);
    case 'repeat':
    case 'look':
      return atomsOf(node.body);
    case 'empty':
      return [];
  }
};

type Alphabet = {
  /** One character for each set of atoms that match the same characters; those that match most atoms come first. */
  readonly characters: readonly string[];
  readonly of: (atom: string) => string;
};

const firstMatched = (form: RegExp): string => {
  for (let code = 0; code <= 0xffff; code += 1)
    if (form.test(String.fromCharCode(code))) return String.fromCharCode(code);
  return '';
};

/** Partitions all characters by the atoms that match them, so that one of each part represents the rest. */
const alphabetOf = (root: Node, flags: string): Alphabet => {
  const forms = new Map<string, RegExp>();
  for (const atom of atomsOf(root)) forms.set(atom, new RegExp(`^(?:${atom})$`, flags.replace(/[gym]/g, '')));
  const own = [...forms.values()].map((form) => CHARACTERS.find((char) => form.test(char)) ?? firstMatched(form));
  const parts = new Map<string, { readonly char: string; readonly matched: number }>();
  for (const char of [...own, ...CHARACTERS]) {
    const matched = [...forms.values()].map((form) => form.test(char));
    const key = matched.map(Number).join('');
    if (char !== '' && !parts.has(key)) parts.set(key, { char, matched: matched.filter(Boolean).length });
  }
  const characters = [...parts.values()].toSorted((a, b) => b.matched - a.matched).map(({ char }) => char);
  const chosen = new Map([...forms].map(([atom, form]) => [atom, characters.find((char) => form.test(char)) ?? '']));
  return { characters, of: (atom) => chosen.get(atom) ?? '' };
};

const exampleOf = (node: Node, alphabet: Alphabet): string => {
  switch (node.tag) {
    case 'atom':
      return alphabet.of(node.source);
    case 'sequence':
      return node.parts.map((part) => exampleOf(part, alphabet)).join('');
    case 'choice':
      return node.options[0] === undefined ? '' : exampleOf(node.options[0], alphabet);
    case 'repeat':
      return exampleOf(node.body, alphabet).repeat(Math.min(node.min, 200));
    case 'look':
    case 'empty':
      return '';
  }
};

type Place = { readonly prefix: string; readonly node: Node };

const placesIn = (node: Node, prefix: string, alphabet: Alphabet): readonly Place[] => {
  const here: Place = { prefix, node };
  switch (node.tag) {
    case 'atom':
    case 'empty':
      return [here];
    case 'choice':
      return [here, ...node.options.flatMap((option) => placesIn(option, prefix, alphabet))];
    case 'repeat':
    case 'look':
      return [here, ...placesIn(node.body, prefix, alphabet)];
    case 'sequence': {
      const places: Place[] = [here];
      let led = prefix;
      for (const part of node.parts) {
        places.push(...placesIn(part, led, alphabet));
        led += exampleOf(part, alphabet);
      }
      return places;
    }
  }
};

const isRepeated = ({ node }: Place): boolean => node.tag === 'repeat' && node.max > 1;

const bodyOf = ({ node }: Place, alphabet: Alphabet): string =>
  node.tag === 'repeat' ? exampleOf(node.body, alphabet) : '';

const MAX_CHARACTERS = 7;
const MAX_PREFIXES = IN_FULL ? 16 : 4;

const spread = <A>(all: readonly A[], most: number): readonly A[] =>
  all.length <= most ? all : Array.from({ length: most }, (_, i) => all[Math.floor((i * all.length) / most)] as A);

/**
 * Hostile texts for an expression: a prefix that leads to a repetition, repeated parts, and a suffix that does not match.
 * The repeated parts are the distinguished characters, their pairs, the repeated text itself, and the prefix.
 */
export const attacksOn = (expression: RegExp): readonly Attack[] => {
  const root = parse(expression);
  const alphabet = alphabetOf(root, expression.flags);
  const places = placesIn(root, '', alphabet).filter(isRepeated);
  const characters = alphabet.characters.slice(0, MAX_CHARACTERS);
  const other = alphabet.characters.at(-1) ?? '!';
  const prefixes = [...new Set(['', other, ...places.map(({ prefix }) => prefix)])];
  const pairs = characters.flatMap((one) => characters.map((two) => (one === two ? '' : one + two)));
  const derived = [exampleOf(root, alphabet), ...places.flatMap((place) => [bodyOf(place, alphabet), place.prefix])];
  const pumps = [...new Set([...characters, ...pairs, ...derived])].filter((pump) => pump !== '');
  const suffixes = [...new Set(['', other, '\n', alphabet.characters[1] ?? ''])];
  return pumps.flatMap((pump) =>
    spread(prefixes, MAX_PREFIXES).flatMap((prefix) => suffixes.map((suffix) => ({ prefix, pump, suffix }))),
  );
};

export const textOf = ({ prefix, pump, suffix }: Attack, length: number): string =>
  prefix + pump.repeat(Math.max(1, Math.floor((length - prefix.length - suffix.length) / pump.length))) + suffix;
