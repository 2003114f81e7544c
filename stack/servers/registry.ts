import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { archiveFlags } from './class-archives.ts';
import type { Server } from './server.ts';
import { requireTool, toolFolder } from './tools.ts';

const JAR = 'apicurio-registry-app-3.0.9-runner.jar';
const CONFLUENT_API = '/apis/ccompat/v7';

/** Apicurio stores its schemas in an H2 file, which is durable at each commit. */
export const registryServer = (options: {
  readonly folder: string;
  readonly port: number;
  readonly client_port?: number;
  readonly env: Readonly<Record<string, string>>;
}): Server => {
  const urlAt = (port: number): string => `http://127.0.0.1:${port}${CONFLUENT_API}`;
  return {
    prepare: async () => {
      requireTool(join(toolFolder('registry'), JAR));
      mkdirSync(options.folder, { recursive: true });
    },
    process: {
      name: 'registry',
      command: 'java',
      args: [
        ...archiveFlags('registry'),
        '-Xms48m',
        '-Xmx256m',
        '-XX:+UseSerialGC',
        '-XX:TieredStopAtLevel=1',
        '-XX:+ExitOnOutOfMemoryError',
        '-Djava.awt.headless=true',
        '-Dquarkus.http.host=127.0.0.1',
        `-Dquarkus.http.port=${options.port}`,
        '-Dapicurio.storage.kind=sql',
        '-Dapicurio.storage.sql.kind=h2',
        '-Dapicurio.datasource.url=jdbc:h2:file:./registry',
        '-jar',
        join(toolFolder('registry'), JAR),
      ],
      cwd: options.folder,
      env: options.env,
      ready: async () => {
        const answer = await fetch(`${urlAt(options.port)}/subjects`, { signal: AbortSignal.timeout(2_000) });
        await answer.arrayBuffer();
        return answer.status === 200;
      },
      ready_timeout_ms: 120_000,
      grace_ms: 15_000,
    },
    env: { SCHEMA_REGISTRY_URL: urlAt(options.client_port ?? options.port) },
  };
};
