import * as E from 'fp-ts/lib/Either.js';

/**
 * Query parameters. The first counts where one is repeated; unknown ones are ignored, so that later ones can be added.
 * Messages name the parameter and never its value.
 */

const TOO_SHORT = 'must be at least 1 character';

/** A required parameter. */
export const requiredParameter = (query: URLSearchParams, name: string): E.Either<string, string> => {
  const value = query.get(name);
  if (value === null) return E.left(`${name}: is required, as a query parameter`);
  return value === '' ? E.left(`${name}: ${TOO_SHORT}`) : E.right(value);
};

/** An optional parameter, which must not be empty. */
export const optionalParameter = (query: URLSearchParams, name: string): E.Either<string, string | null> => {
  const value = query.get(name);
  return value === '' ? E.left(`${name}: ${TOO_SHORT}`) : E.right(value);
};
