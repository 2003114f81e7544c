import * as E from 'fp-ts/lib/Either.js';
import type { ApiError } from '../platform/http-server/api-error.ts';

/** The same answer for what does not exist and for what the key does not reach. */
export const absent = (what: string): E.Either<ApiError, never> =>
  E.left({ tag: 'not_found', message: `there is no such ${what}` });

export const invalid = (message: string): ApiError => ({ tag: 'invalid', message });
