import { textFault } from '../shape/text-rules.ts';
import type { Fault } from './fault.ts';
import type { FlatLayer } from './flat-layers.ts';
import type { Layer, TextLayer } from './layers.ts';
import { LIMITS } from './limits.ts';

/** The members of a layer that decide its letters. */
export type TransformedBy = Partial<Pick<TextLayer, 'text_transform' | 'language'>>;

/** The languages with rules of their own for the case of letters. */
const CASED_LANGUAGE = /^(?:tr|tur|az|aze|lt|lit|el|ell|hy|hye|nl|nld)(?=-|$)/i;

/** The language's own rules, if it has some. The language of the host never decides. */
export const casingLanguage = (language: string | null | undefined): string =>
  CASED_LANGUAGE.exec(language ?? '')?.[0].toLowerCase() ?? 'und';

/** The first letter of a word. An apostrophe within a word does not begin one. Georgian has no title case. */
const WORD_START = /(?<![\p{L}\p{N}\p{M}]['’]?)(?!\p{Script=Georgian})\p{L}/gu;
const DUTCH_WORD_START = /(?<![\p{L}\p{N}\p{M}]['’]?)(?:ij|\p{L})/gu;

/** Letters that have a title case of their own. */
const TITLE_CASE: ReadonlyMap<string, string> = new Map([
  ...['Ǆ', 'ǆ'].map((letter) => [letter, 'ǅ'] as const),
  ...['Ǉ', 'ǉ'].map((letter) => [letter, 'ǈ'] as const),
  ...['Ǌ', 'ǌ'].map((letter) => [letter, 'ǋ'] as const),
  ...['Ǳ', 'ǳ'].map((letter) => [letter, 'ǲ'] as const),
]);

/** An uppercase form of several letters keeps only the first one: `ﬁ` becomes `Fi`. */
const titleCase = (letter: string, language: string): string => {
  const own = TITLE_CASE.get(letter);
  if (own !== undefined || letter === 'ij') return own ?? 'IJ';
  const [first = '', ...rest] = letter.toLocaleUpperCase(language);
  return first + rest.join('').toLocaleLowerCase(language);
};

/** The text as it is drawn, as `text-transform` of CSS. */
export const transformText = (text: string, { text_transform = 'none', language }: TransformedBy): string => {
  const casing = casingLanguage(language);
  switch (text_transform) {
    case 'none':
      return text;
    case 'uppercase':
      return text.toLocaleUpperCase(casing);
    case 'lowercase':
      return text.toLocaleLowerCase(casing);
    case 'capitalize':
      return text.replace(casing.startsWith('nl') ? DUTCH_WORD_START : WORD_START, (letter) =>
        titleCase(letter, casing),
      );
  }
};

/** Some letters have longer uppercase forms, so a transformed text can exceed the limit. */
export const transformFaults = (layers: readonly FlatLayer[]): readonly Fault[] =>
  layers.flatMap((layer, index) => {
    if (layer.type !== 'text' || layer.text_transform === undefined) return [];
    const fault = textFault(transformText(layer.text, layer), LIMITS.text);
    return fault === null ? [] : [{ path: `layers[${index}].text`, message: `${fault} with its text_transform` }];
  });

/** The final composition has the transformed text, so that every engine can draw it. */
export const withTransformedText = (layer: Layer): Layer => {
  if (layer.type !== 'text' || layer.text_transform === undefined) return layer;
  const { text_transform: _, ...rest } = layer;
  return { ...rest, text: transformText(layer.text, layer) };
};
