import type { Next, Request, Response, Server } from 'restify';
import { hasBody } from '../platform/http-server/framing.ts';
import { MAX_BODY_BYTES } from '../platform/http-server/json-body.ts';
import { closeAfterResponse } from '../platform/http-server/last-answer.ts';
import { sendError } from '../platform/http-server/replies.ts';

/**
 * How long to read a body that is discarded. A client that is still sending treats a closed connection as an error and
 * does not read its answer.
 */
const DRAIN_TIMEOUT_MS = 1_000;

const drain = (request: Request, done: () => void): void => {
  let size = 0;
  const end = (): void => {
    clearTimeout(timer);
    request.off('data', take);
    request.off('close', end);
    done();
  };
  const take = (chunk: Buffer): void => {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) end();
  };
  const timer = setTimeout(end, DRAIN_TIMEOUT_MS);
  request.on('data', take);
  request.once('close', end);
};

/**
 * Discards the body of a request whose method is not POST, with all data after it, and ends the connection. A proxy may
 * have seen that data as a separate request (request smuggling).
 */
export const closeAfterUnreadBodies = (server: Server): void => {
  server.pre((request: Request, response: Response, next: Next) => {
    const { method = '' } = request;
    if (method === 'POST' || !hasBody(request)) return next();
    closeAfterResponse(response);
    return drain(request, () => {
      if (method !== 'GET' && method !== 'HEAD') return next();
      sendError(response, {
        tag: 'invalid',
        code: 'malformed_request',
        message: `${method} takes no body: send it without one`,
      });
      return next(false);
    });
  });
};
