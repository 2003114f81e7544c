/** The version of the drawing rules. The engine draws a final composition of an older version by these rules too. */
export const ENGINE_VERSION = 6;

/** The version of documents without `engine`, which are older than this member. */
export const DEFAULT_ENGINE_VERSION = 5;

/** From this version on, a time in milliseconds means the frame from which it was rounded. */
export const ROUNDED_TIMES_SINCE = 6;

/** From this version on, SVGs can use all fonts of the project, also fonts that no text layer names. */
export const SVG_FONTS_SINCE = 6;
