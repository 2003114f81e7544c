import * as E from 'fp-ts/lib/Either.js';

/** A parameter that must be there; the message names it. The first counts where it is given twice. */
export const requiredParameter = (query: URLSearchParams, name: string): E.Either<string, string> => {
  const value = query.get(name);
  if (value === null) return E.left(`${name}: is required, as a query parameter`);
  return value === '' ? E.left(`${name}: must be at least 1 character`) : E.right(value);
};
