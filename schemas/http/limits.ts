/** Elements per page: maximum and default. */
export const MAX_ITEMS = 60;
export const DEFAULT_ITEMS = 20;

/** In characters. */
export const MAX_SEARCH_LENGTH = 250;
export const MAX_CURSOR_LENGTH = 512;
export const MAX_ID_LENGTH = 128;

/** The maximum size of a request body. */
export const BODY_BYTES = 256 * 1024;

/** In characters. */
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;
