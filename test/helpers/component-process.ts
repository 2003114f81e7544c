import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { launcherEnvironment, programEnvironment } from '../../stack/environment.ts';
import { freePort } from '../../stack/process/ports.ts';
import { ROOT } from '../../stack/servers/tools.ts';
import { pollUntil } from '../../stack/testing/until.ts';

/** A component on the servers of a stack, without a launcher that restarts it. */
export type ComponentProcess = {
  readonly pid: number | undefined;
  readonly url: string;
  readonly health_url: string;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly gone: Promise<unknown>;
  /** Sends SIGKILL; resolves when the process has ended. Can be called again. */
  readonly kill: () => Promise<void>;
  /** Sends SIGTERM; resolves with the exit code. */
  readonly end: () => Promise<number | null>;
};

const gone = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** A start takes some seconds, but a minute if the machine is ten times overloaded. */
const READY_WITHIN_MS = 180_000;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a component and returns at once.
 *
 * @param folder the folder of the component, e.g. `command-api`
 * @param root the project or another version of it
 */
export const spawnComponent = async (
  folder: string,
  env: Readonly<Record<string, string>>,
  root: string = ROOT,
): Promise<ComponentProcess & { readonly untilReady: () => Promise<void> }> => {
  const [port, health_port] = [await freePort(), await freePort()];
  const own = { PORT: String(port), HEALTH_PORT: String(health_port) };
  const child = spawn(process.execPath, [join(root, folder, 'main.ts')], {
    cwd: root,
    env: { ...programEnvironment(launcherEnvironment(process.env)), LOG_LEVEL: 'error', ...env, ...own },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  running.add(child);
  const leave = async (signal: NodeJS.Signals): Promise<void> => {
    running.delete(child);
    if (gone(child)) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  const health_url = `http://127.0.0.1:${health_port}`;
  const isReady = async (): Promise<boolean> => {
    if (gone(child)) throw new Error('it ended');
    return (await fetch(`${health_url}/health/ready`)).status === 200;
  };
  return {
    untilReady: async () => {
      await pollUntil(`one more ${folder} serves`, isReady, READY_WITHIN_MS);
    },
    signal: (signal) => void child.kill(signal),
    gone: gone(child) ? Promise.resolve() : once(child, 'exit'),
    pid: child.pid,
    url: `http://127.0.0.1:${port}`,
    health_url,
    kill: () => leave('SIGKILL'),
    end: async () => {
      await leave('SIGTERM');
      return child.exitCode;
    },
  };
};

/** As `spawnComponent`; resolves once it is ready. */
export const startComponent = async (...started: Parameters<typeof spawnComponent>): Promise<ComponentProcess> => {
  const component = await spawnComponent(...started);
  try {
    await component.untilReady();
  } catch (fault) {
    await component.kill();
    throw fault;
  }
  return component;
};
