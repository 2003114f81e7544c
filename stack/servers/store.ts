import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import type { ProcessSpec } from '../process/supervised.ts';
import type { Server } from './server.ts';
import { findOnPath, requireTool, toolFolder } from './tools.ts';

type StoreKind = 'secantusd-rs' | 'mongod' | 'secantus';

const REPLICA_SET = 'rendering';
const TRANSACTION_LIFETIME_S = 10;
const COMMAND_TIMEOUT_MS = 5_000;
/** SecantusDB with a cache of its indexes. */
const EMBEDDED_STORE = join(import.meta.dirname, 'embedded_store.py');

/**
 * When dirty pages of transactions fill a fifth of the cache, WiredTiger makes every thread evict first. In SecantusDB
 * that thread may have the lock for which the transaction waits. The deadlock stops all responses. 200 changes of
 * renders among 100,000 caused it with a cache of 256 MB. So the cache is larger, and eviction begins late.
 */
const LESS_EVICTION = 'eviction_dirty_trigger=80,eviction_updates_trigger=80';

/** Prefers a store on the PATH to the one that the set-up installed. */
export const storeKind = (find: (program: string) => string | null = findOnPath): StoreKind => {
  if (find('secantusd-rs') !== null) return 'secantusd-rs';
  return find('mongod') !== null ? 'mongod' : 'secantus';
};

/** A single-node store with the MongoDB protocol that reports itself as a replica set. Each kind has its own files. */
export const storeServer = (options: {
  readonly folder: string;
  readonly port: number;
  readonly client_port?: number;
  readonly env: Readonly<Record<string, string>>;
  readonly kind?: StoreKind;
}): Server => {
  const kind = options.kind ?? storeKind();
  const folder = join(options.folder, kind);
  const urlAt = (port: number): string => `mongodb://127.0.0.1:${port}/?directConnection=true`;
  const url = urlAt(options.port);
  return {
    prepare: async () => {
      mkdirSync(folder, { recursive: true });
    },
    process: {
      name: 'store',
      ...command(kind, folder, options.port),
      env: { ...options.env, ...(kind === 'mongod' ? {} : { WIREDTIGER_CONFIG: LESS_EVICTION }) },
      ready: () => answersPing(url, kind === 'mongod'),
      ready_timeout_ms: 120_000,
      grace_ms: 15_000,
    },
    env: { MONGODB_URL: urlAt(options.client_port ?? options.port) },
    ...(kind === 'mongod' ? {} : { endTransactions: () => endTransactions(url) }),
  };
};

const command = (kind: StoreKind, folder: string, port: number): Pick<ProcessSpec, 'command' | 'args' | 'cwd'> => {
  const secantus = ['--host', '127.0.0.1', '--port', String(port), '--storage-path', '.', '--sync-on-commit'];
  switch (kind) {
    case 'secantusd-rs':
      return { command: 'secantusd-rs', args: secantus, cwd: folder };
    case 'secantus':
      return {
        command: requireTool(join(toolFolder('secantus'), 'bin', 'python')),
        // -P: the folder of the program is no place for modules.
        args: ['-P', EMBEDDED_STORE, ...secantus, '--cache-size', '512M', '--log-level', 'WARNING'],
        cwd: folder,
      };
    case 'mongod':
      return {
        command: 'mongod',
        args: [
          '--bind_ip',
          '127.0.0.1',
          '--port',
          String(port),
          '--dbpath',
          '.',
          '--replSet',
          REPLICA_SET,
          // A killed client's transaction blocks its documents for this long; the default would be a minute.
          '--setParameter',
          `transactionLifetimeLimitSeconds=${TRANSACTION_LIFETIME_S}`,
          '--wiredTigerCacheSizeGB',
          '0.25',
        ],
        cwd: folder,
      };
  }
};

/**
 * SecantusDB ends a killed client's transaction only after a minute, and only when another transaction begins. Until
 * then its documents cannot be written, and queued writes block all requests to the store.
 */
const endTransactions = async (url: string): Promise<void> => {
  const client = new MongoClient(url, {
    serverSelectionTimeoutMS: COMMAND_TIMEOUT_MS,
    socketTimeoutMS: COMMAND_TIMEOUT_MS,
  });
  try {
    await client.db('admin').command({ killAllSessions: [] });
  } finally {
    await client.close();
  }
};

/** Pings as a client would. A mongod with a new folder is first initiated as a replica set. */
const answersPing = async (url: string, initiate: boolean): Promise<boolean> => {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 1_000, connectTimeoutMS: 1_000 });
  try {
    const admin = client.db('admin');
    if (initiate && !(await isPrimary(client))) {
      const host = new URL(url).host;
      await admin
        .command({ replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host }] } })
        .catch(() => reconfigure(client, host));
    }
    await admin.command({ ping: 1 });
    return await isPrimary(client);
  } finally {
    await client.close();
  }
};

const isPrimary = async (client: MongoClient): Promise<boolean> =>
  (await client.db('admin').command({ hello: 1 })).isWritablePrimary === true;

// The port may have changed. A member that does not know its own address never becomes primary.
const reconfigure = async (client: MongoClient, host: string): Promise<void> => {
  const admin = client.db('admin');
  const { config } = await admin.command({ replSetGetConfig: 1 });
  if (config.members[0].host === host) return;
  await admin.command({
    replSetReconfig: { ...config, version: config.version + 1, members: [{ ...config.members[0], host }] },
    force: true,
  });
};
