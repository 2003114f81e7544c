import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import restify, { type Request, type Response, type Server } from 'restify';
import type { Logger } from '../logging/logger.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { Readiness } from '../process/readiness.ts';
import { addressFault } from './address.ts';
import { type ApiError, errorBody, UNCACHED } from './api-error.ts';
import { framingFault } from './framing.ts';
import { closeAfterResponse, isClosing } from './last-answer.ts';
import { type ObserveRequest, observeRequests } from './observation.ts';
import { handleOneAtATime } from './one-at-a-time.ts';
import { sendError } from './replies.ts';
import { answerSocketErrors } from './socket-errors.ts';

export type ServerOptions = {
  readonly name: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly timeouts?: Timeouts;
};

export type Timeouts = {
  readonly headers_ms: number;
  /** Limit for the headers and the body together. */
  readonly request_ms: number;
  /** Interval of the timeout checks, so a timeout may come later by this much. */
  readonly look_ms: number;
  /** Limit for a client that neither sends nor reads while a request is in progress. */
  readonly inactive_ms?: number;
};

const TIMEOUTS: Timeouts = { headers_ms: 10_000, request_ms: 30_000, look_ms: 1_000 };
/** Default of `inactive_ms`. An API or a gateway answers earlier, and a stream is never silent for this long. */
const INACTIVE_TIMEOUT_MS = 120_000;
/** This exceeds the keep-alive of proxies, so that the proxy closes first. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const DRAIN_TIMEOUT_MS = 8_000;
const DRAIN_LOOK_MS = 50;

/**
 * Passed to restify as `maxParamLength`. It is the size of a whole request head, so the router refuses no id and the
 * handler answers 404.
 */
const LONGEST_PARAMETER = 16 * 1024;

/** Reads inherited properties too, because restify's errors inherit their status. */
const fieldOf = (error: unknown, field: string): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, field) : undefined;

const translated = (error: unknown, request: Request, response: Response, readiness: Readiness): ApiError => {
  switch (fieldOf(error, 'statusCode')) {
    case 404:
      return readiness.has('start')
        ? { tag: 'unavailable', message: 'the service is starting', retry_after_s: 1 }
        : { tag: 'not_found', code: 'unknown_path', message: `there is no ${request.path()}` };
    case 405: {
      const allow = String(response.getHeader('Allow') ?? '').split(', ');
      const message = `${request.method} is not allowed here; use ${allow.join(' or ')}`;
      return { tag: 'method_not_allowed', message, allow };
    }
    default:
      return { tag: 'internal', message: `internal error; report it with the request id ${request.getId()}` };
  }
};

const admit =
  (observe: ObserveRequest) =>
  (request: Request, response: Response): boolean => {
    response.setHeader('X-Request-Id', request.getId());
    const framing = framingFault(request);
    if (framing !== null) closeAfterResponse(response);
    const fault = framing ?? addressFault(request);
    if (fault === null) return true;
    sendError(response, { tag: 'invalid', code: 'malformed_request', message: fault });
    observe(request, response, 'none', 0);
    return false;
  };

/** Node answers an unknown `Expect` header before restify sees the request. */
const refuseExpectation = (response: ServerResponse, logger: Logger): void => {
  const request_id = randomUUID();
  const body = JSON.stringify(errorBody('expectation_failed', 'the only supported expectation is 100-continue'));
  logger.info({ request_id, status: 417 }, 'request');
  response.writeHead(417, {
    ...UNCACHED,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': request_id,
  });
  response.end(body);
};

/** A restify server without routes. Every error, also restify's own, has the form `{"error": "…", "code": "…"}`. */
export const createServer = (options: ServerOptions): Server => {
  const { name, logger, metrics, readiness, timeouts = TIMEOUTS } = options;
  const server = restify.createServer({ name: '', maxParamLength: LONGEST_PARAMETER });
  // Uses `Object.assign`, because restify's types expect another logger.
  Object.assign(server, { log: logger });
  handleOneAtATime(server.server);
  server.server.headersTimeout = timeouts.headers_ms;
  server.server.requestTimeout = timeouts.request_ms;
  server.server.timeout = timeouts.inactive_ms ?? INACTIVE_TIMEOUT_MS;
  server.server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  // Turns off the check for Host, and below the handling of upgrades, because Node would answer in its own format.
  Object.assign(server.server, { requireHostHeader: false, connectionsCheckingInterval: timeouts.look_ms });
  // Set explicitly, because a command-line flag of Node could enable it.
  Object.assign(server.server, { insecureHTTPParser: false });
  server.server.removeAllListeners('upgrade');
  server.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    refuseExpectation(response, logger);
  });

  const observe = observeRequests(server, logger.child({ server: name }), metrics);
  // Skips pipelined requests of a connection that has already got its last answer.
  server.first(({ socket }: Request) => !isClosing(socket));
  answerSocketErrors(server, logger.child({ server: name }));
  server.first(admit(observe));
  server.on('restifyError', (request: Request, response: Response, error: unknown, done: () => void) => {
    const answer = translated(error, request, response, readiness);
    if (answer.tag === 'internal') logger.error({ request_id: request.getId(), error }, 'request failed');
    sendError(response, answer);
    done();
  });
  return server;
};

/** Accepts no new connections, and waits for requests in progress up to the limit. */
export const drainServer = async (server: Server, limit_ms = DRAIN_TIMEOUT_MS): Promise<void> => {
  const { server: http } = server;
  if (!http.listening) return;
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  const timer = setTimeout(() => http.closeAllConnections(), limit_ms);
  // A kept-alive connection must not bring another request.
  http.prependListener('request', (_request: IncomingMessage, response) => response.setHeader('Connection', 'close'));
  // Repeats this, because a connection becomes idle after its answer, and its client may keep it open for a minute.
  const idle = setInterval(() => http.closeIdleConnections(), DRAIN_LOOK_MS);
  await closed;
  clearInterval(idle);
  clearTimeout(timer);
};
