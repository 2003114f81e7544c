import * as E from 'fp-ts/lib/Either.js';

/**
 * Parameters of the query. Where one is given twice the first counts; one that is not known is ignored, so that later
 * ones can be added. Messages name the parameter and never its value.
 */

const TOO_SHORT = 'must be at least 1 character';

/** A parameter that must be there. */
export const requiredParameter = (query: URLSearchParams, name: string): E.Either<string, string> => {
  const value = query.get(name);
  if (value === null) return E.left(`${name}: is required, as a query parameter`);
  return value === '' ? E.left(`${name}: ${TOO_SHORT}`) : E.right(value);
};

/** A parameter that may be left out, but not empty. */
export const optionalParameter = (query: URLSearchParams, name: string): E.Either<string, string | null> => {
  const value = query.get(name);
  return value === '' ? E.left(`${name}: ${TOO_SHORT}`) : E.right(value);
};
