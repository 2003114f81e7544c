/** Characters that XML 1.0 does not allow even escaped, and characters that reverse or hide parts of a line. */
const UNFIT = /[^\P{C}\t\n]/gu;

export const xmlText = (text: string): string =>
  text
    .replace(UNFIT, '\u{FFFD}')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

export const truncate = (text: string, most: number): string => {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, Math.max(0, most - 1)).join('')}…`;
};
