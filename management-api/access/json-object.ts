import * as E from 'fp-ts/lib/Either.js';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { ApiRequest } from '../../platform/http-server/route.ts';

type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of a JSON object. Those that are not known may come to mean something, and are ignored. */
export const bodyOf = async (request: ApiRequest): Promise<E.Either<ApiError, Members>> => {
  const body = await request.json();
  if (E.isLeft(body)) return body;
  return isMembers(body.right)
    ? E.right(body.right)
    : E.left({ tag: 'invalid', message: 'the body must be a JSON object; where nothing is asked for, {}' });
};
