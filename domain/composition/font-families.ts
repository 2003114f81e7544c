/**
 * The families that the engine brings; none of any system's is used. All have the weights 100 to 900 but the emoji. What
 * a family lacks is drawn from the next of these that has it.
 */
export const FONT_FAMILIES = [
  'Noto Sans',
  'Noto Sans Arabic',
  'Noto Sans Devanagari',
  'Noto Sans Hebrew',
  'Noto Sans SC',
  'Noto Color Emoji',
] as const;
export type FontFamily = (typeof FONT_FAMILIES)[number];

/** An asset as far as it brings a font: `font_family` is of those of kind `font`, null or missing on others. */
export type FontAsset = { readonly kind?: string | undefined; readonly font_family?: string | null | undefined };

/** The families that a text may name: the engine's, then those of the font files among the assets, each once. */
export const fontFamiliesOf = (assets: readonly FontAsset[]): readonly string[] => [
  ...new Set([
    ...FONT_FAMILIES,
    ...assets.flatMap(({ kind, font_family }) => (kind === 'font' && font_family ? [font_family] : [])),
  ]),
];

/** Families match exactly, or not at all. */
export const isFontFamily = (name: string, assets: readonly FontAsset[] = []): boolean =>
  fontFamiliesOf(assets).includes(name);

/** The message for an unknown family. The name itself may be a client's value, which no message repeats. */
export const noSuchFont = (assets: readonly FontAsset[] = []): string =>
  `there is no such font family; there are ${fontFamiliesOf(assets).join(', ')}`;
