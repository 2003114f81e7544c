import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Server } from './server.ts';
import { ROOT, requireTool } from './tools.ts';

/** Microsoft published this account and key for the emulator, so they are not secret. */
const ACCOUNT = 'devstoreaccount1';
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

export const blobConnectionString = (port: number): string =>
  `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${KEY};BlobEndpoint=http://127.0.0.1:${port}/${ACCOUNT};`;

/** Azurite emulates Azure Blob Storage. Its index is durable after each change. */
export const blobServer = (options: {
  readonly folder: string;
  readonly port: number;
  readonly client_port?: number;
  readonly env: Readonly<Record<string, string>>;
}): Server => ({
  prepare: async () => {
    requireTool(join(ROOT, 'node_modules', 'azurite', 'package.json'));
    mkdirSync(options.folder, { recursive: true });
  },
  process: {
    name: 'blob',
    command: process.execPath,
    args: [
      join(ROOT, 'stack', 'servers', 'azurite.ts'),
      ...['--blobHost', '127.0.0.1', '--blobPort', String(options.port), '--location', '.'],
      ...['--silent', '--disableTelemetry', '--skipApiVersionCheck'],
    ],
    cwd: options.folder,
    env: options.env,
    ready: async () => {
      // Any response shows that it is ready, even a refusal of the unsigned request.
      const answer = await fetch(`http://127.0.0.1:${options.port}/${ACCOUNT}`, { signal: AbortSignal.timeout(2_000) });
      await answer.arrayBuffer();
      return answer.status < 500;
    },
    ready_timeout_ms: 120_000,
    grace_ms: 10_000,
  },
  env: { AZURE_STORAGE_CONNECTION_STRING: blobConnectionString(options.client_port ?? options.port) },
});
