/**
 * Percent-encodes the characters that shells interpret and `encodeURIComponent` leaves. An apostrophe ends a quoted
 * string, and an exclamation mark expands to a former command. A signature stays valid, because servers decode the URL.
 *
 * @param encoded the output of `encodeURIComponent`, or several of them with their separators
 */
export const encodeQuotable = (encoded: string): string =>
  encoded.replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
