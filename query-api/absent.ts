import * as E from 'fp-ts/lib/Either.js';
import type { ApiError } from '../platform/http-server/api-error.ts';

/**
 * The same answer for a missing resource and for one that the key does not reach.
 *
 * @param param the parameter of the path or the query with the ID
 */
export const notFoundError = (what: string, param: string): E.Either<ApiError, never> =>
  E.left({ tag: 'not_found', param, message: `there is no such ${what}` });
