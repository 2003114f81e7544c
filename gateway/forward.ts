import type { Request, Response } from 'restify';
import { targetOf } from '../platform/http-server/address.ts';
import type { ApiError } from '../platform/http-server/api-error.ts';
import { TOO_LARGE } from '../platform/http-server/json-body.ts';
import { sendBytes, sendError, sendReply } from '../platform/http-server/replies.ts';
import { answeredHeaders, askedHeaders } from './allowed-headers.ts';
import { awayReply } from './away.ts';
import type { Connection, Connections } from './connections.ts';
import type { OpenRequests } from './open-requests.ts';
import { keyMark, mayBeValid, type RefusedKeys } from './refused-keys.ts';
import { readBody } from './request-body.ts';
import type { Upstream, UpstreamAnswer, UpstreamFault, UpstreamRequest } from './upstream.ts';

export type Edge = {
  readonly connections: Connections;
  readonly keys: RefusedKeys;
  readonly open: OpenRequests;
  /** Whom a request of a trusted proxy counts for. */
  readonly clientOf: (request: Request) => string;
  /** How long a client may take to read an answer. */
  readonly reading_ms: number;
};

/** In log and metrics, for a request whose client has gone: restify's own number for it. */
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

/** Sends with an allow-list of headers what was held to a limit. HEAD and 304 tell of a body that is not sent. */
const sendAnswer = (response: Response, method: string, { status, headers, body }: UpstreamAnswer): void => {
  const allowed = answeredHeaders(headers);
  const { 'content-length': length } = headers;
  const without = method === 'HEAD' || status === 304 || status === 204;
  // It says of the body what the client has already.
  if (status === 304) delete allowed['content-type'];
  if (without && typeof length === 'string' && status !== 204) allowed['Content-Length'] = length;
  sendBytes(response, status, without ? null : body, allowed);
};

/** Others are not routed here. */
const methodOf = ({ method }: Request): UpstreamRequest['method'] =>
  method === 'POST' || method === 'HEAD' ? method : 'GET';

/** Until the answer has gone out, or the client has gone. */
const answered = (request: Request, response: Response, connection: Connection, edge: Edge): Promise<void> => {
  const { socket } = request;
  // A refusal that nothing was waited for has gone out already.
  if (socket.destroyed || response.closed) return Promise.resolve();
  edge.connections.waitAs(connection, 'spare');
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      response.off('close', done);
      socket.off('close', done);
      resolve();
    };
    const timer = setTimeout(() => socket.destroy(), edge.reading_ms);
    response.once('close', done);
    socket.once('close', done);
  });
};

const NOT_SENT: UpstreamFault = { tag: 'failed', code: undefined, sent: false, answering: false };

/** Asks the API; what a client that has gone asked for is given up. */
const ask = async (
  request: Request,
  upstream: Upstream,
  made: UpstreamRequest,
): Promise<UpstreamAnswer | UpstreamFault> => {
  if (request.socket.destroyed) return NOT_SENT;
  const { answer, giveUp } = upstream.ask(made);
  request.socket.once('close', giveUp);
  const result = await answer;
  request.socket.off('close', giveUp);
  return result;
};

/** Work that can be dropped before it runs. What it would take is then no longer kept in memory. */
const droppable = <A>(work: () => Promise<A>, instead: A) => {
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
 * Waits for a turn, and for the work. As soon as the client has gone it waits no more, and lets go of all that the work
 * would take, its body above all: a turn may be long in coming.
 */
const inTurn = <A>(
  { socket }: Request,
  turn: (work: () => Promise<A>) => Promise<A>,
  work: () => Promise<A>,
  gone: A,
): Promise<A> => {
  const { run, drop, dropped } = droppable(work, gone);
  socket.once('close', drop);
  return Promise.race([turn(run), dropped]).finally(() => socket.off('close', drop));
};

/** Reads one request and makes another one of it; nothing of a client is ever piped. */
const exchange = async (
  request: Request,
  response: Response,
  connection: Connection,
  upstream: Upstream,
  edge: Edge,
  keyed: boolean,
): Promise<void> => {
  const { connections, keys, open } = edge;
  const method = methodOf(request);
  const { authorization } = request.headers;
  const mark = keyed ? keyMark(authorization) : null;
  const address = connection.address ?? '';
  const verdict = keyed ? keys.judge(address, authorization, mark) : 'pass';
  // What needs no key may be let go of at any time.
  if (verdict === 'refuse' || !keyed) connections.waitAs(connection, 'spare');
  else if (connection.standing !== 'accepted')
    connections.waitAs(connection, mayBeValid(authorization) ? 'asking' : 'new');
  else connections.waitFor(connection);
  const tooManyKeys = () => rateLimited('too many requests of this address had no valid API key', keys.retry_after_s);
  if (verdict === 'refuse') return sendError(response, tooManyKeys());
  if (!keyed && !open.admit(address))
    return sendError(response, rateLimited('too many requests of this address, which need no key', open.retry_after_s));

  const read =
    method === 'POST'
      ? await readBody(request, (bytes) => connections.hold(connection, bytes))
      : ({ tag: 'read', bytes: null } as const);
  if (read.tag === 'gone' || request.socket.destroyed) return;
  if (read.tag === 'too_large') return sendError(response, TOO_LARGE);
  if (read.tag === 'no_room') return sendError(response, NO_ROOM);
  // Others may have come to wait while its body did.
  if (verdict === 'check' && !keys.mayWait(address)) return sendError(response, tooManyKeys());

  if (connection.standing !== 'spare') connections.serve(connection);
  const made = {
    method,
    target: targetOf(request.url ?? ''),
    headers: askedHeaders(request.headers),
    body: read.bytes,
  };
  const work = () => ask(request, upstream, made);
  const lane = keyed ? keys : open;
  const answer =
    verdict === 'check' || !keyed
      ? await inTurn(request, (inLane) => lane.inTurn(address, inLane), work, NOT_SENT)
      : await work();
  connections.giveBack(connection, connection.held_bytes);
  if (request.socket.destroyed) return keyed ? keys.left(address, mark) : undefined;
  if (answer.tag === 'failed') return sendReply(response, awayReply(method, answer));

  // It goes with every answer to a key that is in force, and with none to another.
  if (mark !== null && answer.headers['ratelimit-limit'] !== undefined) {
    keys.accept(mark);
    connection.standing = 'accepted';
  } else if (keyed && answer.status === 401) {
    connection.standing = 'spare';
    keys.refuse(address, mark);
    if (verdict === 'check') return sendError(response, tooManyKeys());
  }
  if (connections.hold(connection, answer.body.length)) sendAnswer(response, method, answer);
  else sendReply(response, awayReply(method, { sent: true }));
};

/** @param keyed whether the route asks for a key */
export type Forward = (keyed: boolean) => (request: Request, response: Response) => Promise<void>;

/** Passes requests on to one API. Each handler's promise resolves when the answer has gone out, or the client has gone. */
export const forwardTo =
  (upstream: Upstream, edge: Edge): Forward =>
  (keyed) =>
  // restify takes a handler of two arguments only when it is marked as asynchronous.
  async (request, response) => {
    const { connections } = edge;
    const connection = connections.of(request.socket);
    if (connection === null) return;
    const { turns } = connection;
    const turn = turns.take();
    if (turn !== null) await turn;
    const { ofProxy } = connection;
    try {
      if (ofProxy && !connections.enterClient(connection, edge.clientOf(request)))
        sendError(response, rateLimited('too many requests of this address are under way', 1));
      else await exchange(request, response, connection, upstream, edge, keyed);
      await answered(request, response, connection, edge);
      // restify would take it for a fault of ours.
      if (!response.headersSent) sendBytes(response, CLIENT_GONE, null, {});
    } finally {
      connections.giveBack(connection, connection.held_bytes);
      if (ofProxy) connections.leaveClient(connection);
      turns.pass();
    }
  };
