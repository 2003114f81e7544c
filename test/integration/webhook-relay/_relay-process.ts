import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { freePort } from '../../../stack/process/ports.ts';
import { until } from '../../../stack/testing/until.ts';

const ENTRY = join(import.meta.dirname, '..', '..', '..', 'webhook-relay', 'main.ts');

/** A relay on the servers of a stack, which nobody starts again. */
export type RelayProcess = {
  /** What it answers who asks whether it is ready. */
  readonly readiness: () => Promise<string>;
  /** SIGKILL; resolves when it is gone, and no transaction of it is left. May be called again. */
  readonly kill: () => Promise<void>;
  /** SIGTERM; resolves with its exit code. */
  readonly end: () => Promise<number | null>;
};

const gone = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** As the launcher does after a crash: the embedded store would keep them for a minute. */
const endTransactions = async (url: string): Promise<void> => {
  const client = new MongoClient(url);
  try {
    await client.db('admin').command({ killAllSessions: [] });
  } finally {
    await client.close();
  }
};

/** Resolves once it serves: it has joined the group by then. */
export const startRelayProcess = async (env: Readonly<Record<string, string>>): Promise<RelayProcess> => {
  const port = await freePort();
  const child = spawn(process.execPath, [ENTRY], {
    env: { LOG_LEVEL: 'warn', ...env, HEALTH_PORT: String(port) },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const dieToo = () => child.kill('SIGKILL');
  process.once('exit', dieToo);
  const leave = async (signal: NodeJS.Signals): Promise<void> => {
    process.removeListener('exit', dieToo);
    if (gone(child)) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  };
  try {
    await until(
      'the relay serves',
      async () => {
        if (gone(child)) throw new Error('it ended');
        return (await fetch(`http://127.0.0.1:${port}/health/ready`)).status === 200;
      },
      60_000,
    );
  } catch (fault) {
    await leave('SIGKILL');
    throw fault;
  }
  return {
    readiness: async () => (await fetch(`http://127.0.0.1:${port}/health/ready`)).text(),
    kill: async () => {
      if (gone(child)) return;
      await leave('SIGKILL');
      await endTransactions(env.MONGODB_URL ?? '');
    },
    end: async () => {
      await leave('SIGTERM');
      return child.exitCode;
    },
  };
};
