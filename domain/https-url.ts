const MOST_CHARACTERS = 2_000;

/** The host and port as they were written: parsing hides what stood there. */
const authorityOf = (text: string): string => text.slice('https://'.length).split(/[/?#]/, 1)[0] ?? '';

const isVisible = (text: string): boolean => /^[^\s\p{C}\\]+$/u.test(text);

/**
 * What stands against the form of a URL that others gave and that is to be called, in words that follow its name; or
 * null. Whether it may be called, its host and port tell.
 */
export const httpsUrlFault = (text: string): string | null => {
  if (!text.startsWith('https://')) return 'must begin with https://';
  if (text.length > MOST_CHARACTERS) return `must have at most ${MOST_CHARACTERS} characters`;
  if (!isVisible(text)) return 'must have no spaces, control characters or backslashes in it';
  if (authorityOf(text).includes('@')) return 'must have no user name or password in it';
  if (text.includes('#')) return 'must have no fragment (#…): it would not be sent';
  // Without a host the parser takes the first part of the path for it.
  return URL.parse(text) === null || authorityOf(text) === '' ? 'cannot be understood' : null;
};
