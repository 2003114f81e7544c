import * as E from 'fp-ts/lib/Either.js';
import { BlobFault } from '../blob-store/blob-store.ts';
import type { ApiError } from '../http-server/api-error.ts';
import type { Reply } from '../http-server/replies.ts';
import type { ApiRequest, Handler } from '../http-server/route.ts';
import { isStoreFault } from '../read-store/store-faults.ts';
import type { Access } from './access.ts';
import type { Authenticator } from './authenticator.ts';
import type { RateShare } from './rate-limits.ts';

/** A handler of an authenticated request. */
export type AuthenticatedHandler = (request: ApiRequest, access: Access) => Promise<E.Either<ApiError, Reply>>;

const RETRY_AFTER_S = 1;

const isOutage = (error: unknown): boolean => isStoreFault(error) || error instanceof BlobFault;

const rateLimited = ({ retry_after_s }: RateShare): ApiError => ({
  tag: 'rate_limited',
  message: `too many requests with this API key; the next one may come in ${retry_after_s} s`,
  retry_after_s,
});

/**
 * Checks the key and its rate limit before anything else of the request is read. A dependency that does not answer
 * becomes "unavailable". This must be true for the handler too: it may throw such an error only where nothing has
 * happened yet.
 */
export const authenticated =
  (authenticator: Authenticator, handler: AuthenticatedHandler): Handler =>
  async (request) => {
    try {
      const admitted = await authenticator.admit(request.headers.authorization);
      if (E.isLeft(admitted)) return admitted;
      const { access, rate } = admitted.right;
      request.answerWith(rate.headers);
      return rate.allowed ? await handler(request, access) : E.left(rateLimited(rate));
    } catch (error) {
      if (!isOutage(error)) throw error;
      request.log().warn({ error }, 'a server behind does not answer');
      const message = 'a server that is needed for this does not answer; nothing happened, try again';
      return E.left({ tag: 'unavailable', message, retry_after_s: RETRY_AFTER_S });
    }
  };
