import type { Request, Response, Server } from 'restify';
import { allowedMethodsAt, isShadowed } from '../../schemas/http/routes.ts';
import type { ApiError } from './api-error.ts';
import { allowOrigins } from './cross-origin.ts';
import { sendError, sendNoContent } from './replies.ts';

const EVERYTHING = 'GET, HEAD, OPTIONS, POST';

/** A path in a message is the client's text, so its length is bounded. */
const SHOWN_PATH = 100;

const shown = (path: string): string =>
  path.length > SHOWN_PATH ? `${path.slice(0, SHOWN_PATH).toWellFormed()}…` : path;

const notFound = (message: string): ApiError => ({ tag: 'not_found', code: 'unknown_path', message });

const judged = (method: string, path: string, allow: readonly string[] | null): ApiError => {
  if (allow === null) return notFound(`there is no ${shown(path)}`);
  if (allow.includes(method))
    return notFound(`${method} ${shown(path)} is served by another component: send it to the gateway`);
  const message = `${method} is not allowed here; use ${allow.slice(0, -1).join(', ')} or ${allow.at(-1)}`;
  return { tag: 'method_not_allowed', message, allow };
};

const answerByTable = (request: Request, response: Response): void => {
  const { method = '' } = request;
  const path = request.path();
  const allow = allowedMethodsAt(path);
  // The `Allow` header of restify lists only the methods of this server, not those of the whole API.
  response.removeHeader('Allow');
  if (method === 'OPTIONS' && allow !== null) sendNoContent(response, { Allow: allow.join(', ') });
  else sendError(response, judged(method, path, allow));
};

/**
 * Answers requests without a matching route by the routes of the whole API, as every other server does. Call it after
 * all routes are added.
 */
export const addFallbackRoutes = (server: Server, origins: readonly string[] | undefined): void => {
  allowOrigins(server, origins);
  // `OPTIONS *` asks about the server as a whole, and restify would give its own answer.
  server.first((request: Request, response: Response) => {
    if (request.method !== 'OPTIONS' || request.url !== '*') return true;
    sendNoContent(response, { Allow: EVERYTHING });
    return false;
  });
  server.first((request: Request, response: Response) => {
    if (!isShadowed(request.method ?? '', request.path())) return true;
    answerByTable(request, response);
    return false;
  });
  for (const event of ['NotFound', 'MethodNotAllowed']) {
    server.on(event, (request: Request, response: Response, _error: unknown, done: () => void) => {
      answerByTable(request, response);
      done();
    });
  }
};
