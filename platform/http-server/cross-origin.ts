import cors from 'cors';
import type { Request, Response, Server } from 'restify';

/** For so long a browser need not ask again whether it may. */
const MAX_AGE_S = 600;

/** Headers beyond those that any page may read. */
const EXPOSED = [
  'Location',
  'Link',
  'Allow',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'WWW-Authenticate',
  'X-Request-Id',
];

/**
 * Lets pages of other origins call the service: headers on every answer to a request that names its origin, errors
 * included. What a preflight is answered with beside them is left to others.
 *
 * @param origins as browsers send them; `['*']` for every one; none where no page may
 */
export const allowOrigins = (server: Server, origins: readonly string[] | undefined): void => {
  if (origins === undefined) return;
  const addHeaders = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    // The methods of the whole interface, not of this path alone: every server answers for all of it.
    methods: ['GET', 'HEAD', 'POST'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'traceparent'],
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE_S,
    preflightContinue: true,
  });
  server.first((request: Request, response: Response) => {
    // Also where there is no origin: a cache must know that the answer differs with it.
    addHeaders(request, response, () => undefined);
    return true;
  });
};
