/**
 * The version of the rules by which films are drawn. Final compositions of an older version are drawn by the rules of
 * this one: members that they lack are left out.
 */
export const ENGINE_VERSION = 6;

/** The version of documents that name none: they were imported before documents named one. */
export const UNNAMED_ENGINE_VERSION = 5;

/** From this version on, times that are written in milliseconds mean the frame that they were rounded from. */
export const FIRST_WITH_ROUNDED_TIMES = 6;

/** From this version on, an SVG is drawn in the project's own fonts, also in those that no text layer names. */
export const FIRST_WITH_FONTS_IN_SVGS = 6;
