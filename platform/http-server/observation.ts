import type { Request, Response, Server } from 'restify';
import type { Logger } from '../logging/logger.ts';
import { durationHistogram, type Metrics } from '../metrics/metrics.ts';
import { requestId } from './request-id.ts';

/** Readiness tells of its changes itself; a proxy that asks every second is no news. */
const levelOf = (route: string, status: number): 'error' | 'warn' | 'info' | 'debug' => {
  if (route.startsWith('/health/')) return 'debug';
  if (status === 503) return 'warn';
  return status >= 500 ? 'error' : status >= 400 ? 'info' : 'debug';
};

/**
 * The duration of every request as a metric; refused ones in the log, failed ones as errors, those that a server behind
 * kept from an answer as warnings, the rest for debugging. The route is logged and never the address as it was sent,
 * which may hold anything.
 */
export const observeRequests = (server: Server, logger: Logger, metrics: Metrics): void => {
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
  server.on('after', (request: Request, response: Response, matched: { path?: unknown } | undefined) => {
    const duration_ms = Date.now() - request.time();
    const route = typeof matched?.path === 'string' ? matched.path : 'none';
    const method = request.method ?? '';
    const status = response.statusCode;
    durations.observe(labelsOf(method, route, status), duration_ms / 1000);
    const level = levelOf(route, status);
    if (!logger.isLevelEnabled(level)) return;
    logger[level]({ request_id: requestId(request), method, route, status, duration_ms }, 'request');
  });
};
