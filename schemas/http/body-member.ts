import * as E from 'fp-ts/lib/Either.js';

/**
 * Members of a JSON object that is the body of a request. Messages name the member and never its value. What would be
 * dangerous to forget is required, null included: a name with a slip of the pen is an unknown one, and ignored.
 */
export type Members = Readonly<Record<string, unknown>>;

type Decoded<A> = E.Either<string, A>;

/** A text of 1 to `most` UTF-16 units, which can be written as UTF-8. */
export const textMember = (body: Members, name: string, most: number): Decoded<string> => {
  const value = body[name];
  if (typeof value !== 'string') return E.left(`${name}: is required, as a text`);
  if (value === '') return E.left(`${name}: must be at least 1 character`);
  if (!value.isWellFormed()) return E.left(`${name}: must not hold half of a surrogate pair`);
  return value.length <= most ? E.right(value) : E.left(`${name}: must have at most ${most} characters`);
};

/** The same, or null where it is left out. */
export const optionalTextMember = (body: Members, name: string, most: number): Decoded<string | null> =>
  (body[name] ?? null) === null ? E.right(null) : textMember(body, name, most);

const isOneOf = <W extends string>(value: unknown, words: readonly W[]): value is W =>
  words.some((word) => word === value);

export const wordMember = <W extends string>(body: Members, name: string, words: readonly W[]): Decoded<W> => {
  const value = body[name];
  return isOneOf(value, words) ? E.right(value) : E.left(`${name}: is required, as one of ${words.join(', ')}`);
};

/** Null where it is left out. */
export const optionalWordMember = <W extends string>(
  body: Members,
  name: string,
  words: readonly W[],
): Decoded<W | null> => {
  const value = body[name] ?? null;
  return value === null || isOneOf(value, words)
    ? E.right(value)
    : E.left(`${name}: must be one of ${words.join(', ')}`);
};

/** Some of these words, at least one. */
export const wordsMember = <W extends string>(
  body: Members,
  name: string,
  words: readonly W[],
): Decoded<readonly W[]> => {
  const value = body[name];
  const is_list = Array.isArray(value) && value.length > 0 && value.length <= words.length;
  if (!is_list || !value.every((one) => isOneOf(one, words)))
    return E.left(`${name}: is required, as a list of some of ${words.join(', ')}`);
  return E.right(words.filter((word) => value.includes(word)));
};

/** Texts of 1 to `longest` UTF-16 units, `most` of them; null where the list is left out. */
export const textsMember = (
  body: Members,
  name: string,
  most: number,
  longest: number,
): Decoded<readonly string[] | null> => {
  const value: unknown = body[name] ?? null;
  if (value === null) return E.right(null);
  const isText = (one: unknown): one is string => typeof one === 'string' && one !== '' && one.length <= longest;
  if (!Array.isArray(value) || value.length === 0 || value.length > most || !value.every(isText))
    return E.left(`${name}: must be a list of 1 to ${most} texts`);
  return E.right([...new Set<string>(value)]);
};

const isWhole = (value: unknown, from: number, to: number): value is number =>
  Number.isSafeInteger(value) && Number(value) >= from && Number(value) <= to;

export const numberMember = (body: Members, name: string, from: number, to: number): Decoded<number> => {
  const value = body[name];
  return isWhole(value, from, to)
    ? E.right(value)
    : E.left(`${name}: is required, as a whole number from ${from} to ${to}`);
};

/** The last moment of the year 9999. */
const LAST_TIME = 253_402_300_799_999;

/** A time in ms since the epoch. */
export const timeMember = (body: Members, name: string): Decoded<number> => numberMember(body, name, 0, LAST_TIME);

/** The same, or null, which has to be said. */
export const timeOrNullMember = (body: Members, name: string): Decoded<number | null> => {
  const value = body[name];
  return value === null || isWhole(value, 0, LAST_TIME)
    ? E.right(value)
    : E.left(`${name}: is required, as milliseconds since the epoch, or null`);
};
