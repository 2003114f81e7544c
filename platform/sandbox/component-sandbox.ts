import type { Configuration } from '../configuration/configuration.ts';
import { SANDBOX } from '../configuration/parts.ts';
import type { Logger } from '../logging/logger.ts';
import { type Metrics, sampledGauge } from '../metrics/metrics.ts';
import type { Readiness } from '../process/readiness.ts';
import { openSandbox } from './open-sandbox.ts';
import type { Sandbox } from './sandbox.ts';

const PART = { sandbox: SANDBOX };

type Context = { readonly logger: Logger; readonly metrics: Metrics; readonly readiness: Readiness };

export const openComponentSandbox = async (
  settings: Configuration<typeof PART>['sandbox'],
  { logger, metrics, readiness }: Context,
): Promise<Sandbox> => {
  const sandbox = await openSandbox(settings);
  const { mode, isolates, reason } = sandbox;
  logger[isolates ? 'info' : 'warn']({ mode, isolates, reason }, 'sandbox of decoders');
  readiness.state('sandbox', isolates ? mode : `${mode}, without isolation`);
  sampledGauge(
    metrics,
    'sandbox',
    'Sandbox mode of decoders; `isolates` is 1 if they cannot reach the service',
    ['mode', 'isolates'],
    async () => [{ labels: { mode, isolates: isolates ? 1 : 0 }, value: 1 }],
  );
  return sandbox;
};
