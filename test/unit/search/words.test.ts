import test from 'ava';
import fc from 'fast-check';
import { nameKey, searchTerms, searchTokens, searchWordsOf } from '../../../domain/search/words.ts';
import { runs } from '../../helpers/runs.ts';

type Tier = 'exact' | 'whole' | 'prefix' | null;

const found = (name: string, text: string, scope = 's'): Tier => {
  const tokens = new Set(searchTokens(scope, name));
  const terms = searchTerms(scope, text);
  if (terms === null) return null;
  if (tokens.has(terms.exact)) return 'exact';
  if (terms.whole.every((token) => tokens.has(token))) return 'whole';
  return terms.prefixes.every((token) => tokens.has(token)) ? 'prefix' : null;
};

const FOLDED: readonly (readonly [string, string])[] = [
  ['Café Crème', 'cafe creme'],
  ['CAFE\u0301', 'café'],
  ['Łódź Ørsted', 'lodz orsted'],
  ['Straße', 'STRASSE'],
  ['GROẞ', 'groß'],
  ['İstanbul ısı', 'istanbul isi'],
  ['ΟΔΟΣ', 'οδος'],
  ['Œuvre Æsir Þór', 'oeuvre aesir thor'],
  ['Ёлка', 'елка'],
  ['Ａｎｇｅｂｏｔ ①', 'angebot 1'],
  ['ﬁnal_cut-v2', 'final cut v2'],
  ['zu\u00adsammen', 'zusammen'],
  ['שָׁלוֹם', 'שלום'],
];
for (const [name, text] of FOLDED) {
  test(`${name} and ${text} are the same name`, (t) => {
    t.is(found(name, text), 'exact');
    t.is(found(text, name), 'exact');
  });
}

test('matches rank by exact name, then its words, then prefixes of words', (t) => {
  t.is(found('Summer Sale 2026', 'summer-sale 2026!'), 'exact');
  t.is(found('Summer Sale 2026', 'sale SUMMER'), 'whole');
  t.is(found('Summer Sale 2026', '20 su sal'), 'prefix');
  t.is(found('Summer Sale 2026', 'sale winter'), null);
  t.is(found('Summer Sale 2026', 'ummer'), null);
});

test('vowel signs that count as letters are kept', (t) => {
  t.is(found('की', 'का'), null);
  t.is(found('हिन्दी', 'हिन्दी'), 'exact');
  t.is(found('ที่', 'ทา'), null);
});

test('a query without a word finds nothing, and a wordless name is not found', (t) => {
  for (const text of ['', '  ', '!?*', '\ud800', '🎬', '$regex']) {
    if (text === '$regex') t.deepEqual(searchTerms('s', text)?.whole, ['s:=regex']);
    else t.is(searchTerms('s', text), null);
  }
  t.deepEqual(searchTokens('s', '🎬 …'), []);
});

test('names of another scope are not found', (t) => {
  const tokens = new Set(searchTokens('proj_1', 'Sale'));
  const terms = searchTerms('proj_2', 'Sale');
  t.true(
    [terms?.exact ?? '', ...(terms?.whole ?? []), ...(terms?.prefixes ?? [])].every((token) => !tokens.has(token)),
  );
});

test('the rarest word comes first, a number before any other, and each word once', (t) => {
  t.deepEqual(searchTerms('s', 'a long longest 0012 long'), {
    exact: 's:!a long longest 0012 long',
    whole: ['s:=0012', 's:=longest', 's:=long', 's:=a'],
    prefixes: ['s:0012', 's:longest', 's:long', 's:a'],
  });
});

const text = fc.string({ unit: 'binary', maxLength: 120 });
const latin = fc.string({ unit: fc.constantFrom(...'aàâbBßςΣøÆ1½ -_’\u0301\u200d'), maxLength: 120 });
const name = fc.oneof(text, latin, fc.string({ unit: 'grapheme', maxLength: 120 }));

test('folding is idempotent and ignores case', (t) => {
  fc.assert(
    fc.property(name, (it) => {
      t.is(nameKey(nameKey(it)), nameKey(it));
      t.is(nameKey(it.toLowerCase()), nameKey(it));
      t.is(nameKey(it.normalize('NFC')), nameKey(it.normalize('NFD')));
    }),
    { numRuns: runs(2_000) },
  );
});

test('a search finds a name by its words in any order and their prefixes', (t) => {
  fc.assert(
    fc.property(name, fc.infiniteStream(fc.nat()), (it, numbers) => {
      const words = searchWordsOf(it);
      if (words.length === 0) return;
      const number = (): number => numbers.next().value ?? 0;
      t.is(found(it, it), 'exact');
      const some = words.filter(() => number() % 2 === 0).toSorted(() => (number() % 3) - 1);
      if (some.length > 0) t.not(found(it, some.join(' ')), null);
      const beginnings = words.map((word) => {
        const letters = Array.from(word);
        return letters.slice(0, 1 + (number() % letters.length)).join('');
      });
      t.not(found(it, beginnings.join('/')), null);
    }),
    { numRuns: runs(2_000) },
  );
});

test('a name is found at each letter while it is typed', (t) => {
  fc.assert(
    fc.property(fc.oneof(latin, fc.string({ unit: 'grapheme-composite', maxLength: 60 })), (it) => {
      const letters = Array.from(new Intl.Segmenter().segment(it), ({ segment }) => segment);
      for (let end = 1; end <= letters.length; end++) {
        const typed = letters.slice(0, end).join('');
        if (searchTerms('s', typed) !== null) t.not(found(it, typed), null, JSON.stringify([it, typed]));
      }
    }),
    { numRuns: runs(500) },
  );
});

test('only names with these words are found', (t) => {
  fc.assert(
    fc.property(name, name, (it, sought) => {
      const words = searchWordsOf(it);
      const wanted = searchWordsOf(sought);
      const expected =
        wanted.length === 0
          ? null
          : words.join(' ') === wanted.join(' ')
            ? 'exact'
            : wanted.every((one) => words.includes(one))
              ? 'whole'
              : wanted.every((one) => words.some((word) => word.startsWith(Array.from(one).slice(0, 64).join(''))))
                ? 'prefix'
                : null;
      t.is(found(it, sought), expected);
    }),
    { numRuns: runs(2_000) },
  );
});

test('the search tokens of a name are limited', (t) => {
  const longest = fc.oneof(
    fc.string({ unit: 'binary', minLength: 200, maxLength: 3_000 }),
    fc.string({ unit: fc.constantFrom(...'aαक각ﷺ½ '), minLength: 200, maxLength: 3_000 }),
  );
  fc.assert(
    fc.property(longest, (it) => {
      const tokens = searchTokens('s', it);
      t.is(new Set(tokens).size, tokens.length);
      t.true(tokens.length <= 1_501);
      t.true(tokens.every((token) => Array.from(token).length <= 1_003));
      t.true(Buffer.byteLength(tokens.join('')) <= 256 * 1_024);
    }),
    { numRuns: runs(200) },
  );
  t.is(found('x'.repeat(250), 'x'.repeat(250)), 'exact');
  t.is(found(`${'x'.repeat(250)} y`, 'x'.repeat(250)), 'whole');
  t.is(found('x'.repeat(250), 'x'.repeat(64)), 'prefix');
  t.is(found('x'.repeat(250), 'x'.repeat(200)), 'prefix');
});
