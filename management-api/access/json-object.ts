import * as E from 'fp-ts/lib/Either.js';
import type { Shape } from '../../domain/shape/shape.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import type { ApiRequest } from '../../platform/http-server/route.ts';
import { decodeShape, isObject } from '../../schemas/http/shapes.ts';

export const readJsonObject = async (
  request: ApiRequest,
): Promise<E.Either<ApiError, { readonly [name: string]: unknown }>> => {
  const body = await request.json();
  if (E.isLeft(body)) return body;
  return isObject(body.right)
    ? E.right(body.right)
    : E.left({ tag: 'invalid', message: 'the body must be a JSON object, for example {}' });
};

export const decodeBody = async <A>(request: ApiRequest, shape: Shape<A>): Promise<E.Either<ApiError, A>> => {
  const body = await readJsonObject(request);
  return E.isLeft(body) ? body : E.mapLeft(invalidInput)(decodeShape(shape, body.right));
};
