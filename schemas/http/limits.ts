/** Bounds that requests and answers keep and that the codecs do not export. Tests hold the codecs against them. */

/** Elements of a page: at most, and where `limit` is left out. */
export const MAX_ITEMS = 60;
export const USUAL_ITEMS = 20;

/** Characters of a `search`, and of a `cursor`. */
export const SEARCH_LENGTH = 250;
export const CURSOR_LENGTH = 512;

/** The body of a request, in bytes. */
export const BODY_BYTES = 256 * 1024;

/** Characters of an Idempotency-Key. */
export const IDEMPOTENCY_KEY_LENGTH = 255;
