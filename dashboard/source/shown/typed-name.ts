/** The maximum length of a name, in UTF-16 units. */
const LONGEST_NAME = 500;

/** The same definition as in the service's `text-rules.ts`. */
const INVISIBLE = /^[\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]*$/u;

/** Older names may be empty, invisible, too long or have line breaks, which no input accepts. */
export const isTypeable = (name: string): boolean =>
  !INVISIBLE.test(name) && name.length <= LONGEST_NAME && !/\p{Cc}/u.test(name.trim());

const comparable = (text: string): string => text.trim().normalize('NFC');

export const matchesTyped = (given: string, expected: string): boolean =>
  !INVISIBLE.test(expected) && comparable(given) === comparable(expected);
