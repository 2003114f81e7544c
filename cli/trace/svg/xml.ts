/** What XML 1.0 cannot hold, even escaped, and what would turn the line around or hide a part of it. */
const UNFIT = /[^\P{C}\t\n]/gu;

/** A text or an attribute's value: whatever is in it, it stays text. */
export const xmlText = (text: string): string =>
  text
    .replace(UNFIT, '\u{FFFD}')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

/** `text` within `most` characters. */
export const cut = (text: string, most: number): string => {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, Math.max(0, most - 1)).join('')}…`;
};
