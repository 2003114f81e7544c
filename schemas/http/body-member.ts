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
