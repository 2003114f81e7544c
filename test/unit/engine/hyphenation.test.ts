import { existsSync } from 'node:fs';
import test from 'ava';
import { hyphenationPatterns, PATTERN_NAMES, withSoftHyphens } from '../../../engine/raster/hyphenation.ts';

const hyphenated = (text: string, language: string): string =>
  withSoftHyphens(text, language).replaceAll('\u00ad', '-');

test('words are hyphenated as their language does', (t) => {
  t.is(hyphenated('Die Silbentrennung, endlich!', 'de'), 'Die Sil-ben-tren-nung, end-lich!');
  t.is(hyphenated('hyphenation', 'en'), 'hy-phen-ation');
  t.is(hyphenated('programme', 'en-US'), 'pro-gramme');
  t.not(hyphenated('photographer', 'en-GB'), hyphenated('photographer', 'en-US'));
  t.is(hyphenated('достопримечательность', 'ru'), 'до-сто-при-ме-ча-тель-ность');
  t.is(hyphenated('Straße', 'de-AT'), 'Stra-ße');
});

test('short words, numbers, addresses and hyphenated words are unchanged', (t) => {
  for (const text of [
    'Hut ab',
    'https://an.example/silbentrennung',
    'silbentrennung@an.example',
    'silbentrennung.example',
    'Silbentrennung2',
    'Silben\u00adtrennung',
    'C:\\silbentrennung',
  ])
    t.is(withSoftHyphens(text, 'de'), text);
  t.is(hyphenated('Die\nSilbentrennung \t<b>&amp;', 'de'), 'Die\nSil-ben-tren-nung \t<b>&amp;');
});

test('a text in a language without patterns is unchanged', (t) => {
  for (const language of ['ja', 'zh-Hant', 'th', 'xx', 'ar', 'constructor'])
    t.is(withSoftHyphens('Silbentrennung', language), 'Silbentrennung', language);
  t.is(hyphenationPatterns('de-Latn-DE-1901'), 'de-1901');
  t.is(hyphenationPatterns('sr-Latn-RS'), 'sh-latn');
  t.is(hyphenationPatterns('pt-BR'), 'pt');
});

test('the package has patterns for every language', (t) => {
  for (const name of PATTERN_NAMES.values())
    t.true(existsSync(new URL(`../../../node_modules/hyphen/${name}/index.js`, import.meta.url)), name);
});

test('ten thousand characters are hyphenated, as one word or as many', (t) => {
  t.true(withSoftHyphens('silbentrennung'.repeat(714), 'de').includes('\u00ad'));
  t.true(withSoftHyphens('silbentrennung '.repeat(666), 'de').includes('\u00ad'));
});
