import { FONT_FAMILIES, type FontFamily } from '../../domain/composition/font-families.ts';

/** npm packages. Their files are in folders named by weight: `400Regular/NotoSans_400Regular.ttf`. */
export const FONT_PACKAGE_BY_FAMILY: Readonly<Record<FontFamily, string>> = {
  'Noto Sans': '@expo-google-fonts/noto-sans',
  'Noto Sans Arabic': '@expo-google-fonts/noto-sans-arabic',
  'Noto Sans Devanagari': '@expo-google-fonts/noto-sans-devanagari',
  'Noto Sans Hebrew': '@expo-google-fonts/noto-sans-hebrew',
  'Noto Sans SC': '@expo-google-fonts/noto-sans-sc',
  'Noto Color Emoji': '@expo-google-fonts/noto-color-emoji',
  'Noto Sans JP': '@expo-google-fonts/noto-sans-jp',
  'Noto Sans TC': '@expo-google-fonts/noto-sans-tc',
  'Noto Sans KR': '@expo-google-fonts/noto-sans-kr',
  'Noto Sans Adlam': '@expo-google-fonts/noto-sans-adlam',
  'Noto Sans Armenian': '@expo-google-fonts/noto-sans-armenian',
  'Noto Sans Bengali': '@expo-google-fonts/noto-sans-bengali',
  'Noto Sans Canadian Aboriginal': '@expo-google-fonts/noto-sans-canadian-aboriginal',
  'Noto Sans Chakma': '@expo-google-fonts/noto-sans-chakma',
  'Noto Sans Cherokee': '@expo-google-fonts/noto-sans-cherokee',
  'Noto Sans Ethiopic': '@expo-google-fonts/noto-sans-ethiopic',
  'Noto Sans Georgian': '@expo-google-fonts/noto-sans-georgian',
  'Noto Sans Gujarati': '@expo-google-fonts/noto-sans-gujarati',
  'Noto Sans Gurmukhi': '@expo-google-fonts/noto-sans-gurmukhi',
  'Noto Sans Javanese': '@expo-google-fonts/noto-sans-javanese',
  'Noto Sans Kannada': '@expo-google-fonts/noto-sans-kannada',
  'Noto Sans Khmer': '@expo-google-fonts/noto-sans-khmer',
  'Noto Sans Lao': '@expo-google-fonts/noto-sans-lao',
  'Noto Sans Lisu': '@expo-google-fonts/noto-sans-lisu',
  'Noto Sans Malayalam': '@expo-google-fonts/noto-sans-malayalam',
  'Noto Sans Meetei Mayek': '@expo-google-fonts/noto-sans-meetei-mayek',
  'Noto Sans Mongolian': '@expo-google-fonts/noto-sans-mongolian',
  'Noto Sans Myanmar': '@expo-google-fonts/noto-sans-myanmar',
  'Noto Sans NKo': '@expo-google-fonts/noto-sans-nko',
  'Noto Sans Ol Chiki': '@expo-google-fonts/noto-sans-ol-chiki',
  'Noto Sans Oriya': '@expo-google-fonts/noto-sans-oriya',
  'Noto Sans Sinhala': '@expo-google-fonts/noto-sans-sinhala',
  'Noto Sans Syriac': '@expo-google-fonts/noto-sans-syriac',
  'Noto Sans Tamil': '@expo-google-fonts/noto-sans-tamil',
  'Noto Sans Telugu': '@expo-google-fonts/noto-sans-telugu',
  'Noto Sans Thaana': '@expo-google-fonts/noto-sans-thaana',
  'Noto Sans Thai': '@expo-google-fonts/noto-sans-thai',
  'Noto Sans Tifinagh': '@expo-google-fonts/noto-sans-tifinagh',
  'Noto Sans Vai': '@expo-google-fonts/noto-sans-vai',
  'Noto Sans Yi': '@expo-google-fonts/noto-sans-yi',
  'Noto Serif Tibetan': '@expo-google-fonts/noto-serif-tibetan',
  'Noto Sans Symbols 2': '@expo-google-fonts/noto-sans-symbols-2',
  'Noto Sans Symbols': '@expo-google-fonts/noto-sans-symbols',
  'Noto Sans Math': '@expo-google-fonts/noto-sans-math',
};

/** Families that are used only by name. Texts of layers name them, texts in pictures mostly do not. */
export const FAMILIES_BY_NAME_ONLY: readonly FontFamily[] = FONT_FAMILIES.slice(
  FONT_FAMILIES.indexOf('Noto Color Emoji') + 1,
);
export const fontPackage = (family: FontFamily): string => FONT_PACKAGE_BY_FAMILY[family];

export const FONT_PACKAGES: readonly string[] = Object.values(FONT_PACKAGE_BY_FAMILY);

/** Metrics of the strut face as fractions of the font size (hhea table of Noto Sans). */
export const STRUT_FACE = { family: 'Noto Sans', ascent: 1.069, descent: 0.293, cap_height: 0.714 } as const;
