import test from 'ava';
import { fontFallbackOrder } from '../../../domain/composition/family-order.ts';
import {
  baselineShift,
  EMOJI_FAMILY,
  type FontFace,
  facedCharacters,
  faceRuns,
  hasEmoji,
} from '../../../engine/raster/face-runs.ts';

const faceOf = (family: string, of: RegExp, ascent = 1.069, descent = 0.293): FontFace => ({
  ...{ family, ascent, descent },
  has: (code_point) => of.test(String.fromCodePoint(code_point)),
});
const LATIN = faceOf('Latin', /[ -~\p{Script=Latin}\p{Mn}]/u);
const HAN = faceOf('Han', /[\p{Script=Han}。☎A-Z ]/u, 1.16, 0.288);
const EMOJI = faceOf(EMOJI_FAMILY, /\p{Emoji}/u, 0.928, 0.244);

const runsOf = (text: string): readonly string[] =>
  faceRuns(text, [LATIN, HAN, EMOJI]).map(({ text, face }) => `${face.family}: ${text}`);

test('the first face of a text that has a character draws it', (t) => {
  t.deepEqual(runsOf('AB'), ['Latin: AB']);
  t.deepEqual(runsOf('A中文B'), ['Latin: A', 'Han: 中文', 'Latin: B']);
  t.deepEqual(runsOf('☎'), ['Han: ☎']);
  t.deepEqual(runsOf('ก'), ['Latin: ก'], "a character without a face uses the text's own");
  t.deepEqual(runsOf(''), []);
});

test('spaces and inkless marks join the text before them, or after at the start', (t) => {
  t.deepEqual(runsOf('中 文 \tB'), ['Han: 中 文 \t', 'Latin: B']);
  t.deepEqual(runsOf(' \u00ad中'), ['Han:  \u00ad中']);
  t.deepEqual(runsOf('  '), ['Latin:   ']);
  t.deepEqual(runsOf('🔥  A'), ['Noto Color Emoji: 🔥', 'Latin:   A'], 'but not with emoji');
  t.deepEqual(runsOf(' 🔥'), ['Latin:  ', 'Noto Color Emoji: 🔥']);
  t.deepEqual(runsOf('🔥 中'), ['Noto Color Emoji: 🔥', 'Latin:  ', 'Han: 中']);
});

test('emoji are whole and always use the emoji face', (t) => {
  t.deepEqual(runsOf('A👩‍👩‍👧🏽☎️1️⃣🇪🇺B'), ['Latin: A', 'Noto Color Emoji: 👩‍👩‍👧🏽☎️1️⃣🇪🇺', 'Latin: B']);
  t.true(hasEmoji('1️⃣'));
  t.false(hasEmoji('1 # © ☎ ☎︎'));
  t.deepEqual(facedCharacters('a 🔥\u200d\na'), [97]);
});

test('a face with a higher middle moves down, by whole or half pixels', (t) => {
  t.is(baselineShift(LATIN, LATIN, 40), 0);
  t.is(baselineShift(HAN, LATIN, 40), 2);
  t.is(baselineShift(LATIN, HAN, 40), -2);
  t.is(baselineShift(EMOJI, LATIN, 40), -1.5);
});

test('the language of a text selects the first face for its Han characters', (t) => {
  const first = (language: string | null, own = 'Noto Sans'): string | undefined =>
    fontFallbackOrder(own, language).find((family) => /^Noto Sans (SC|TC|HK|JP|KR)$/.test(family));
  const languages_of: Readonly<Record<string, readonly string[]>> = {
    'Noto Sans SC': ['de', 'zh', 'zh-Hans', 'zh-SG', 'ZH-hans-hk', 'yue-CN', 'cmn', 'de-x-hant', 'vi'],
    'Noto Sans TC': ['zh-Hant', 'zh-TW', 'zh-Hant-MY', 'und-Hant', 'zh-Hant-TW-u-co-stroke'],
    'Noto Sans JP': ['ja', 'JA-jp', 'ja-Hira', 'und-Jpan'],
    'Noto Sans KR': ['ko', 'ko-KR', 'ko-Hant'],
  };
  for (const [family, languages] of Object.entries(languages_of))
    for (const language of languages) t.is(first(language), family, language);
  t.regex(first('zh-HK') ?? '', /HK|TC/);
  t.regex(first('yue') ?? '', /HK|TC/);
  t.is(first(null), 'Noto Sans SC', 'as before');
  t.is(first('ja', 'Noto Sans KR'), 'Noto Sans KR', 'but the named family comes first');
  t.deepEqual(fontFallbackOrder('Noto Sans', 'ja').toSorted(), fontFallbackOrder('Noto Sans', null).toSorted());
});
