export const firstUpper = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** `text_too_long` as "Text too long". */
export const wordsOf = (code: string): string => firstUpper(code.replaceAll('_', ' '));

export const asSentence = (text: string): string => {
  const upper = firstUpper(text);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
};
