import { isLeft } from 'fp-ts/lib/Either.js';
import { CORS, GATEWAY } from '../../platform/configuration/parts.ts';
import { speakForInterface } from '../../platform/http-server/interface.ts';
import { runComponent } from '../../platform/process/component.ts';
import { openGateway } from './gateway.ts';

const PROBE_TIMEOUT_MS = 2_000;

/** Whether the API answers at all: what it lacks itself is its own to say. */
const reachable = async (url: string): Promise<string | null> => {
  const answer = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
  await answer.arrayBuffer();
  return answer.ok ? null : `answers with status ${answer.status}`;
};

await runComponent(
  'gateway',
  { gateway: GATEWAY, cors: CORS },
  async ({ configuration, server, metrics, readiness }) => {
    const { command_api_url, query_api_url } = configuration.gateway;
    const gateway = openGateway(server, configuration.gateway, metrics);
    if (isLeft(gateway)) throw new Error(gateway.left);
    readiness.check('command-api', () => reachable(command_api_url));
    readiness.check('query-api', () => reachable(query_api_url));
    speakForInterface(server, configuration.cors.origins);
    return { stop: async () => gateway.right.close() };
  },
);
