import { once } from 'node:events';
import { isLeft } from 'fp-ts/lib/Either.js';
import type { Server } from 'restify';
import { type Configuration, decodeConfiguration, type Parts } from '../configuration/configuration.ts';
import { SERVER } from '../configuration/parts.ts';
import { createServer, drain } from '../http-server/server.ts';
import { createLogger, type Logger } from '../logging/logger.ts';
import { createMetrics, type Metrics } from '../metrics/metrics.ts';
import { createReadiness, type Readiness } from './readiness.ts';

export type ComponentContext<P extends Parts> = {
  readonly name: string;
  readonly configuration: Configuration<P>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  /** Listens already, with health and metrics; other routes are answered once `start` has resolved. */
  readonly server: Server;
  /** Ends the process as a failure; what started it starts it again. */
  readonly crash: (error: unknown) => void;
};

export type Running = {
  readonly stop: () => Promise<void>;
  /** How long `stop` may take; ten seconds if left out. */
  readonly stop_within_ms?: number;
};

const STOP_DEADLINE_MS = 10_000;
/** How long log lines may take to be written before the process ends. */
const FLUSH_MS = 50;

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * The life of a component: reads its configuration, serves health and metrics, starts, and on a signal stops: no new
 * requests, those under way answered, then `stop`, within ten seconds or what `start` allows it. Exit codes: 0 stopped
 * as asked, 1 crashed or too slow to stop, 2 wrong configuration.
 */
export const runComponent = async <P extends Parts>(
  name: string,
  parts: P,
  start: (context: ComponentContext<P>) => Promise<Running>,
): Promise<void> => {
  const own = decodeConfiguration(process.env, { server: SERVER });
  const asked = decodeConfiguration(process.env, parts);
  if (isLeft(own) || isLeft(asked)) {
    const faults = [...(isLeft(own) ? own.left : []), ...(isLeft(asked) ? asked.left : [])];
    process.stderr.write(`${name} cannot start:\n${faults.map((fault) => `  ${fault}\n`).join('')}`);
    process.exitCode = 2;
    return;
  }
  const { host, port, log_level } = own.right.server;
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
  const server = createServer({ name, logger, metrics, readiness });
  let running: Running | undefined;
  let stopping = false;

  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    readiness.set('stop', 'the component is stopping');
    const deadline_ms = running?.stop_within_ms ?? STOP_DEADLINE_MS;
    setTimeout(() => {
      logger.error({ deadline_ms }, 'not stopped in time');
      exit(1);
    }, deadline_ms).unref();
    await drain(server);
    await running?.stop();
    logger.info('stopped');
    exit(0);
  };
  for (const signal of SIGNALS) process.on(signal, () => void stop(signal).catch(crash));

  try {
    server.listen(port, host);
    await once(server.server, 'listening');
    logger.info({ url: server.url }, 'listening');
    running = await start({ name, configuration: asked.right, logger, metrics, readiness, server, crash });
    readiness.set('start', null);
    logger.info('started');
    if (stopping) await running.stop();
  } catch (error) {
    crash(error);
  }
};
