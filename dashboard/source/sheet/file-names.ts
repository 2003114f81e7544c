/** Characters that Windows forbids in names, control characters, and those that turn the direction of text. */
const FORBIDDEN = /[\\/:*?"<>|\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu;
const MAX_CHARACTERS = 80;

/** Windows drops dots and spaces at the end of a name. */
const withoutDroppedEnd = (characters: readonly string[]): readonly string[] =>
  characters.slice(0, characters.findLastIndex((one) => one !== '.' && one !== ' ') + 1);

/** A name as that of a file on any system, without its ending. It may be empty. */
export const plainFileName = (name: string): string =>
  withoutDroppedEnd(
    [...name.toWellFormed().replaceAll(FORBIDDEN, ' ').replaceAll(/\s+/g, ' ').trim()].slice(0, MAX_CHARACTERS),
  ).join('');

/**
 * `003-Winter sale.mp4`. The number keeps the order of the sheet, and no two names are equal.
 *
 * @param row index of the row
 */
export const filmFileName = (row: number, name: string): string => {
  const plain = plainFileName(name);
  return `${String(row + 1).padStart(3, '0')}${plain === '' ? '' : `-${plain}`}.mp4`;
};
