/** The faces the engine brings, from pinned packages. All have the weights 100 to 900; none of the system's is used. */
export const FONT_PACKAGES: ReadonlyMap<string, string> = new Map([
  ['Noto Sans', '@expo-google-fonts/noto-sans'],
  ['Noto Sans Arabic', '@expo-google-fonts/noto-sans-arabic'],
  ['Noto Sans Devanagari', '@expo-google-fonts/noto-sans-devanagari'],
]);

export const FONT_FAMILIES: readonly string[] = [...FONT_PACKAGES.keys()];

/** Of the face that struts are set in, as fractions of the font size (hhea table of Noto Sans). */
export const STRUT_FACE = { family: 'Noto Sans', ascent: 1.069, descent: 0.293, cap_height: 0.714 } as const;
