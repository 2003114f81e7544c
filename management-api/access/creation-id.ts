import * as E from 'fp-ts/lib/Either.js';
import { sha256Hex } from '../../platform/access/sha256.ts';
import { type ApiError, invalidInput } from '../../platform/http-server/api-error.ts';
import { idempotencyKey } from '../../platform/http-server/idempotency-key.ts';
import type { ApiRequest } from '../../platform/http-server/route.ts';

const ID_DIGITS = 32;

/**
 * The id of a new entity. It is derived from the person, the place and the Idempotency-Key, so that a repeated request
 * finds the entity (ADR 74). Null without a key.
 *
 * @param place ids of the parents, and the kind if the prefix does not name it
 */
export const idempotentCreationId = (
  request: Pick<ApiRequest, 'headers'>,
  prefix: string,
  user_id: string,
  ...place: readonly string[]
): E.Either<ApiError, string | null> => {
  const key = idempotencyKey(request);
  if (E.isLeft(key)) return E.left(invalidInput(key.left));
  if (key.right === null) return E.right(null);
  const digits = sha256Hex(JSON.stringify([prefix, user_id, ...place, key.right])).slice(0, ID_DIGITS);
  return E.right(`${prefix}_${digits}`);
};

export const IDEMPOTENCY_CONFLICT: ApiError = {
  ...{ tag: 'conflict_of_idempotency', param: 'Idempotency-Key' },
  message: 'Idempotency-Key: was used with another body; use a new key for a new request',
};
