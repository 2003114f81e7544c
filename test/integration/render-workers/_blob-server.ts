import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BlobServiceClient } from '@azure/storage-blob';
import { type Stack, startStack } from '../../../stack/launcher.ts';

type BlobServerSettings = { readonly connection_string: string; readonly container: string };

/** Azurite without other servers, with an empty container. */
export type BlobServer = {
  readonly settings: BlobServerSettings;
  readonly port: number;
  readonly settingsAt: (port: number) => BlobServerSettings;
  readonly folder: string;
  /** Replaces a blob's bytes and keeps its metadata. */
  readonly damage: (path: string, bytes: Buffer) => Promise<void>;
  readonly put: (path: string, bytes: Buffer, metadata?: Record<string, string>) => Promise<void>;
  readonly paths: (prefix: string) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

/** Required settings that no test uses. */
const OTHERS = {
  KAFKA_BROKERS: '127.0.0.1:1',
  SCHEMA_REGISTRY_URL: 'http://127.0.0.1:1',
  MONGODB_URL: 'mongodb://127.0.0.1:1/?replicaSet=rs0',
};

export const openBlobServer = async (): Promise<BlobServer> => {
  const folder = await mkdtemp(join(tmpdir(), 'blobs '));
  const stack: Stack = await startStack({ dataDir: join(folder, 'data'), components: [], env: OTHERS });
  const settings = { connection_string: stack.env.AZURE_STORAGE_CONNECTION_STRING ?? '', container: 'renders' };
  const container = BlobServiceClient.fromConnectionString(settings.connection_string).getContainerClient(
    settings.container,
  );
  await container.createIfNotExists();
  const put = async (path: string, bytes: Buffer, metadata: Record<string, string> = {}): Promise<void> => {
    await container.getBlockBlobClient(path).upload(bytes, bytes.length, { metadata });
  };
  const address = /127\.0\.0\.1:(\d+)/;
  return {
    settings,
    port: Number(address.exec(settings.connection_string)?.[1]),
    settingsAt: (port) => ({
      ...settings,
      connection_string: settings.connection_string.replace(address, `127.0.0.1:${port}`),
    }),
    folder,
    put,
    damage: async (path, bytes) => {
      const { metadata = {} } = await container.getBlobClient(path).getProperties();
      await put(path, bytes, metadata);
    },
    paths: async (prefix) => {
      const found: string[] = [];
      for await (const { name } of container.listBlobsFlat({ prefix })) found.push(name);
      return found;
    },
    close: async () => {
      await stack.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
