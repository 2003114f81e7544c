import type { Request, Response, Server } from 'restify';
import type { Logger } from '../logging/logger.ts';
import { durationHistogram, type Metrics } from '../metrics/metrics.ts';

/**
 * Counts and logs one answered request.
 * @param route as it was added; `none` if no route matched
 */
export type Observe = (request: Request, response: Response, route: string, duration_ms: number) => void;

/**
 * Health checks are not logged, because readiness logs its changes itself. Rate-limited requests are not logged either:
 * the metric counts them, and a log line would cost more than the refusal.
 */
const levelOf = (route: string, status: number): 'error' | 'warn' | 'info' | 'debug' => {
  if (route.startsWith('/health/') || status === 429) return 'debug';
  if (status === 503) return 'warn';
  return status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug';
};

/**
 * Measures the duration of every request, and logs the request. Failures are errors, outages of a dependency are
 * warnings, refusals are info, and the rest is debug. Logs the route instead of the address, which may contain any text.
 */
export const observeRequests = (server: Server, logger: Logger, metrics: Metrics): Observe => {
  const durations = durationHistogram(metrics, 'http_request_duration_seconds', 'Time from request to response', [
    'method',
    'route',
    'status',
  ]);
  const known = new Map<string, { readonly method: string; readonly route: string; readonly status: number }>();
  /** One object for each route and status, instead of each request. */
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
    // The id that the client got: behind a gateway, the API has chosen it.
    const request_id = response.getHeader('X-Request-Id');
    logger[level]({ request_id, method, route, status, duration_ms }, 'request');
  };
  server.on('after', (request: Request, response: Response, matched: { path?: unknown } | undefined) => {
    const route = typeof matched?.path === 'string' ? matched.path : 'none';
    observe(request, response, route, Date.now() - request.time());
  });
  return observe;
};
