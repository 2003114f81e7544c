import { once } from 'node:events';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { Server } from 'restify';
import { type Configuration, decodeConfiguration, type Parts, type Values } from '../configuration/configuration.ts';
import { HEALTH_AND_LOGS, type PUBLIC_SERVER } from '../configuration/parts.ts';
import { createHealthServer } from '../http-server/health.ts';
import { createServer, drainServer } from '../http-server/server.ts';
import { createLogger, type Logger } from '../logging/logger.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
import { type Clock, SYSTEM_CLOCK } from './clock.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import { STOP_DEADLINE_MS } from './stop-deadlines.ts';

export type ComponentContext<P extends Parts> = {
  readonly name: string;
  readonly configuration: Configuration<P>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly clock: Clock;
  /** Opens the public server. It listens at once, and answers its routes after `start` has resolved. */
  readonly openInterface: (settings: Values<typeof PUBLIC_SERVER>) => Promise<Server>;
  /** Aborts when the process begins to stop, before the wait for requests in progress. */
  readonly stopping: AbortSignal;
  /** Ends the process as a failure, so that its supervisor restarts it. */
  readonly crash: (error: unknown) => void;
};

export type RunningComponent = {
  readonly stop: () => Promise<void>;
  /** How long `stop` may take; ten seconds by default. */
  readonly stop_within_ms?: number;
};

/** A running probe may take this long after everything else has stopped. */
const LAST_PROBE_MS = 1_000;
/** Time for log lines to be written before the process ends. */
const FLUSH_MS = 50;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

const listen = async (server: Server, host: string, port: number): Promise<void> => {
  server.listen(port, host);
  await once(server.server, 'listening');
};

/**
 * On a signal, the component first becomes not ready, refuses new requests, and answers those in progress. Then it
 * calls `stop`. Health and metrics end last, within ten seconds or the limit of `start`. Exit codes: 0 stopped on
 * request, 1 crashed or too slow to stop, 2 wrong configuration.
 */
export const runComponent = async <P extends Parts>(
  name: string,
  parts: P,
  start: (context: ComponentContext<P>) => Promise<RunningComponent>,
): Promise<void> => {
  const own = decodeConfiguration(process.env, { operation: HEALTH_AND_LOGS });
  const decoded = decodeConfiguration(process.env, parts);
  if (isLeft(own) || isLeft(decoded)) {
    const faults = [...(isLeft(own) ? own.left : []), ...(isLeft(decoded) ? decoded.left : [])];
    process.stderr.write(`${name} cannot start:\n${faults.map((fault) => `  ${fault}\n`).join('')}`);
    process.exitCode = 2;
    return;
  }
  const { health_host, health_port, log_level } = own.right.operation;
  const logger = createLogger(name, log_level);
  const metrics = createMetrics(name);
  const readiness = createReadiness();

  const exit = (code: number): void => {
    setTimeout(() => process.exit(code), FLUSH_MS);
  };
  const crash = (error: unknown): void => {
    logger.fatal({ error }, 'crashed');
    exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);

  readiness.set('start', 'the component is starting');
  const health = createHealthServer({ name: 'health', logger, metrics, readiness });
  const opened: Server[] = [];
  let running: RunningComponent | undefined;
  const asked_to_stop = new AbortController();
  const { signal: stopping } = asked_to_stop;

  const stop = async (signal: string): Promise<void> => {
    if (stopping.aborted) return;
    asked_to_stop.abort();
    logger.info({ signal }, 'stopping');
    readiness.set('stop', 'the component is stopping');
    const deadline_ms = running?.stop_within_ms ?? STOP_DEADLINE_MS;
    setTimeout(() => {
      logger.error({ deadline_ms }, 'not stopped in time');
      exit(1);
    }, deadline_ms).unref();
    await Promise.all(opened.map((server) => drainServer(server)));
    await running?.stop();
    await drainServer(health, LAST_PROBE_MS);
    logger.info('stopped');
    exit(0);
  };
  for (const signal of SIGNALS) process.on(signal, () => void stop(signal).catch(crash));

  const openInterface = async ({ host, port }: Values<typeof PUBLIC_SERVER>): Promise<Server> => {
    const server = createServer({ name, logger, metrics, readiness });
    opened.push(server);
    await listen(server, host, port);
    logger.info({ url: server.url }, 'listening');
    return server;
  };

  try {
    await listen(health, health_host, health_port);
    logger.info({ url: health.url }, 'serving health and metrics');
    const context = { name, logger, metrics, readiness, clock: SYSTEM_CLOCK, openInterface, stopping, crash };
    running = await start({ ...context, configuration: decoded.right });
    readiness.set('start', null);
    logger.info('started');
    if (stopping.aborted) await running.stop();
  } catch (error) {
    crash(error);
  }
};
