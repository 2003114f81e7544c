import { MongoClient } from 'mongodb';
import { startComponent } from '../../helpers/component-process.ts';

/** A relay on the servers of a stack, which nobody starts again. */
export type RelayProcess = {
  /** What it answers who asks whether it is ready. */
  readonly readiness: () => Promise<string>;
  /** SIGKILL; resolves when it is gone, and no transaction of it is left. May be called again. */
  readonly kill: () => Promise<void>;
  /** SIGTERM; resolves with its exit code. */
  readonly end: () => Promise<number | null>;
};

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
