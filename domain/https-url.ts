const MAX_CHARACTERS = 2_000;

/** The host and port as written, because parsing changes them. */
const authorityOf = (text: string): string => text.slice('https://'.length).split(/[/?#]/, 1)[0] ?? '';

const isVisible = (text: string): boolean => /^[^\s\p{C}\\]+$/u.test(text);

/**
 * The fault in the form of an untrusted URL, as words that follow its name; null if it is well-formed. Other checks of
 * host and port decide whether the service may call it.
 */
export const httpsUrlFault = (text: string): string | null => {
  if (!text.startsWith('https://')) return 'must begin with https://';
  if (text.length > MAX_CHARACTERS) return `must have at most ${MAX_CHARACTERS} characters`;
  if (!isVisible(text)) return 'must have no spaces, control characters or backslashes in it';
  if (authorityOf(text).includes('@')) return 'must have no user name or password in it';
  if (text.includes('#')) return 'must have no fragment (#…): it would not be sent';
  // Without a host, the parser takes the first part of the path as the host.
  return URL.parse(text) === null || authorityOf(text) === '' ? 'cannot be understood' : null;
};
