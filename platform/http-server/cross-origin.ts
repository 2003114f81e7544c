import cors from 'cors';
import type { Request, Response, Server } from 'restify';

const MAX_AGE_S = 600;

const MANAGEMENT = '/manage/';

/** Routers decode unnecessary escapes, so this check decodes them too. Malformed escapes are refused earlier. */
const isManaged = (path: string): boolean => (path.includes('%') ? decodeURI(path) : path).startsWith(MANAGEMENT);

/** Response headers that scripts may read, in addition to the default ones. */
const EXPOSED = [
  'Location',
  'Link',
  'Ignored-Values',
  'Ignored-Members',
  'Ignored-Parameters',
  'Allow',
  'ETag',
  'Retry-After',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'WWW-Authenticate',
  'X-Request-Id',
];

/**
 * CORS: lets pages of other origins call the service. Adds the headers to every answer, errors included, and answers
 * preflights.
 * @param origins as browsers send them; `['*']` for every origin; undefined for none
 */
export const allowOrigins = (server: Server, origins: readonly string[] | undefined): void => {
  if (origins === undefined) return;
  const addHeaders = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    // The methods of the whole API, because every server answers for all paths.
    methods: ['GET', 'HEAD', 'POST'],
    allowedHeaders: ['Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'traceparent'],
    exposedHeaders: EXPOSED,
    maxAge: MAX_AGE_S,
    preflightContinue: true,
  });
  server.first((request: Request, response: Response) => {
    // Paths that authenticate by cookie accept only the service's own origin, even if other origins may call /v1.
    if (isManaged(request.path())) return true;
    // A request without an origin gets the headers too, because a cache must know that the answer depends on the
    // origin.
    addHeaders(request, response, () => undefined);
    return true;
  });
};
