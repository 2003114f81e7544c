import * as E from 'fp-ts/lib/Either.js';
import type { Shape } from '../../domain/shape/shape.ts';
import type { ApiError } from '../../platform/http-server/api-error.ts';
import type { ApiRequest } from '../../platform/http-server/route.ts';
import type { Members } from '../../schemas/http/body-member.ts';
import { decoded } from '../../schemas/http/shapes.ts';

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The members of a JSON object. Those that are not known may come to mean something, and are ignored. */
export const bodyOf = async (request: ApiRequest): Promise<E.Either<ApiError, Members>> => {
  const body = await request.json();
  if (E.isLeft(body)) return body;
  return isMembers(body.right)
    ? E.right(body.right)
    : E.left({ tag: 'invalid', message: 'the body must be a JSON object, which may be {}' });
};

const invalid = (message: string): ApiError => ({ tag: 'invalid', message });

/** What the members say. @param decode left: what is wrong with them */
export const decodedBody = async <A>(
  request: ApiRequest,
  decode: (body: Members) => E.Either<string, A>,
): Promise<E.Either<ApiError, A>> => {
  const body = await bodyOf(request);
  return E.isLeft(body) ? body : E.mapLeft(invalid)(decode(body.right));
};

/** The body as its shape decodes it. */
export const bodyAs = async <A>(request: ApiRequest, shape: Shape<A>): Promise<E.Either<ApiError, A>> => {
  const body = await bodyOf(request);
  return E.isLeft(body) ? body : E.mapLeft(invalid)(decoded(shape, body.right));
};
