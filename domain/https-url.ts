const MAX_CHARACTERS = 2_000;

/** As written in the text, because the URL parser changes host and port. */
const authorityOf = (text: string): string => text.slice('https://'.length).split(/[/?#]/, 1)[0] ?? '';

const isVisible = (text: string): boolean => /^[^\s\p{C}\\]+$/u.test(text);

/**
 * The fault of an untrusted URL, as words that follow its name in a message; null if the URL is well-formed. Other code
 * decides whether the service may call this host and port.
 */
export const httpsUrlFault = (text: string): string | null => {
  if (!text.startsWith('https://')) return 'must begin with https://';
  if (text.length > MAX_CHARACTERS) return `must have at most ${MAX_CHARACTERS} characters`;
  if (!isVisible(text)) return 'must not contain spaces, control characters or backslashes';
  if (authorityOf(text).includes('@')) return 'must not contain a user name or password';
  if (text.includes('#')) return 'must not have a fragment (#…), because it is not sent';
  // Without a host, the parser takes the first part of the path as the host.
  return URL.parse(text) === null || authorityOf(text) === '' ? 'is malformed' : null;
};
