import type { Request, Response } from 'restify';
import { targetOf } from '../platform/http-server/address.ts';
import type { ApiError } from '../platform/http-server/api-error.ts';
import { TOO_LARGE } from '../platform/http-server/json-body.ts';
import { sendBytes, sendError, sendReply } from '../platform/http-server/replies.ts';
import { isStream, needsSession, routeAt } from '../schemas/http/routes.ts';
import type { Connection, Connections } from './connections.ts';
import { forwardedRequestHeaders, forwardedResponseHeaders, type Needs } from './forwarded-headers.ts';
import { type InvalidKeyLimiter, isWellFormedKey, keyFingerprint } from './invalid-key-limiter.ts';
import { passStream } from './pass-stream.ts';
import type { PublicRequestLimiter } from './public-request-limiter.ts';
import { readBody } from './request-body.ts';
import { type SessionLimiter, sessionFingerprint } from './session-limiter.ts';
import type { Upstream, UpstreamAnswer, UpstreamFault, UpstreamRequest, UpstreamResponse } from './upstream.ts';
import { upstreamFaultReply } from './upstream-fault-reply.ts';

export type ForwardParts = {
  readonly connections: Connections;
  readonly keys: InvalidKeyLimiter;
  readonly public_requests: PublicRequestLimiter;
  readonly sessions: SessionLimiter;
  /** The client of a request that a trusted proxy passed on. */
  readonly clientOf: (request: Request) => string;
  /** How long a client may take to read an answer. */
  readonly read_timeout_ms: number;
  /** Streams end as soon as the process is to stop. */
  readonly stopping: AbortSignal;
};

/** restify's status, in log and metrics, of a request whose client has disconnected. */
const CLIENT_GONE = 444;

const NO_ROOM: ApiError = {
  tag: 'unavailable',
  message: 'too many requests are under way; nothing happened, try again',
  retry_after_s: 1,
};

const rateLimited = (message: string, retry_after_s: number): ApiError => ({
  tag: 'rate_limited',
  message: `${message}; try again in ${retry_after_s} s`,
  retry_after_s,
});

/** Sends an API's answer with an allow-list of headers. HEAD and 304 describe a body that is not sent. */
const sendAnswer = (
  response: Response,
  method: string,
  needs: Needs,
  { status, headers, body }: UpstreamResponse,
): void => {
  const allowed = forwardedResponseHeaders(headers, needs);
  const { 'content-length': length } = headers;
  const without = method === 'HEAD' || status === 304 || status === 204;
  // The client has the content type with the body that it cached.
  if (status === 304) delete allowed['content-type'];
  if (without && typeof length === 'string' && status !== 204) allowed['Content-Length'] = length;
  sendBytes(response, status, without ? null : body, allowed);
};

/** Other methods are not routed here. */
const methodOf = ({ method }: Request): UpstreamRequest['method'] =>
  method === 'POST' || method === 'HEAD' ? method : 'GET';

/** Waits until the answer is sent, or the client has disconnected. */
const responseClosed = (
  request: Request,
  response: Response,
  connection: Connection,
  parts: ForwardParts,
): Promise<void> => {
  const { socket } = request;
  // A refusal may be sent already.
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

/** Calls the API; the call is aborted when the client disconnects. */
const callUpstream = async (request: Request, upstream: Upstream, made: UpstreamRequest): Promise<UpstreamAnswer> => {
  if (request.socket.destroyed) return NOT_SENT;
  const { answer, abort } = upstream.send(made);
  request.socket.once('close', abort);
  const result = await answer;
  request.socket.off('close', abort);
  return result;
};

/** Work that can be cancelled before it runs. Its closure, with the request's body, is then free to be collected. */
const cancellable = <A>(work: () => Promise<A>, instead: A) => {
  let waiting: (() => Promise<A>) | null = work;
  const { promise: dropped, resolve } = Promise.withResolvers<A>();
  const run = (): Promise<A> => waiting?.() ?? dropped;
  const drop = (): void => {
    waiting = null;
    resolve(instead);
  };
  return { run, drop, dropped };
};

/**
 * Waits until the limiter runs the work, and for its result. When the client disconnects, both are abandoned and the
 * body's memory is free: the limiter's queue may be long.
 */
const runUnlessGone = <A>(
  { socket }: Request,
  schedule: (work: () => Promise<A>) => Promise<A>,
  work: () => Promise<A>,
  gone: A,
): Promise<A> => {
  const { run, drop, dropped } = cancellable(work, gone);
  socket.once('close', drop);
  return Promise.race([schedule(run), dropped]).finally(() => socket.off('close', drop));
};

/** Reads one request and makes another one of it; nothing is piped (ADR 35). */
const exchange = async (
  request: Request,
  response: Response,
  connection: Connection,
  upstream: Upstream,
  parts: ForwardParts,
  needs: Needs,
): Promise<void> => {
  const { connections, keys, public_requests, sessions } = parts;
  const keyed = needs === 'key';
  const session = needs === 'session' ? sessionFingerprint(request.headers.cookie) : null;
  const method = methodOf(request);
  const path = routeAt(request.path());
  // The API limits sessions where it asks for one: whoever has one must not begin more sign-ins than others.
  const asksSession = path !== null && needsSession(path);
  const isStranger = needs === 'session' && !(asksSession && sessions.isAccepted(session));
  const { authorization } = request.headers;
  const fingerprint = keyed ? keyFingerprint(authorization) : null;
  const address = connection.address ?? '';
  const admission = keyed ? keys.admit(address, authorization, fingerprint) : 'pass';
  // A request that needs no key may be evicted at any time.
  if (admission === 'refuse' || needs === 'nothing' || isStranger)
    connections.makeEvictableAs(connection, 'unauthenticated');
  else if (keyed && connection.phase !== 'authenticated')
    connections.makeEvictableAs(connection, isWellFormedKey(authorization) ? 'authenticating' : 'new');
  else connections.makeEvictable(connection);
  const tooManyKeys = () => rateLimited('too many requests of this address had no valid API key', keys.retry_after_s);
  if (admission === 'refuse') return sendError(response, tooManyKeys());
  if (isStranger && !sessions.admit(address))
    return sendError(
      response,
      rateLimited('too many requests of this address, which nobody has signed in for', sessions.retry_after_s),
    );
  if (needs === 'nothing' && !public_requests.admit(address))
    return sendError(
      response,
      rateLimited('too many requests of this address, which need no key', public_requests.retry_after_s),
    );

  const read =
    method === 'POST'
      ? await readBody(request, (bytes) => connections.reserveBytes(connection, bytes))
      : ({ tag: 'read', bytes: null } as const);
  if (read.tag === 'gone' || request.socket.destroyed) return;
  if (read.tag === 'too_large') return sendError(response, TOO_LARGE);
  if (read.tag === 'no_room') return sendError(response, NO_ROOM);
  // The queue may have filled while the body was read.
  if (admission === 'check' && !keys.hasQueueRoom(address)) return sendError(response, tooManyKeys());

  if (connection.phase !== 'unauthenticated') connections.pin(connection);
  const made = {
    method,
    target: targetOf(request.url ?? ''),
    headers: forwardedRequestHeaders(request.headers, needs),
    body: read.bytes,
    may_stream: method === 'GET' && path !== null && isStream(path),
  };
  const work = () => callUpstream(request, upstream, made);
  const limiter = keyed ? keys : isStranger ? sessions : public_requests;
  const answer =
    admission === 'check' || needs === 'nothing' || isStranger
      ? await runUnlessGone(request, (run) => limiter.run(address, run), work, NOT_SENT)
      : await work();
  connections.releaseBytes(connection, connection.held_bytes);
  if (request.socket.destroyed) {
    if (answer.tag === 'streaming') answer.abort();
    return keyed ? keys.abandon(address, fingerprint) : undefined;
  }
  if (answer.tag === 'failed') return sendReply(response, upstreamFaultReply(method, path, answer));

  // APIs set this header on every answer to a valid key, and on no other.
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
    return await passStream(answer, response, forwardedResponseHeaders(answer.headers, needs), {
      ...parts,
      connection,
    });
  if (connections.reserveBytes(connection, answer.body.length)) sendAnswer(response, method, needs, answer);
  else sendReply(response, upstreamFaultReply(method, path, { sent: true }));
};

/** @param needs of the route */
export type Forward = (needs: Needs) => (request: Request, response: Response) => Promise<void>;

/** Forwards requests to one API. A handler resolves when the answer is sent, or the client has disconnected. */
export const forwardTo =
  (upstream: Upstream, parts: ForwardParts): Forward =>
  (needs) =>
  // restify takes a handler of two arguments only when it is marked as asynchronous.
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
        sendError(response, rateLimited('too many requests of this address are under way', 1));
      else await exchange(request, response, connection, upstream, parts, needs);
      await responseClosed(request, response, connection, parts);
      // Without an answer, restify would log an error.
      if (!response.headersSent) sendBytes(response, CLIENT_GONE, null, {});
    } finally {
      connections.releaseBytes(connection, connection.held_bytes);
      if (ofProxy) connections.detachClient(connection);
      mutex.release();
    }
  };
