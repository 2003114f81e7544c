import type { Request, Response, Server } from 'restify';
import type { Logger } from '../logging/logger.ts';
import { durationHistogram, type Metrics } from '../metrics/metrics.ts';

/** Counts and logs one answered request. @param route as it was added, `none` where no route took it */
export type Observe = (request: Request, response: Response, route: string, duration_ms: number) => void;

/**
 * Health checks are not logged, as readiness logs its changes itself. Neither are rate-limited requests: the metric
 * counts them, and a line for each would cost more than the refusal.
 */
const levelOf = (route: string, status: number): 'error' | 'warn' | 'info' | 'debug' => {
  if (route.startsWith('/health/') || status === 429) return 'debug';
  if (status === 503) return 'warn';
  return status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug';
};

/**
 * The duration of every request as a metric; refused ones in the log, failed ones as errors, those that a server behind
 * kept from an answer as warnings, the rest for debugging. The route is logged and never the address as it was sent,
 * which may hold anything.
 */
export const observeRequests = (server: Server, logger: Logger, metrics: Metrics): Observe => {
  const durations = durationHistogram(metrics, 'http_request_duration_seconds', 'Time from request to response', [
    'method',
    'route',
    'status',
  ]);
  const known = new Map<string, { readonly method: string; readonly route: string; readonly status: number }>();
  /** As many as there are routes and statuses: one object for each, not for every request. */
  const labelsOf = (method: string, route: string, status: number) => {
    const key = `${method} ${route} ${status}`;
    const labels = known.get(key) ?? { method, route, status };
    known.set(key, labels);
    return labels;
  };
  const observe: Observe = (request, response, route, duration_ms) => {
    const method = request.method ?? '';
    const status = response.statusCode;
    durations.observe(labelsOf(method, route, status), duration_ms / 1000);
    const level = levelOf(route, status);
    if (!logger.isLevelEnabled(level)) return;
    // As the client was told: behind a gateway that is the id which the API gave it.
    const request_id = response.getHeader('X-Request-Id');
    logger[level]({ request_id, method, route, status, duration_ms }, 'request');
  };
  server.on('after', (request: Request, response: Response, matched: { path?: unknown } | undefined) => {
    const route = typeof matched?.path === 'string' ? matched.path : 'none';
    observe(request, response, route, Date.now() - request.time());
  });
  return observe;
};
