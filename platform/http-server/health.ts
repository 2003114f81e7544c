import type { Request, Response, Server } from 'restify';
import type { Logger } from '../logging/logger.ts';
import { SERVICE_VERSION } from '../process/version.ts';
import { sendReply, sendText } from './replies.ts';
import { createServer, type ServerOptions } from './server.ts';

const listed = (problems: Readonly<Record<string, string>>): string =>
  Object.entries(problems)
    .map(([name, problem]) => `${name}: ${problem}`)
    .join('; ');

/** Logs only changes, because probes come every second. */
const tellChanges = (logger: Logger): ((missing: Readonly<Record<string, string>>) => void) => {
  let before: string | null = null;
  return (missing) => {
    const names = Object.keys(missing).toSorted().join(', ');
    if (names === before) return;
    if (names !== '') logger[before === null ? 'info' : 'warn']({ missing }, 'not ready');
    else if (before !== null) logger.info('ready');
    before = names;
  };
};

/** Live while the process answers at all. Ready if there is no problem; otherwise the answer lists the problems. */
export const createHealthServer = (options: ServerOptions): Server => {
  const { logger, metrics, readiness } = options;
  const server = createServer(options);
  const tell = tellChanges(logger);
  const add = (path: string, answer: (request: Request, response: Response) => Promise<void>): void => {
    server.get(path, answer);
    server.head(path, answer);
  };
  add('/health/live', async (_request, response) =>
    sendReply(response, { status: 200, body: { live: true, version: SERVICE_VERSION } }),
  );
  add('/health/ready', async (_request, response) => {
    const missing = await readiness.problems();
    tell(missing);
    const ready = Object.keys(missing).length === 0;
    sendReply(
      response,
      ready
        ? { status: 200, body: { ready, version: SERVICE_VERSION, ...readiness.states() } }
        : {
            status: 503,
            body: {
              error: `not ready: ${listed(missing)}`,
              ready,
              version: SERVICE_VERSION,
              missing,
              ...readiness.states(),
            },
            headers: { 'Retry-After': '1' },
          },
    );
  });
  add('/metrics', async (_request, response) => {
    sendText(response, await metrics.metrics(), { 'Content-Type': metrics.contentType });
  });
  return server;
};
