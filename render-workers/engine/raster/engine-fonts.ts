import type { FontFamily } from '../../../domain/composition/font-families.ts';

const PACKAGES: Readonly<Record<FontFamily, string>> = {
  'Noto Sans': '@expo-google-fonts/noto-sans',
  'Noto Sans Arabic': '@expo-google-fonts/noto-sans-arabic',
  'Noto Sans Devanagari': '@expo-google-fonts/noto-sans-devanagari',
  'Noto Sans Hebrew': '@expo-google-fonts/noto-sans-hebrew',
  'Noto Sans SC': '@expo-google-fonts/noto-sans-sc',
  'Noto Color Emoji': '@expo-google-fonts/noto-color-emoji',
};

/** Pinned packages of the engine's font families. */
export const FONT_PACKAGES: readonly string[] = Object.values(PACKAGES);

/** Metrics of the strut face as fractions of the font size (hhea table of Noto Sans). */
export const STRUT_FACE = { family: 'Noto Sans', ascent: 1.069, descent: 0.293, cap_height: 0.714 } as const;
