/**
 * The families that the engine brings; none of any system's is used. All have the weights 100 to 900 but the emoji, the
 * symbols, mathematics and a few scripts. What a family lacks is drawn from the next of these that has it, so new ones
 * are put at the end: a character stays in the face that it was drawn in before.
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

/**
 * An asset as far as it brings a font: its members are of those of kind `font`, null or missing on others. `font_covers`
 * is null, too, where nobody has looked which characters it has.
 */
export type FontAsset = {
  readonly kind?: string | undefined;
  readonly font_family?: string | null | undefined;
  readonly font_covers?: string | null | undefined;
};

/** The families that a text may name: the engine's, then those of the font files among the assets, each once. */
export const fontFamiliesOf = (assets: readonly FontAsset[]): readonly string[] => [
  ...new Set([
    ...FONT_FAMILIES,
    ...assets.flatMap(({ kind, font_family }) => (kind === 'font' && font_family ? [font_family] : [])),
  ]),
];

/** Families match exactly, or not at all. */
export const isFontFamily = (name: string, assets: readonly FontAsset[] = []): boolean =>
  FONT_FAMILIES.some((family) => family === name) ||
  assets.some(({ kind, font_family }) => kind === 'font' && font_family === name && name !== '');

/** More families than this are counted, not listed. */
const MOST_LISTED = 100;

/** The message for an unknown family. The name itself may be a client's value, which no message repeats. */
export const noSuchFont = (assets: readonly FontAsset[] = []): string => {
  const families = fontFamiliesOf(assets);
  const more = families.length - MOST_LISTED;
  const listed = families.slice(0, MOST_LISTED).join(', ');
  return `there is no such font family; there are ${listed}${more > 0 ? ` and ${more} more` : ''}`;
};
