/** The newest version of documents. A document without `engine` in a project file has this version. */
export const ENGINE_VERSION = 7;

/**
 * The newest version of final compositions. An older worker leaves a newer composition to others. Texts of version 7 are
 * resolved before.
 */
export const DRAWING_VERSION = 7;

/** The version of final compositions that use nothing newer. */
export const OLDEST_NEEDED_VERSION = 6;

/** Part of the key of each cached part. It grows only if the engine draws the same composition in another way. */
export const PIXELS_VERSION = 6;

/** The version of documents without `engine`, which are older than this member. */
export const DEFAULT_ENGINE_VERSION = 5;

/** From this version on, a time in milliseconds means the frame from which it was rounded. */
export const ROUNDED_TIMES_SINCE = 6;

/** From this version on, SVGs can use all fonts of the project, also fonts that no text layer names. */
export const SVG_FONTS_SINCE = 6;

/** From this version on, a text shows the value of a field where it has the field's `{{key}}`. */
export const INTERPOLATES_SINCE = 7;
