import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../../platform/logging/logger.ts';
import { openReadStore } from '../../../platform/read-store/mongodb-read-store.ts';
import type { ReadStore } from '../../../platform/read-store/read-store.ts';
import { startStack } from '../../../stack/launcher.ts';
import type { Form, Ground, Stored } from './_forms/form.ts';

/** The store at MONGODB_URL, else an embedded one in an empty folder. */
export type StoreServer = { readonly url: string; readonly stop: () => Promise<void> };

const ELSEWHERE = {
  KAFKA_BROKERS: '127.0.0.1:1',
  SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1',
  AZURE_STORAGE_CONNECTION_STRING: 'AccountName=none;AccountKey=none',
};

export const startStore = async (): Promise<StoreServer> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'store-'));
  const stack = await startStack({ dataDir, components: [], env: ELSEWHERE });
  return {
    url: stack.env.MONGODB_URL ?? '',
    stop: async () => {
      await stack.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};

export const openStore = async (url: string, database: string): Promise<ReadStore> =>
  await openReadStore({ settings: { url, database }, app_name: 'test', logger: createLogger('test', 'warn') });

export const ownDatabase = (): string => `conformance_${process.pid}_${Date.now().toString(36)}`;

/** Drops the database only on a real server: the embedded one ends with its folder. */
export const leaveStore = async (store: ReadStore | undefined): Promise<void> => {
  if (process.env.MONGODB_URL !== undefined) await store?.db.dropDatabase();
  await store?.close();
};

let grounds = 0;

export const groundOf = async (
  store: ReadStore,
  { documents = [], indexes = [] }: Pick<Form, 'documents' | 'indexes'>,
): Promise<Ground> => {
  grounds += 1;
  const [things, others] = ['things', 'others'].map((name) => `${name}_${grounds}`);
  await store.db.createCollection(`${things}`);
  await store.db.createCollection(`${others}`);
  const ground = {
    store,
    things: store.db.collection<Stored>(`${things}`),
    others: store.db.collection<Stored>(`${others}`),
  };
  if (indexes.length > 0) await ground.things.createIndexes([...indexes]);
  if (documents.length > 0) await ground.things.insertMany(documents.map((document) => ({ ...document })));
  return ground;
};
