import * as E from 'fp-ts/lib/Either.js';
import type { ApiError } from '../platform/http-server/api-error.ts';

/** The same answer for a missing resource and for one that the key does not reach. */
export const notFoundError = (what: string): E.Either<ApiError, never> =>
  E.left({ tag: 'not_found', message: `there is no such ${what}` });

export const invalidError = (message: string): ApiError => ({ tag: 'invalid', message });
