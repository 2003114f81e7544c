import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../../stack/process/ports.ts';
import { until } from '../../../stack/testing/until.ts';

const ENTRY = join(import.meta.dirname, '..', '..', '..', 'command-api', 'main.ts');

/** One more command API on the servers of a stack, which nobody starts again. */
export type CommandApi = {
  /** Its `/v1/renders`. */
  readonly renders: string;
  /** SIGKILL; resolves when it is gone. May be called again. */
  readonly kill: () => Promise<void>;
};

const gone = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

export const startCommandApi = async (env: Readonly<Record<string, string>>): Promise<CommandApi> => {
  const [port, health_port] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [ENTRY], {
    env: { LOG_LEVEL: 'error', ...env, PORT: String(port), HEALTH_PORT: String(health_port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const dieToo = () => child.kill('SIGKILL');
  process.once('exit', dieToo);
  const kill = async (): Promise<void> => {
    process.removeListener('exit', dieToo);
    if (gone(child)) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await until('a second command API serves', async () => {
      if (gone(child)) throw new Error('it ended');
      return (await fetch(`http://127.0.0.1:${health_port}/health/ready`)).status === 200;
    });
  } catch (fault) {
    await kill();
    throw fault;
  }
  return { renders: `${url}/v1/renders`, kill };
};
