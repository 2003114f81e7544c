import cors from 'cors';
import type { Request, Response, Server } from 'restify';

/** How long a browser may cache the answer to a preflight. */
const MAX_AGE_S = 600;

const MANAGEMENT = '/manage/';

/** Decodes unnecessary escapes as routers do. Malformed escapes are refused earlier. */
const isManaged = (path: string): boolean => (path.includes('%') ? decodeURI(path) : path).startsWith(MANAGEMENT);

/** Response headers that scripts may read, in addition to the default ones. */
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
 * included. Answers preflights itself.
 * @param origins as browsers send them; `['*']` for every origin; undefined for none
 */
export const allowOrigins = (server: Server, origins: readonly string[] | undefined): void => {
  if (origins === undefined) return;
  const addHeaders = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    // The methods of the whole API instead of this path, because every server answers for all paths.
    methods: ['GET', 'HEAD', 'POST'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'traceparent'],
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE_S,
    preflightContinue: true,
  });
  server.first((request: Request, response: Response) => {
    // Paths that a cookie opens are only for pages of the service's own origin, even if other origins may call /v1.
    if (isManaged(request.path())) return true;
    // Also without an origin: a cache must know that the answer depends on it.
    addHeaders(request, response, () => undefined);
    return true;
  });
};
