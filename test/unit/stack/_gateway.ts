import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
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

/** The gateway as a process. @param env settings beside its addresses */
export const openGateway = async (env: Readonly<Record<string, string>> = {}): Promise<Gateway> => {
  const [port, health_port, commands, queries] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const child = spawn(process.execPath, [join(ROOT, 'stack/gateway/main.ts')], {
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
