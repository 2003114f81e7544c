import { join } from 'node:path';
import type { ProcessSpec } from './process/supervised.ts';

export type DevelopmentOptions = {
  /** The process that waits for a debugger at INSPECT_PORT, e.g. `worker`; null for none. */
  readonly inspected: string | null;
  /** The port of Vite, which serves the dashboard. */
  readonly dashboard_port: number;
};

export const INSPECT_PORT = 9229;
const DASHBOARD_PORT = 5173;
const MAX_PORT = 65_535;

/**
 * Decodes INSPECT and DASHBOARD_PORT. Throws an error that names the variable.
 *
 * @param names the processes that start
 */
export const developmentOf = (env: Readonly<Record<string, string>>, names: readonly string[]): DevelopmentOptions => {
  const inspected = env.INSPECT ?? null;
  if (inspected !== null && !names.includes(inspected))
    throw new Error(`INSPECT: no process is named "${inspected}"; use one of ${names.join(', ')}`);
  const dashboard_port = Number(env.DASHBOARD_PORT ?? DASHBOARD_PORT);
  if (!Number.isInteger(dashboard_port) || dashboard_port < 1 || dashboard_port > MAX_PORT)
    throw new Error(`DASHBOARD_PORT must be a number from 1 to ${MAX_PORT}`);
  return { inspected, dashboard_port };
};

/** Flags of Node. `--watch` restarts the process when a module that it imports changes. */
export const developmentFlags = (development: DevelopmentOptions | undefined, name: string): readonly string[] => {
  if (development === undefined) return [];
  const inspect = development.inspected === name ? [`--inspect=127.0.0.1:${INSPECT_PORT}`] : [];
  return ['--watch', '--watch-preserve-output', ...inspect];
};

/** Vite serves the dashboard from its sources, and forwards all other requests to the gateway. */
export const dashboardProcess = (options: {
  readonly root: string;
  readonly port: number;
  readonly gateway_url: string;
  readonly public_url: string;
  readonly env: Readonly<Record<string, string>>;
}): ProcessSpec => ({
  name: 'dashboard',
  command: process.execPath,
  args: [join(options.root, 'node_modules/vite/bin/vite.js'), 'dashboard', '--config', 'dashboard/vite.config.ts'],
  cwd: options.root,
  env: {
    ...options.env,
    DASHBOARD_PORT: String(options.port),
    DASHBOARD_GATEWAY_URL: options.gateway_url,
    DASHBOARD_PUBLIC_URL: options.public_url,
  },
  ready: async () => {
    const answer = await fetch(`http://127.0.0.1:${options.port}/dashboard/`, { signal: AbortSignal.timeout(5_000) });
    await answer.arrayBuffer();
    return answer.status === 200;
  },
  ready_timeout_ms: 60_000,
  grace_ms: 5_000,
});
