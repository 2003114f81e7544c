import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Either, isLeft, right } from 'fp-ts/lib/Either.js';
import { Counter, Gauge } from 'prom-client';
import type { Server } from 'restify';
import type { Values } from '../platform/configuration/configuration.ts';
import type { GATEWAY } from '../platform/configuration/parts.ts';
import { FairTurns } from '../platform/http-server/fair-turns.ts';
import { framingFault } from '../platform/http-server/framing.ts';
import { scheduleRequests } from '../platform/http-server/one-at-a-time.ts';
import { paceInput } from '../platform/http-server/paced-input.ts';
import { sendError } from '../platform/http-server/replies.ts';
import { routePattern } from '../platform/http-server/route.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { type ApiName, isManagement, needsKey, routesOf } from '../schemas/http/routes.ts';
import { addressGroup, trustedProxies } from './client-address.ts';
import { type CloseReason, type Connection, Connections } from './connections.ts';
import type { EvictionTimeouts } from './eviction-queue.ts';
import { type ForwardDependencies, type ForwardHandler, forwardTo } from './forward.ts';
import { InvalidKeyLimiter } from './invalid-key-limiter.ts';
import { KeylessQueue } from './keyless-queue.ts';
import { restrictToPeopleHost } from './people-host.ts';
import { PublicRequestLimiter } from './public-request-limiter.ts';
import { SessionLimiter, sessionFingerprint } from './session-limiter.ts';
import { closeAfterUnreadBodies } from './unread-bodies.ts';
import { openUpstream } from './upstream.ts';

/**
 * Parsing time per turn of the event loop, in ms, for the input of clients without a valid key. Clients with a key
 * share the same time in addition.
 */
const PARSING_MS = 4;

const addGatewayRoutes = (
  server: Server,
  forwards: Readonly<Record<ApiName, ForwardHandler>>,
  people_origin: string | undefined,
): void => {
  for (const api of ['command-api', 'query-api', 'management-api'] as const) {
    for (const { method, path } of routesOf(api)) {
      const needs = isManagement(path) ? 'session' : needsKey(path) ? 'key' : 'nothing';
      const forward = restrictToPeopleHost(people_origin, path, forwards[api](needs));
      if (method === 'POST') server.post(routePattern(path), forward);
      else {
        server.get(routePattern(path), forward);
        server.head(routePattern(path), forward);
      }
    }
  }
};

const hasCredentials = ({ headers }: IncomingMessage): boolean =>
  headers.authorization !== undefined || sessionFingerprint(headers) !== null;

/** Without a configured management API, its paths do not exist. */
const unmanaged: ForwardHandler = () => async (_request, response) =>
  sendError(response, {
    ...{ tag: 'not_found', code: 'unknown_path' },
    message: 'this installation has no management interface (its gateway has no MANAGEMENT_API_URL)',
  });

const endedCounter = (metrics: Metrics): ((why: CloseReason) => void) => {
  const ended = new Counter({
    name: 'gateway_connections_ended_total',
    help: 'Client connections that were refused, evicted, or closed for too many concurrent requests',
    labelNames: ['why'],
    registers: [metrics],
  });
  return (why) => ended.inc({ why });
};

const measure = (metrics: Metrics, connections: Connections): void => {
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name,
      help,
      registers: [metrics],
      collect() {
        this.set(value());
      },
    });
  gauge('gateway_connections', 'Open client connections', () => connections.count);
  gauge('gateway_held_bytes', 'Request and response bodies in memory, in bytes', () => connections.held_bytes);
};

/** @returns left: the fault in the settings, with the name of the variable */
export const openGateway = (
  server: Server,
  settings: Values<typeof GATEWAY>,
  metrics: Metrics,
  {
    answer_timeout_ms,
    eviction_timeouts,
    stopping = new AbortController().signal,
    now = () => performance.now(),
  }: {
    readonly answer_timeout_ms?: number;
    readonly eviction_timeouts?: EvictionTimeouts;
    readonly stopping?: AbortSignal;
    readonly now?: () => number;
  } = {},
): Either<string, { readonly close: () => void }> => {
  const proxies = trustedProxies(settings.trusted_proxies);
  if (isLeft(proxies)) return proxies;
  const { trusts, clientOf } = proxies.right;
  const limits = {
    most: settings.connections,
    most_per_address: settings.connections_per_address,
    most_held_bytes: settings.buffer_bytes,
    isTrustedProxy: trusts,
    ...(eviction_timeouts && { eviction_timeouts }),
  };
  const connections = new Connections(limits, endedCounter(metrics));
  const parts: ForwardDependencies = {
    connections,
    keys: new InvalidKeyLimiter(settings.refused_keys_per_minute, Math.ceil(settings.connections_per_address / 2), now),
    public_requests: new PublicRequestLimiter(settings.open_requests_per_minute, now),
    sessions: new SessionLimiter(settings.signed_out_requests_per_minute, now),
    clientOf: ({ headers, socket }) => clientOf(socket.remoteAddress ?? '', String(headers['x-forwarded-for'] ?? '')),
    read_timeout_ms: settings.answer_timeout_s * 1_000,
    stopping,
    now,
  };
  const { server: http } = server;
  http.headersTimeout = settings.headers_timeout_s * 1_000;
  http.requestTimeout = Math.max(settings.headers_timeout_s, settings.request_timeout_s) * 1_000;
  http.keepAliveTimeout = settings.idle_timeout_s * 1_000;
  // The socket's timeout must not end a connection whose client is silent while its request is read or answered.
  http.timeout = Math.max(http.timeout, http.requestTimeout, parts.read_timeout_ms);
  const proven = new FairTurns<string | Connection>(PARSING_MS, () => performance.now());
  const unproven = new FairTurns<string | Connection>(PARSING_MS, () => performance.now());
  http.on('connection', (socket) => {
    const connection = connections.open(socket);
    if (connection === null) return;
    paceInput(socket, (parse) => {
      const turns = connection.phase === 'authenticated' ? proven : unproven;
      turns.add(connection.address ?? connection, parse);
    });
  });
  for (const event of ['request', 'checkContinue'])
    http.prependListener(event, ({ socket }: IncomingMessage, response: ServerResponse) => {
      if (connections.beginRequest(socket)) response.once('close', () => connections.afterRequest(socket));
    });
  const keyless = new KeylessQueue();
  const requester = (request: IncomingMessage): string => {
    const peer = request.socket.remoteAddress ?? '';
    return trusts(peer) ? parts.clientOf(request) : addressGroup(peer);
  };
  scheduleRequests(http, (request, handle) => {
    // Handles a malformed request immediately, so that it is refused before the data after it is parsed.
    if (hasCredentials(request) || framingFault(request) !== null) handle();
    else keyless.add(requester(request), handle);
  });
  measure(metrics, connections);
  closeAfterUnreadBodies(server);

  const commands = openUpstream(settings.command_api_url, answer_timeout_ms);
  const queries = openUpstream(settings.query_api_url, answer_timeout_ms);
  const management =
    settings.management_api_url === undefined ? null : openUpstream(settings.management_api_url, answer_timeout_ms);
  const forwards = {
    'command-api': forwardTo(commands, parts),
    'query-api': forwardTo(queries, parts),
    'management-api': management === null ? unmanaged : forwardTo(management, parts),
  };
  addGatewayRoutes(server, forwards, settings.people_origin);
  return right({
    close: () => {
      commands.close();
      queries.close();
      management?.close();
    },
  });
};
