import { type ClientSession, MongoClient, MongoError, ReadConcern, WriteConcern } from 'mongodb';
import type { Values } from '../configuration/configuration.ts';
import type { READ_STORE } from '../configuration/parts.ts';
import type { Logger } from '../logging/logger.ts';
import { messageOf } from '../logging/message-of.ts';
import { throttledWarn } from '../logging/throttled-warn.ts';
import { SYSTEM_CLOCK } from '../process/clock.ts';
import { createReadiness, type Readiness } from '../process/readiness.ts';
import { type RetryPolicy, retry } from '../process/retry.ts';
import { isQueryTimeout, queryTimeout } from './query-timeout.ts';
import type { ReadStore } from './read-store.ts';

export type ReadStoreOptions = {
  readonly settings: Values<typeof READ_STORE>;
  readonly app_name: string;
  readonly logger: Logger;
  readonly readiness?: Readiness;
  /** How long opening waits for a server that does not answer; without a limit by default. */
  readonly open_timeout_ms?: number;
};

const SELECTION_TIMEOUT_MS = 5_000;
const SOCKET_TIMEOUT_MS = 60_000;
const WRITE_TIMEOUT_MS = 30_000;
const HEALTHY_MS = 2_000;
const MAX_POOL_SIZE = 20;
const MAX_TRIES = 6;
const MAX_COMMIT_TRIES = 3;
const FIRST_PAUSE_MS = 40;
/** Random pauses, so that two conflicting transactions do not conflict again. */
const TRANSACTION_POLICY: RetryPolicy = (failures) =>
  failures === MAX_TRIES ? null : FIRST_PAUSE_MS * 2 ** (failures - 1) * (0.5 + Math.random());
const WAITING_PAUSE_MS = 1_000;

const DURABLE = new WriteConcern('majority', WRITE_TIMEOUT_MS, true);

const labelled = (error: unknown, label: string): boolean => error instanceof MongoError && error.hasErrorLabel(label);

/** If the outcome of a commit is unknown, the commit is sent again; the server applies it at most once. */
const commit = async (session: ClientSession): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    try {
      await session.commitTransaction();
      return;
    } catch (error) {
      if (tries === MAX_COMMIT_TRIES || !labelled(error, 'UnknownTransactionCommitResult')) throw error;
    }
  }
};

const runTransaction = async <A>(client: MongoClient, work: (session: ClientSession) => Promise<A>): Promise<A> => {
  const session = client.startSession();
  const once = async (): Promise<A> => {
    try {
      session.startTransaction({ readConcern: { level: 'majority' }, writeConcern: DURABLE });
      const result = await work(session);
      await commit(session);
      return result;
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction().catch(() => undefined);
      throw error;
    }
  };
  const isTransient = (error: unknown): boolean => labelled(error, 'TransientTransactionError');
  return retry(once, { clock: SYSTEM_CLOCK, policy: TRANSACTION_POLICY, isTransient }).finally(() =>
    session.endSession(),
  );
};

/** Transactions need a replica set, or a router (mongos) in front of several. */
const refuseStandalone = async (client: MongoClient): Promise<void> => {
  const hello = await client.db('admin').command({ hello: 1 });
  if (typeof hello.setName !== 'string' && hello.msg !== 'isdbgrid') {
    throw new TypeError('the MongoDB server is not a replica set; start it with --replSet (one node is enough)');
  }
};

/** Rejects at once if the server is not a replica set. */
export const openReadStore = async ({
  settings,
  app_name,
  logger,
  readiness = createReadiness(),
  open_timeout_ms = Number.POSITIVE_INFINITY,
}: ReadStoreOptions): Promise<ReadStore> => {
  const client = new MongoClient(settings.url, {
    appName: app_name,
    writeConcern: DURABLE,
    readConcern: new ReadConcern('majority'),
    readPreference: 'primary',
    retryWrites: true,
    retryReads: true,
    maxPoolSize: MAX_POOL_SIZE,
    serverSelectionTimeoutMS: Math.min(SELECTION_TIMEOUT_MS, open_timeout_ms),
    socketTimeoutMS: SOCKET_TIMEOUT_MS,
  });
  const deadline = performance.now() + open_timeout_ms;
  const warn = throttledWarn(logger);
  const connect = async (): Promise<void> => {
    await client.connect();
    await refuseStandalone(client);
  };
  await retry(connect, {
    clock: SYSTEM_CLOCK,
    policy: () => (performance.now() > deadline ? null : WAITING_PAUSE_MS),
    isTransient: (error) => !(error instanceof TypeError),
    onFailure: (error) => {
      readiness.set('mongodb', messageOf(error));
      warn({ reason: messageOf(error) }, 'waiting for MongoDB');
    },
  }).catch(async (error) => {
    await client.close();
    throw error;
  });
  readiness.set('mongodb', null);

  const ping = async (): Promise<string | null> => {
    try {
      await client.db('admin').command({ ping: 1 }, queryTimeout(HEALTHY_MS));
      return null;
    } catch (error) {
      return isQueryTimeout(error) ? `does not answer within ${HEALTHY_MS} ms` : messageOf(error);
    }
  };
  readiness.check('mongodb', ping);

  return {
    db: client.db(settings.database),
    client,
    transaction: (work) => runTransaction(client, work),
    healthy: async () => (await ping()) === null,
    close: () => client.close(),
  };
};
