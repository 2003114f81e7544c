/** The families that the engine brings; none of any system's is used. All have the weights 100 to 900. */
export const FONT_FAMILIES = ['Noto Sans', 'Noto Sans Arabic', 'Noto Sans Devanagari'] as const;
export type FontFamily = (typeof FONT_FAMILIES)[number];

/** Families match exactly, or not at all. */
export const isFontFamily = (name: string): name is FontFamily => FONT_FAMILIES.some((family) => family === name);

export const NO_SUCH_FONT = `there is no such font family; there are ${FONT_FAMILIES.join(', ')}`;
