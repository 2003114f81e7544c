/** Elements per page: maximum and default. */
export const MAX_ITEMS = 60;
export const USUAL_ITEMS = 20;

/** In characters. */
export const SEARCH_LENGTH = 250;
export const CURSOR_LENGTH = 512;

/** Request body. */
export const BODY_BYTES = 256 * 1024;

/** In characters. */
export const IDEMPOTENCY_KEY_LENGTH = 255;
