import cors from 'cors';
import type { Request, Response, Server } from 'restify';

/** How long a browser may cache the answer to a preflight. */
const MAX_AGE_S = 600;

const MANAGEMENT = '/manage/';

/** As routers read it: unnecessary escapes are decoded. Malformed ones are refused before. */
const isManaged = (path: string): boolean => (path.includes('%') ? decodeURI(path) : path).startsWith(MANAGEMENT);

/** Response headers that scripts may read, beside those that they always may. */
const EXPOSED = [
  'Location',
  'Link',
  'Ignored-Values',
  'Allow',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'WWW-Authenticate',
  'X-Request-Id',
];

/**
 * CORS: lets pages of other origins call the service. Adds headers to every answer to a request with an origin, errors
 * included. Others answer the preflight itself.
 *
 * @param origins as browsers send them; `['*']` for every one; undefined for none
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
    // What a browser's cookie opens is for pages of the service's own origin, whoever else may call /v1.
    if (isManaged(request.path())) return true;
    // Also without an origin: a cache must know that the answer depends on it.
    addHeaders(request, response, () => undefined);
    return true;
  });
};
