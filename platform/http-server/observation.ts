import type { Request, Response, Server } from 'restify';
import type { Logger } from '../logging/logger.ts';
import { durationHistogram, type Metrics } from '../metrics/metrics.ts';

/** @param route the path as it was added; `none` if no route matched */
export type ObserveRequest = (request: Request, response: Response, route: string, duration_ms: number) => void;

/**
 * Health checks are logged only as debug, because readiness logs its own changes. So are rate-limited requests: a log
 * line costs more than the refusal, and the metric counts them.
 */
const levelOf = (route: string, status: number): 'error' | 'warn' | 'info' | 'debug' => {
  if (route.startsWith('/health/') || status === 429) return 'debug';
  if (status === 503) return 'warn';
  return status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug';
};

/** Logs the route instead of the address, because the address may contain any text. */
export const observeRequests = (server: Server, logger: Logger, metrics: Metrics): ObserveRequest => {
  const durations = durationHistogram(metrics, 'http_request_duration_seconds', 'Time from request to response', [
    'method',
    'route',
    'status',
  ]);
  const known = new Map<string, { readonly method: string; readonly route: string; readonly status: number }>();
  /** Reuses one object for each route and status, to avoid an allocation for each request. */
  const labelsOf = (method: string, route: string, status: number) => {
    const key = `${method} ${route} ${status}`;
    const labels = known.get(key) ?? { method, route, status };
    known.set(key, labels);
    return labels;
  };
  const observe: ObserveRequest = (request, response, route, duration_ms) => {
    const method = request.method ?? '';
    const status = response.statusCode;
    durations.observe(labelsOf(method, route, status), duration_ms / 1000);
    const level = levelOf(route, status);
    if (!logger.isLevelEnabled(level)) return;
    // The id that the client received. Behind a gateway, the API has chosen it.
    const request_id = response.getHeader('X-Request-Id');
    logger[level]({ request_id, method, route, status, duration_ms }, 'request');
  };
  server.on('after', (request: Request, response: Response, matched: { path?: unknown } | undefined) => {
    const route = typeof matched?.path === 'string' ? matched.path : 'none';
    observe(request, response, route, Date.now() - request.time());
  });
  return observe;
};
