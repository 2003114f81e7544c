import * as E from 'fp-ts/lib/Either.js';
import { apiKeyHash, bearerToken } from '../../domain/access/api-key.ts';
import type { ApiError } from '../http-server/api-error.ts';
import type { Clock } from '../process/clock.ts';
import { type Access, isKeyActive } from './access.ts';
import type { ApiKeyCache } from './api-key-cache.ts';
import { READ_MODEL_BEHIND_ERROR } from './away.ts';
import type { KeyUseRecorder } from './last-used.ts';
import type { RateLimitState, RateLimits } from './rate-limits.ts';
import { sha256Hex } from './sha256.ts';

export type AdmittedRequest = { readonly access: Access; readonly rate: RateLimitState };

export type Authenticator = {
  /**
   * Unknown, revoked and expired keys get the same message, to reveal nothing. Rejects when the store does not answer.
   */
  readonly admit: (authorization: string | undefined) => Promise<E.Either<ApiError, AdmittedRequest>>;
};

const RETRY_AFTER_S = 1;

const refused = (message: string): E.Either<ApiError, never> =>
  E.left({ tag: 'unauthenticated', param: 'Authorization', message });

const NO_KEY: ApiError = {
  ...{ tag: 'unauthenticated', code: 'missing_api_key', param: 'Authorization' },
  message: 'Authorization: must be given, as "Bearer <API key>"',
};

const TOO_MANY: ApiError = {
  tag: 'unavailable',
  message: 'too many API keys are being checked; nothing was changed, try again',
  retry_after_s: RETRY_AFTER_S,
};

/** @param isBehind whether the read models lack data that clients have already seen */
export const openAuthenticator = (
  keys: ApiKeyCache,
  limits: RateLimits,
  use: KeyUseRecorder,
  clock: Clock,
  isBehind: () => Promise<boolean>,
): Authenticator => ({
  admit: async (authorization) => {
    if (authorization === undefined) return E.left(NO_KEY);
    const token = bearerToken(authorization);
    if (token === null) return refused('Authorization: must be "Bearer <API key>"');
    const hash = apiKeyHash(token, sha256Hex);
    if (hash === null) return refused('Authorization: is not an API key');
    if (await isBehind()) return E.left(READ_MODEL_BEHIND_ERROR);
    const found = await keys.find(hash);
    if (found === 'too_many') return E.left(TOO_MANY);
    if (found === undefined || !isKeyActive(found.key, clock.now()))
      return refused('Authorization: the key is not valid');
    use.note(found.key.id);
    return E.right({ access: found.access, rate: await limits(found.key.id) });
  },
});
