/** UTF-16 units of a name that may be sent. */
const LONGEST_NAME = 500;

/** What is drawn as nothing, as the service has it in `text-rules.ts`. */
const INVISIBLE = /^[\p{White_Space}\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]*$/u;

/** Names from before the rules may be empty, invisible or longer than any of now, or hold line breaks, which no input takes. */
export const canBeTyped = (name: string): boolean =>
  !INVISIBLE.test(name) && name.length <= LONGEST_NAME && !/\p{Cc}/u.test(name.trim());

const comparable = (text: string): string => text.trim().normalize('NFC');

/** Whether what a person typed is what they were asked for. Nothing never is. */
export const isTyped = (given: string, asked: string): boolean =>
  !INVISIBLE.test(asked) && comparable(given) === comparable(asked);
