/**
 * The families that the engine has; it never uses system fonts. All have the weights 100 to 900, except emoji, symbols,
 * mathematics and a few scripts. The first family in this list that has a character draws it. New families go to the
 * end, so that existing characters keep their face.
 */
export const FONT_FAMILIES = [
  'Noto Sans',
  'Noto Sans Arabic',
  'Noto Sans Devanagari',
  'Noto Sans Hebrew',
  'Noto Sans SC',
  'Noto Color Emoji',
  'Noto Sans JP',
  'Noto Sans TC',
  'Noto Sans KR',
  'Noto Sans Adlam',
  'Noto Sans Armenian',
  'Noto Sans Bengali',
  'Noto Sans Canadian Aboriginal',
  'Noto Sans Chakma',
  'Noto Sans Cherokee',
  'Noto Sans Ethiopic',
  'Noto Sans Georgian',
  'Noto Sans Gujarati',
  'Noto Sans Gurmukhi',
  'Noto Sans Javanese',
  'Noto Sans Kannada',
  'Noto Sans Khmer',
  'Noto Sans Lao',
  'Noto Sans Lisu',
  'Noto Sans Malayalam',
  'Noto Sans Meetei Mayek',
  'Noto Sans Mongolian',
  'Noto Sans Myanmar',
  'Noto Sans NKo',
  'Noto Sans Ol Chiki',
  'Noto Sans Oriya',
  'Noto Sans Sinhala',
  'Noto Sans Syriac',
  'Noto Sans Tamil',
  'Noto Sans Telugu',
  'Noto Sans Thaana',
  'Noto Sans Thai',
  'Noto Sans Tifinagh',
  'Noto Sans Vai',
  'Noto Sans Yi',
  'Noto Serif Tibetan',
  'Noto Sans Symbols 2',
  'Noto Sans Symbols',
  'Noto Sans Math',
] as const;
export type FontFamily = (typeof FONT_FAMILIES)[number];

export type FontAsset = {
  readonly kind?: string | undefined;
  readonly font_family?: string | null | undefined;
  readonly font_covers?: string | null | undefined;
};

export const fontFamiliesOf = (assets: readonly FontAsset[]): readonly string[] => [
  ...new Set([
    ...FONT_FAMILIES,
    ...assets.flatMap(({ kind, font_family }) => (kind === 'font' && font_family ? [font_family] : [])),
  ]),
];

export const isFontFamily = (name: string, assets: readonly FontAsset[] = []): boolean =>
  FONT_FAMILIES.some((family) => family === name) ||
  assets.some(({ kind, font_family }) => kind === 'font' && font_family === name && name !== '');

const MAX_LISTED = 100;

/** The message for an unknown family. The name may be a client's value, so the message does not repeat it. */
export const unknownFontMessage = (assets: readonly FontAsset[] = []): string => {
  const families = fontFamiliesOf(assets);
  const more = families.length - MAX_LISTED;
  const listed = families.slice(0, MAX_LISTED).join(', ');
  return `is not a known font family; the known ones are ${listed}${more > 0 ? ` and ${more} more` : ''}`;
};
