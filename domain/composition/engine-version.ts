/**
 * The version of the drawing rules. The engine also draws final compositions of older versions by these rules, without
 * the members that they lack.
 */
export const ENGINE_VERSION = 6;

/** The version of documents without a version: their import came before versions existed. */
export const UNNAMED_ENGINE_VERSION = 5;

/** From this version on, a time in milliseconds means the frame from which it was rounded. */
export const FIRST_WITH_ROUNDED_TIMES = 6;

/** From this version on, SVGs are drawn in all of the project's own fonts, also in fonts that no text layer names. */
export const FIRST_WITH_FONTS_IN_SVGS = 6;
