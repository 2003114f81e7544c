import { isLeft } from 'fp-ts/lib/Either.js';
import { CORS, GATEWAY, PUBLIC_SERVER } from '../platform/configuration/parts.ts';
import { addFallbackRoutes } from '../platform/http-server/fallback-routes.ts';
import { runComponent } from '../platform/process/component.ts';
import { openGateway } from './gateway.ts';

const PROBE_TIMEOUT_MS = 2_000;

/**
 * Null if the API answers, otherwise the fault. This sends OPTIONS, which needs no key: the gateway may not reach the
 * API's health port.
 */
const reachable = async (url: string): Promise<string | null> => {
  const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
  const answer = await fetch(`${url}/v1/renders`, { method: 'OPTIONS', signal });
  await answer.arrayBuffer();
  return answer.ok ? null : `answers with status ${answer.status}`;
};

const parts = { public_server: PUBLIC_SERVER, gateway: GATEWAY, cors: CORS };

await runComponent('gateway', parts, async (context) => {
  const { configuration, openInterface, metrics, readiness, logger, stopping } = context;
  const server = await openInterface(configuration.public_server);
  const { command_api_url, query_api_url, management_api_url } = configuration.gateway;
  const gateway = openGateway(server, configuration.gateway, metrics, { stopping });
  if (isLeft(gateway)) throw new Error(gateway.left);
  readiness.check('command-api', () => reachable(command_api_url));
  readiness.check('query-api', () => reachable(query_api_url));
  // The gateway serves /v1 without the management API, so it stays ready. Management requests then get 503 or 502.
  if (management_api_url === undefined) logger.info('sign-in is disabled: MANAGEMENT_API_URL is not set');
  addFallbackRoutes(server, configuration.cors.origins);
  return { stop: async () => gateway.right.close() };
});
