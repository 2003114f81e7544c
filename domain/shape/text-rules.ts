// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const REFUSED_CONTROL = /[\u0000-\u0008\u000b-\u001f]/;

/** Length in code points, as people count it, not in UTF-16 units. */
export const countCodePoints = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

/** Browsers separate the lines of form text with CR LF; files of old Macs have only CR. */
export const normalizeNewlines = (text: string): string => text.replace(/\r\n?/g, '\n');

/**
 * Refuses characters that cannot be drawn: NUL, lone surrogates, and C0 controls except tab and newline. All other
 * characters are drawn unchanged.
 */
export const textFault = (text: string, maximum: number): string | null => {
  if (countCodePoints(text) > maximum) return `must have at most ${maximum} characters`;
  if (!text.isWellFormed()) return 'must not contain a lone surrogate';
  const control = REFUSED_CONTROL.exec(text);
  if (control === null) return null;
  const code = control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return `must not contain the control character U+${code}`;
};

/**
 * Characters that names must not contain, with a name for messages. Unclosed embeddings, overrides and isolates show
 * the text after the name, or a file's extension, reversed. The marks U+200E, U+200F and U+061C stay allowed: Hebrew
 * and Arabic names need them to place brackets and numbers. So do the joiners U+200C and U+200D, for Persian words and
 * emoji.
 */
const REFUSED_IN_NAMES: readonly (readonly [set: string, called: string])[] = [
  [String.raw`\u0000-\u001f\u007f-\u009f`, 'control characters'],
  [String.raw`\u2028\u2029`, 'line separators'],
  [String.raw`\u202a-\u202e\u2066-\u2069`, 'characters that turn the direction of text'],
];

export const NAME_PATTERN = `^[^${REFUSED_IN_NAMES.map(([set]) => set).join('')}]*$`;

const REFUSED = REFUSED_IN_NAMES.map(([set, called]) => ({ found: new RegExp(`[${set}]`, 'u'), called }));

/**
 * Why a text cannot be a name, or null: `must not contain control characters (U+0007 at position 3)`. Positions are in
 * code points, from 1. The rule applies only to new names, and does not limit the length.
 */
export const nameFault = (name: string): string | null => {
  for (const { found, called } of REFUSED) {
    const match = found.exec(name);
    if (match === null) continue;
    const code = match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `must not contain ${called} (U+${code} at position ${countCodePoints(name.slice(0, match.index)) + 1})`;
  }
  return null;
};

/**
 * Unicode marks most invisible characters as ignorable, such as the zero width space and the Hangul fillers. The blank
 * Braille pattern and the null note head are symbols with an empty picture.
 */
const INVISIBLE = /^[\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]*$/u;

export const isInvisible = (text: string): boolean => INVISIBLE.test(text);
