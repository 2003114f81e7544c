import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { EvictionTimeouts } from '../../../gateway/eviction-queue.ts';
import { openGateway as openGatewayOn } from '../../../gateway/gateway.ts';
import { decodeConfiguration } from '../../../platform/configuration/configuration.ts';
import { GATEWAY } from '../../../platform/configuration/parts.ts';
import { addFallbackRoutes } from '../../../platform/http-server/fallback-routes.ts';
import { createServer, drainServer } from '../../../platform/http-server/server.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { createMetrics } from '../../../platform/metrics/metrics.ts';
import { createReadiness } from '../../../platform/process/readiness.ts';
import { freePort } from '../../../stack/process/ports.ts';
import { waitUntil } from '../../../stack/process/wait.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

export type Gateway = {
  readonly url: string;
  readonly health_url: string;
  readonly child: ChildProcess;
  readonly commands: number;
  readonly queries: number;
};

/**
 * The gateway as a process.
 *
 * @param env settings in addition to its addresses
 */
export const openGateway = async (env: Readonly<Record<string, string>> = {}): Promise<Gateway> => {
  const [port, health_port, commands, queries] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const child = spawn(process.execPath, [join(ROOT, 'gateway/main.ts')], {
    env: {
      PORT: String(port),
      HEALTH_PORT: String(health_port),
      COMMAND_API_URL: `http://127.0.0.1:${commands}`,
      QUERY_API_URL: `http://127.0.0.1:${queries}`,
      LOG_LEVEL: 'silent',
      ...env,
    },
    stdio: 'inherit',
  });
  const [url, health_url] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${health_port}`];
  await waitUntil(async () => (await fetch(`${health_url}/health/live`)).ok, {
    timeout_ms: 20_000,
    message: () => 'no gateway',
  });
  return { url, health_url, child, commands, queries };
};

type InProcess = {
  readonly env: Readonly<Record<string, string>>;
  readonly origins?: readonly string[];
  /** The time limit for the arrival of a request, shorter than the configuration allows. */
  readonly request_ms?: number;
  readonly answer_ms?: number;
  readonly eviction_timeouts?: EvictionTimeouts;
  readonly stopping?: AbortSignal;
  readonly onLine?: (line: string) => void;
};

export const gatewayIn = async (
  t: ExecutionContext,
  {
    env,
    origins,
    request_ms = 20_000,
    answer_ms = 20_000,
    eviction_timeouts,
    stopping,
    onLine = () => undefined,
  }: InProcess,
) => {
  const decoded = decodeConfiguration(env, { gateway: GATEWAY });
  if (isLeft(decoded)) throw new Error(decoded.left.join('\n'));
  const metrics = createMetrics('test');
  const server = createServer({
    name: 'test',
    logger: createLogger('test', 'debug', { write: onLine }),
    metrics,
    readiness: createReadiness(),
    timeouts: { headers_ms: request_ms, request_ms, look_ms: 50 },
  });
  const gateway = openGatewayOn(server, decoded.right.gateway, metrics, {
    answer_timeout_ms: answer_ms,
    ...(eviction_timeouts && { eviction_timeouts }),
    ...(stopping && { stopping }),
    // A fixed time, so that limits do not depend on how long a test takes.
    now: () => 0,
  });
  if (isLeft(gateway)) throw new Error(gateway.left);
  Object.assign(server.server, { headersTimeout: request_ms, requestTimeout: request_ms });
  addFallbackRoutes(server, origins);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  t.teardown(async () => {
    gateway.right.close();
    server.server.closeAllConnections();
    await drainServer(server);
  });
  return { url: server.url, metrics, timeout_ms: server.server.timeout };
};
