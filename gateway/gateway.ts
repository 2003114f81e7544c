import { type Either, isLeft, right } from 'fp-ts/lib/Either.js';
import { Counter, Gauge } from 'prom-client';
import type { Server } from 'restify';
import type { Values } from '../platform/configuration/configuration.ts';
import type { GATEWAY } from '../platform/configuration/parts.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import { trustedProxies } from './client-address.ts';
import { Connections, type Ended } from './connections.ts';
import { type Edge, forwardTo } from './forward.ts';
import { OpenRequests } from './open-requests.ts';
import { RefusedKeys } from './refused-keys.ts';
import { addGatewayRoutes } from './routes.ts';
import { endBehindUnreadBodies } from './unread-bodies.ts';
import { openUpstream } from './upstream.ts';
import type { Patience } from './waiting.ts';

const endedCounter = (metrics: Metrics): ((why: Ended) => void) => {
  const ended = new Counter({
    name: 'gateway_connections_ended_total',
    help: 'Connections of clients that were refused, made room for others, or brought too many requests at once',
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
  gauge('gateway_connections', 'Connections of clients', () => connections.count);
  gauge('gateway_held_bytes', 'Bodies and answers that are in memory', () => connections.held_bytes);
};

/**
 * Makes a server the gateway: its routes, and its limits on connections.
 *
 * @returns left: what is wrong with the settings, naming the variable
 */
export const openGateway = (
  server: Server,
  settings: Values<typeof GATEWAY>,
  metrics: Metrics,
  { answer_timeout_ms, patience }: { readonly answer_timeout_ms?: number; readonly patience?: Patience } = {},
): Either<string, { readonly close: () => void }> => {
  const proxies = trustedProxies(settings.trusted_proxies);
  if (isLeft(proxies)) return proxies;
  const { trusts, clientOf } = proxies.right;
  const limits = {
    most: settings.connections,
    most_per_address: settings.connections_per_address,
    most_held_bytes: settings.buffer_bytes,
    isTrustedProxy: trusts,
    ...(patience && { patience }),
  };
  const connections = new Connections(limits, endedCounter(metrics));
  const edge: Edge = {
    connections,
    keys: new RefusedKeys(settings.refused_keys_per_minute, Math.ceil(settings.connections_per_address / 2)),
    open: new OpenRequests(settings.open_requests_per_minute),
    clientOf: ({ headers, socket }) => clientOf(socket.remoteAddress ?? '', String(headers['x-forwarded-for'] ?? '')),
    reading_ms: settings.answer_timeout_s * 1_000,
  };
  const { server: http } = server;
  http.headersTimeout = settings.headers_timeout_s * 1_000;
  http.requestTimeout = Math.max(settings.headers_timeout_s, settings.request_timeout_s) * 1_000;
  http.keepAliveTimeout = settings.idle_timeout_s * 1_000;
  http.on('connection', (socket) => void connections.open(socket));
  http.prependListener('request', ({ socket }, response) => {
    if (connections.beginRequest(socket)) response.once('close', () => connections.afterRequest(socket));
  });
  measure(metrics, connections);
  endBehindUnreadBodies(server);

  const commands = openUpstream(settings.command_api_url, answer_timeout_ms);
  const queries = openUpstream(settings.query_api_url, answer_timeout_ms);
  addGatewayRoutes(server, { 'command-api': forwardTo(commands, edge), 'query-api': forwardTo(queries, edge) });
  return right({
    close: () => {
      commands.close();
      queries.close();
    },
  });
};
