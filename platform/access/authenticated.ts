import * as E from 'fp-ts/lib/Either.js';
import type { ApiError } from '../http-server/api-error.ts';
import type { Reply } from '../http-server/replies.ts';
import type { ApiRequest, Handler } from '../http-server/route.ts';
import type { Access } from './access.ts';
import type { Authenticator } from './authenticator.ts';
import { unavailableOnOutage } from './away.ts';
import type { RateLimitState } from './rate-limits.ts';

export type AuthenticatedHandler = (request: ApiRequest, access: Access) => Promise<E.Either<ApiError, Reply>>;

const rateLimited = ({ retry_after_s }: RateLimitState): ApiError => ({
  tag: 'rate_limited',
  message: `too many requests with this API key; try again in ${retry_after_s} s`,
  retry_after_s,
});

export const authenticated =
  (authenticator: Authenticator, handler: AuthenticatedHandler): Handler =>
  (request) =>
    unavailableOnOutage(request, async () => {
      const admitted = await authenticator.admit(request.headers.authorization);
      if (E.isLeft(admitted)) return admitted;
      const { access, rate } = admitted.right;
      request.answerWith(rate.headers);
      return rate.allowed ? await handler(request, access) : E.left(rateLimited(rate));
    });
