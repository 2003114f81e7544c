// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const REFUSED_CONTROL = /[\u0000-\u0008\u000b-\u001f]/;

/** Length as a person counts it: code points, not UTF-16 units. */
export const codePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/**
 * What stands against drawing this text, or null. NUL, lone surrogates and C0 controls but tab and newline cannot be
 * drawn; everything else is drawn as it is.
 */
export const textFault = (text: string, maximum: number): string | null => {
  if (codePoints(text) > maximum) return `must have at most ${maximum} characters`;
  if (!text.isWellFormed()) return 'must not hold half of a surrogate pair';
  const control = REFUSED_CONTROL.exec(text);
  if (control === null) return null;
  const code = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return `must not hold the control character U+${code}`;
};
