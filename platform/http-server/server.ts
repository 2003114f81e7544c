import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import restify, { type Request, type Response, type Server } from 'restify';
import type { Logger } from '../logging/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Readiness } from '../process/readiness.ts';
import type { ApiError } from './api-error.ts';
import { addHealthRoutes } from './health.ts';
import { observeRequests } from './observation.ts';
import { sendError } from './replies.ts';
import { requestId } from './request-id.ts';

export type ServerOptions = {
  readonly name: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
};

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than proxies keep theirs, so that it is the proxy that closes. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const DRAIN_TIMEOUT_MS = 8_000;
const DRAIN_LOOK_MS = 50;

/** Also what an error inherits, as restify's do their status. */
const fieldOf = (error: unknown, field: string): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, field) : undefined;

/** restify's own errors, and whatever a handler threw, in the form of the service; nothing internal is shown. */
const translated = (error: unknown, request: Request, response: Response, readiness: Readiness): ApiError => {
  switch (fieldOf(error, 'statusCode')) {
    case 404:
      return readiness.has('start')
        ? { tag: 'unavailable', message: 'the service is starting', retry_after_s: 1 }
        : { tag: 'not_found', message: `there is no ${request.method} ${request.path()}` };
    case 405: {
      const allow = String(response.getHeader('Allow') ?? '').split(', ');
      const message = `${request.method} is not allowed here; use ${allow.join(' or ')}`;
      return { tag: 'method_not_allowed', message, allow };
    }
    default:
      return { tag: 'internal', message: `internal error; ask about it with the request id ${requestId(request)}` };
  }
};

/** Whether restify could read the address at all: it would throw where nobody catches. */
const readableUrl = (request: Request): boolean => {
  try {
    request.getUrl();
    if (request.url?.includes('%')) decodeURIComponent(request.url);
    return true;
  } catch {
    return false;
  }
};

const refuseBadUrl = (request: Request, response: Response): boolean => {
  response.setHeader('X-Request-Id', requestId(request));
  if (readableUrl(request)) return true;
  const body = JSON.stringify({ error: 'the address or the Host header is malformed (check its percent-encoding)' });
  response.writeHead(400, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
  return false;
};

const CLIENT_ERRORS: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the headers are larger than 16 KiB'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive'],
};

/** What is not even HTTP, or too much of it: answered on the bare socket. */
const onClientError = (error: Error, socket: Socket): void => {
  if (!socket.writable || socket.bytesWritten > 0) {
    socket.destroy();
    return;
  }
  const [status, message] = CLIENT_ERRORS[String(fieldOf(error, 'code'))] ?? [400, 'this is not a valid HTTP request'];
  const body = JSON.stringify({ error: message });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
};

/**
 * A restify server with `/health/live`, `/health/ready` and `/metrics`, request ids, and `{"error": "…"}` for every
 * error, restify's own included. Routes are added with `addRoute`.
 */
export const createServer = ({ name, logger, metrics, readiness }: ServerOptions): Server => {
  const server = restify.createServer({ name: '', maxParamLength: 512 });
  // Its types want another logger than the one it has.
  Object.assign(server, { log: logger });
  server.server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  // Node would answer a request without Host, or for an upgrade, in its own words.
  Object.assign(server.server, { requireHostHeader: false });
  server.server.removeAllListeners('upgrade');
  server.server.on('checkExpectation', (_request, response) => {
    const body = JSON.stringify({ error: 'the only expectation that can be met is 100-continue' });
    response.writeHead(417, { 'Content-Type': 'application/json' });
    response.end(body);
  });

  server.first(refuseBadUrl);
  server.on('restifyError', (request: Request, response: Response, error: unknown, done: () => void) => {
    const answer = translated(error, request, response, readiness);
    if (answer.tag === 'internal') logger.error({ request_id: requestId(request), error }, 'request failed');
    sendError(response, answer);
    done();
  });
  server.on('clientError', onClientError);
  observeRequests(server, logger.child({ server: name }), metrics);
  addHealthRoutes(server, logger, metrics, readiness);
  return server;
};

/** No new connection; waits for the requests under way, at most eight seconds; idle connections are closed at once. */
export const drain = async (server: Server): Promise<void> => {
  const { server: http } = server;
  if (!http.listening) return;
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  const timer = setTimeout(() => http.closeAllConnections(), DRAIN_TIMEOUT_MS);
  // A connection that was kept alive must not bring another request.
  http.prependListener('request', (_request: IncomingMessage, response) => response.setHeader('Connection', 'close'));
  // One that has just been answered is idle, too, and its client may hold it for a minute.
  const idle = setInterval(() => http.closeIdleConnections(), DRAIN_LOOK_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
};
