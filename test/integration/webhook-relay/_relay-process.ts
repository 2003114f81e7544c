import { MongoClient } from 'mongodb';
import { startComponent } from '../../helpers/component-process.ts';

/** A relay on the servers of a stack, without a supervisor that restarts it. */
export type RelayProcess = {
  readonly readiness: () => Promise<string>;
  /** SIGKILL; resolves once the process has exited and its transactions are aborted. May be called again. */
  readonly kill: () => Promise<void>;
  readonly end: () => Promise<number | null>;
};

/**
 * Aborts all transactions, as the launcher does after a crash. Otherwise the embedded store keeps them for a minute.
 */
const endTransactions = async (url: string): Promise<void> => {
  const client = new MongoClient(url);
  try {
    await client.db('admin').command({ killAllSessions: [] });
  } finally {
    await client.close();
  }
};

export const startRelayProcess = async (env: Readonly<Record<string, string>>): Promise<RelayProcess> => {
  const relay = await startComponent('webhook-relay', { LOG_LEVEL: 'warn', ...env });
  let has_left = false;
  return {
    readiness: async () => (await fetch(`${relay.health_url}/health/ready`)).text(),
    kill: async () => {
      if (has_left) return;
      has_left = true;
      await relay.kill();
      await endTransactions(env.MONGODB_URL ?? '');
    },
    end: async () => {
      has_left = true;
      return await relay.end();
    },
  };
};
