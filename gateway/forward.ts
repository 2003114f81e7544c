import type { Request, Response } from 'restify';
import { requestTarget } from '../platform/http-server/address.ts';
import type { ApiError } from '../platform/http-server/api-error.ts';
import { sendStatic } from '../platform/http-server/fixed-answer.ts';
import { TOO_LARGE } from '../platform/http-server/json-body.ts';
import { sendBytes, sendError, sendReply } from '../platform/http-server/replies.ts';
import { isPublicFile, isStream, needsSession, routePatternAt } from '../schemas/http/routes.ts';
import type { QueuedWork } from './address-limits.ts';
import type { Connection, Connections } from './connections.ts';
import { forwardedRequestHeaders, forwardedResponseHeaders, type RequiredCredentials } from './forwarded-headers.ts';
import { type InvalidKeyLimiter, isWellFormedKey, keyFingerprint } from './invalid-key-limiter.ts';
import { forwardStream } from './pass-stream.ts';
import { PublicFileCache } from './public-files.ts';
import type { PublicRequestLimiter } from './public-request-limiter.ts';
import { readBody } from './request-body.ts';
import { type SessionLimiter, sessionFingerprint } from './session-limiter.ts';
import type { Upstream, UpstreamAnswer, UpstreamFault, UpstreamRequest, UpstreamResponse } from './upstream.ts';
import { upstreamFaultReply } from './upstream-fault-reply.ts';

export type ForwardDependencies = {
  readonly connections: Connections;
  readonly keys: InvalidKeyLimiter;
  readonly public_requests: PublicRequestLimiter;
  readonly sessions: SessionLimiter;
  readonly clientOf: (request: Pick<Request, 'headers' | 'socket'>) => string;
  readonly read_timeout_ms: number;
  /** Streams end when the process stops. */
  readonly stopping: AbortSignal;
  readonly now: () => number;
};

type Api = { readonly upstream: Upstream; readonly files: PublicFileCache };

/** restify's status in logs and metrics for a client that disconnected. */
const CLIENT_GONE = 444;

const NO_ROOM: ApiError = {
  tag: 'unavailable',
  message: 'too many requests are under way; nothing was changed, try again',
  retry_after_s: 1,
};

const rateLimited = (message: string, retry_after_s: number): ApiError => ({
  tag: 'rate_limited',
  message: `${message}; try again in ${retry_after_s} s`,
  retry_after_s,
});

/**
 * Sends the API's answer with the listed headers only. Answers to HEAD, and 304, have no body, but headers that
 * describe one.
 */
const sendAnswer = (
  response: Response,
  method: string,
  needs: RequiredCredentials,
  { status, headers, body }: UpstreamResponse,
): void => {
  const allowed = forwardedResponseHeaders(headers, needs);
  const { 'content-length': length } = headers;
  const without = method === 'HEAD' || status === 304 || status === 204;
  // With 304, the client uses the content type in its cache.
  if (status === 304) delete allowed['content-type'];
  if (without && typeof length === 'string' && status !== 204) allowed['Content-Length'] = length;
  sendBytes(response, status, without ? null : body, allowed);
};

const methodOf = ({ method }: Request): UpstreamRequest['method'] =>
  method === 'POST' || method === 'HEAD' ? method : 'GET';

const responseClosed = (
  request: Request,
  response: Response,
  connection: Connection,
  parts: ForwardDependencies,
): Promise<void> => {
  const { socket } = request;
  // The response may be complete already, for example after a refusal.
  if (socket.destroyed || response.closed) return Promise.resolve();
  parts.connections.makeEvictableAs(connection, 'unauthenticated');
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      response.off('close', done);
      socket.off('close', done);
      resolve();
    };
    const timer = setTimeout(() => socket.destroy(), parts.read_timeout_ms);
    response.once('close', done);
    socket.once('close', done);
  });
};

const NOT_SENT: UpstreamFault = { tag: 'failed', code: undefined, sent: false, answering: false };

const callUpstream = async (
  request: Request,
  upstream: Upstream,
  upstreamRequest: UpstreamRequest,
): Promise<UpstreamAnswer> => {
  if (request.socket.destroyed) return NOT_SENT;
  const { answer, abort } = upstream.send(upstreamRequest);
  request.socket.once('close', abort);
  const result = await answer;
  request.socket.off('close', abort);
  return result;
};

type Limiter = { readonly queue: <A>(address: string, work: () => Promise<A>, left: A) => QueuedWork<A> };

const inTurn = <A>(
  { socket }: Request,
  limiter: Limiter,
  address: string,
  work: () => Promise<A>,
  gone: A,
): Promise<A> => {
  const { result, leave } = limiter.queue(address, work, gone);
  socket.once('close', leave);
  return result.finally(() => socket.off('close', leave));
};

const sendPublicFile = async (
  request: Request,
  response: Response,
  files: PublicFileCache,
  limiter: Limiter,
  address: string,
): Promise<boolean> => {
  const path = request.path();
  if (!isPublicFile(path)) return false;
  const file = files.kept(path) ?? (await inTurn(request, limiter, address, () => files.load(path), null));
  if (request.socket.destroyed) return true;
  if (file === null) return false;
  await sendStatic(request, response, file);
  return true;
};

/** Reads the request completely and then sends a new one to the API. Data is never piped (ADR 35). */
const exchange = async (
  request: Request,
  response: Response,
  connection: Connection,
  { upstream, files }: Api,
  parts: ForwardDependencies,
  needs: RequiredCredentials,
): Promise<void> => {
  const { connections, keys, public_requests, sessions } = parts;
  const keyed = needs === 'key';
  const session = needs === 'session' ? sessionFingerprint(request.headers) : null;
  const method = methodOf(request);
  const path = routePatternAt(request.path());
  // The API limits the rate only of routes that need a session. On other routes, such as sign-in, a client with a valid
  // session counts as a stranger, so that it gets no more sign-ins than others.
  const asksSession = path !== null && needsSession(path);
  const isStranger = needs === 'session' && !(asksSession && sessions.isAccepted(session));
  const { authorization } = request.headers;
  const fingerprint = keyed ? keyFingerprint(authorization) : null;
  const address = connection.address ?? '';
  const admission = keyed ? keys.admit(address, authorization, fingerprint) : 'pass';
  // A connection of a request without a key may be evicted at any time.
  if (admission === 'refuse' || needs === 'nothing' || isStranger)
    connections.makeEvictableAs(connection, 'unauthenticated');
  else if (keyed && connection.phase !== 'authenticated')
    connections.makeEvictableAs(connection, isWellFormedKey(authorization) ? 'authenticating' : 'new');
  else connections.makeEvictable(connection);
  const tooManyKeys = () =>
    rateLimited('too many requests from this address without a valid API key', keys.retry_after_s);
  if (admission === 'refuse') return sendError(response, tooManyKeys());
  if (isStranger && !sessions.admit(address))
    return sendError(
      response,
      rateLimited('too many requests from this address without a session', sessions.retry_after_s),
    );
  if (needs === 'nothing' && !public_requests.admit(address))
    return sendError(
      response,
      rateLimited('too many requests without a key from this address', public_requests.retry_after_s),
    );
  const limiter = keyed ? keys : isStranger ? sessions : public_requests;
  if (await sendPublicFile(request, response, files, limiter, address)) return;

  const read =
    method === 'POST'
      ? await readBody(request, (bytes) => connections.reserveBytes(connection, bytes))
      : ({ tag: 'read', bytes: null } as const);
  if (read.tag === 'gone' || request.socket.destroyed) return;
  if (read.tag === 'too_large') return sendError(response, TOO_LARGE);
  if (read.tag === 'no_room') return sendError(response, NO_ROOM);

  const isKept = connection.phase !== 'unauthenticated' && (admission !== 'check' || keys.keepsWaiting(address));
  if (isKept) connections.pin(connection);
  const upstreamRequest = {
    method,
    target: requestTarget(request.url ?? ''),
    headers: forwardedRequestHeaders(request.headers, needs),
    body: read.bytes,
    may_stream: method === 'GET' && path !== null && isStream(path),
  };
  const work = () => {
    if (admission === 'check') connections.pin(connection);
    return callUpstream(request, upstream, upstreamRequest);
  };
  const answer =
    admission === 'check' || needs === 'nothing' || isStranger
      ? await inTurn(request, limiter, address, work, NOT_SENT)
      : await work();
  connections.releaseBytes(connection, connection.held_bytes);
  if (request.socket.destroyed) {
    if (answer.tag === 'streaming') answer.abort();
    return keyed ? keys.abandon(address, fingerprint) : undefined;
  }
  if (answer.tag === 'failed') return sendReply(response, upstreamFaultReply(method, path, answer));

  // The header `RateLimit-Limit` proves a valid key: APIs set it only on answers to valid keys.
  if (fingerprint !== null && answer.headers['ratelimit-limit'] !== undefined) {
    keys.accept(fingerprint);
    connection.phase = 'authenticated';
  } else if (keyed && answer.status === 401) {
    connection.phase = 'unauthenticated';
    keys.refuse(address, fingerprint);
    if (admission === 'check') return sendError(response, tooManyKeys());
  }
  if (session !== null && answer.headers['ratelimit-limit'] !== undefined) {
    sessions.accept(session);
    connection.phase = 'authenticated';
  } else if (session !== null && answer.status === 401) sessions.refuse(session);
  if (answer.tag === 'streaming')
    return await forwardStream(answer, response, forwardedResponseHeaders(answer.headers, needs), {
      ...parts,
      connection,
    });
  if (connections.reserveBytes(connection, answer.body.length)) sendAnswer(response, method, needs, answer);
  else sendReply(response, upstreamFaultReply(method, path, { sent: true }));
};

export type ForwardHandler = (needs: RequiredCredentials) => (request: Request, response: Response) => Promise<void>;

/** Handlers resolve when the answer is sent or the client has disconnected. */
export const forwardTo = (upstream: Upstream, parts: ForwardDependencies): ForwardHandler => {
  const api: Api = { upstream, files: new PublicFileCache(upstream, parts.now) };
  return (needs) =>
    // restify accepts a handler with two parameters only if it is asynchronous.
    async (request, response) => {
      const { connections } = parts;
      const connection = connections.of(request.socket);
      if (connection === null) return;
      const { mutex } = connection;
      const lock = mutex.acquire();
      if (lock !== null) await lock;
      const { ofProxy } = connection;
      try {
        if (ofProxy && !connections.attachClient(connection, parts.clientOf(request)))
          sendError(response, rateLimited('too many concurrent requests from this address', 1));
        else await exchange(request, response, connection, api, parts, needs);
        await responseClosed(request, response, connection, parts);
        // The client has disconnected. Sends an answer anyway, because restify logs an error without one.
        if (!response.headersSent) sendBytes(response, CLIENT_GONE, null, {});
      } finally {
        connections.releaseBytes(connection, connection.held_bytes);
        if (ofProxy) connections.detachClient(connection);
        mutex.release();
      }
    };
};
