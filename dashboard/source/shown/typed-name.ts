/** The maximum length of a name that may be sent, in UTF-16 units. */
const LONGEST_NAME = 500;

/** Invisible text, as defined by the service in `text-rules.ts`. */
const INVISIBLE = /^[\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]*$/u;

/** Names from before the rules may be empty, invisible or too long, or have line breaks, which no input accepts. */
export const canBeTyped = (name: string): boolean =>
  !INVISIBLE.test(name) && name.length <= LONGEST_NAME && !/\p{Cc}/u.test(name.trim());

const comparable = (text: string): string => text.trim().normalize('NFC');

/** Whether the person typed the requested text. An empty text never matches. */
export const isTyped = (given: string, asked: string): boolean =>
  !INVISIBLE.test(asked) && comparable(given) === comparable(asked);
